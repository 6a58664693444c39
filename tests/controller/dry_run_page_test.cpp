#include "dry_run_page.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::controller {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

std::shared_ptr<const routing::TrafficMap> live_map(const std::string& name, std::int32_t weight) {
    auto map = std::make_shared<routing::TrafficMap>();
    map->meta.key = {"demo", name};
    map->meta.uid = "uid";
    map->spec.service = name;
    map->spec.entries.push_back({.cluster = "worker-a", .endpoint = "http://a", .weight = weight});
    return map;
}

MapWrite write_of(const std::string& name, std::int32_t weight) {
    MapWrite write;
    write.key = {"demo", name};
    auto service = std::make_shared<routing::InferenceService>();
    service->key = write.key;
    write.service = service;
    write.routed = std::make_shared<const routing::RoutedService>();
    write.spec.service = name;
    write.spec.entries.push_back({.cluster = "worker-a", .endpoint = "http://a", .weight = weight});
    write.verdict = {true, "Routable"};
    return write;
}

class DryRunPage : public testing::Test {
protected:
    DryRunPage() {
        for (const char* name : {"equal", "other", "old"}) {
            dry.hear(news::MapIs{live_map(name, 1)});
        }
        std::ignore = dry.take(write_of("other", 3));
        std::ignore = dry.take(write_of("new", 1));
        std::ignore = dry.take(MapDelete{{"demo", "old"}, {}});
    }
    DryRun dry;
};

TEST_F(DryRunPage, TellsWhatDiffers) {
    const auto report = diff_report(diff_document(dry), false);
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->equal);
    EXPECT_THAT(report->text, testing::StartsWith("MAP         STATE      FIELD"));
    EXPECT_THAT(report->text, HasSubstr("demo/new    missing    -"));
    EXPECT_THAT(report->text, HasSubstr("demo/old    surplus    -"));
    EXPECT_THAT(report->text, HasSubstr("demo/other  different  spec.entries[worker-a].weight"));
    EXPECT_THAT(report->text, testing::Not(HasSubstr("demo/equal")));
    EXPECT_THAT(report->text, testing::EndsWith("\n1 equal, 1 different, 1 missing, 1 surplus\n"));
    EXPECT_THAT(diff_report(diff_document(dry), true)->text, HasSubstr("demo/equal  equal"));
}

TEST_F(DryRunPage, NothingToWriteIsEqual) {
    const DryRun none;
    const auto report = diff_report(diff_document(none), false);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->equal);
    EXPECT_EQ(report->text, "0 equal, 0 different, 0 missing, 0 surplus\n");
}

TEST_F(DryRunPage, AnswersOfOthersAreRefused) {
    for (const char* text : {"null", "{}", R"({"maps":[{"state":3}],"counts":{}})"}) {
        EXPECT_FALSE(diff_report(json::parse(text), false)) << text;
    }
}

TEST_F(DryRunPage, CountsByState) {
    EXPECT_THAT(diff_metrics(dry), HasSubstr("ome_trafficmap_dry_run_maps{state=\"missing\"} 1\n"));
    EXPECT_THAT(diff_metrics(dry), HasSubstr("# TYPE ome_trafficmap_dry_run_maps gauge\n"));
}

}  // namespace
}  // namespace ome::controller
