// What each earlier release has said over the observer's API, read by the readers of now; and the
// same as a later release might say it, with members and lines that nobody knows yet.
#include "support/source_file.hpp"
#include <ome/wire/config_document.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/observer_answer.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace ome::wire {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_FALSE(text.str().empty()) << path;
    return text.str();
}

std::vector<std::string> lines_of(const fs::path& path) {
    std::istringstream text(content(path));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// With a member of a later release in every object.
json::value with_more(const json::value& value) {
    if (const json::object* object = value.if_object()) {
        json::object made{{"laterMember", {{"of", {1, "a later release", nullptr}}}}};
        for (const auto& [name, member] : *object) {
            made[name] = with_more(member);
        }
        return made;
    }
    if (const json::array* array = value.if_array()) {
        json::array made;
        for (const json::value& item : *array) {
            made.push_back(with_more(item));
        }
        return made;
    }
    return value;
}

std::string later(const std::string& text) {
    return json::serialize(with_more(json::parse(text)));
}

void expect_same(const core::ServiceReading& a, const core::ServiceReading& b) {
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.owner_uid, b.owner_uid);
    EXPECT_EQ(a.suspended, b.suspended);
    EXPECT_EQ(a.homes, b.homes);
}

class DocumentsOf : public testing::TestWithParam<fs::path> {
protected:
    [[nodiscard]] static fs::path file(const std::string& name) { return GetParam() / name; }
};

TEST_P(DocumentsOf, AServiceIsReadWhateverElseItSays) {
    const std::string text = content(file("api/service.json"));
    const auto then = read_service_answer(text);
    ASSERT_TRUE(then) << then.error().message;
    ASSERT_EQ(then->service.homes.size(), 3U);
    EXPECT_EQ(then->service.homes[1].capacity->ceiling, 1);
    EXPECT_TRUE(then->service.homes[2].probe->gated);
    const auto now = read_service_answer(later(text));
    ASSERT_TRUE(now) << now.error().message;
    expect_same(then->service, now->service);
}

TEST_P(DocumentsOf, AListIsReadWhateverElseItSays) {
    const std::string text = content(file("api/services.json"));
    const auto then = read_services_answer(text);
    const auto now = read_services_answer(later(text));
    ASSERT_TRUE(then && now);
    ASSERT_EQ(then->services.size(), 3U);
    ASSERT_EQ(now->services.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        expect_same(then->services[i].service, now->services[i].service);
    }
}

TEST_P(DocumentsOf, EveryLineOfAWatchIsReadWhateverElseItSays) {
    std::size_t readings = 0;
    for (const std::string& line : lines_of(file("api/watch.ndjson"))) {
        const auto then = read_watch_line(line);
        const auto now = read_watch_line(later(line));
        ASSERT_TRUE(then) << then.error().message;
        ASSERT_TRUE(now) << now.error().message;
        ASSERT_EQ(then->index(), now->index()) << line;
        EXPECT_FALSE(std::holds_alternative<watch::Other>(*then)) << line;
        if (const auto* reading = std::get_if<watch::Reading>(&*then)) {
            expect_same(reading->answer.service, std::get<watch::Reading>(*now).answer.service);
            ++readings;
        }
    }
    EXPECT_GT(readings, 0U);
}

TEST_P(DocumentsOf, ALineOfAnUnknownTypeIsToBeSkipped) {
    for (const std::string& line : lines_of(file("api/watch.ndjson"))) {
        json::value document = json::parse(line);
        document.as_object()["type"] = "LaterType";
        const auto read = read_watch_line(json::serialize(document));
        ASSERT_TRUE(read) << read.error().message;
        ASSERT_TRUE(std::holds_alternative<watch::Other>(*read));
        EXPECT_EQ(std::get<watch::Other>(*read).type, "LaterType");
    }
}

TEST_P(DocumentsOf, MapsAndServicesAreRead) {
    for (const std::string name : {"chat", "drained", "silent"}) {
        const auto maps =
            read_traffic_maps(content(file("store/trafficmaps/demo/" + name + ".yaml")));
        ASSERT_TRUE(maps && maps->size() == 1 && maps->front().map) << name;
        EXPECT_EQ(maps->front().map->spec.entries.size(), 3U) << name;
        const auto services = read_inference_services(
            content(file("store/inferenceservices/demo/" + name + ".yaml")));
        ASSERT_TRUE(services && services->services.size() == 1) << name;
        EXPECT_TRUE(services->services.front().service) << name;
    }
}

TEST_P(DocumentsOf, ALaterConfigurationIsReadWithWarnings) {
    const std::string text = content(file("config.json"));
    const auto then = read_config(text);
    const auto now = read_config(later(text));
    ASSERT_TRUE(then) << then.error().message;
    EXPECT_TRUE(then->warnings.empty());
    ASSERT_TRUE(now) << now.error().message;
    EXPECT_FALSE(now->warnings.empty());
}

std::vector<fs::path> releases() {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(test::source_file("tests/upgrade"))) {
        if (fs::exists(entry.path() / "recording.ndjson")) {
            found.push_back(entry.path());
        }
    }
    return found;
}

INSTANTIATE_TEST_SUITE_P(Releases, DocumentsOf, testing::ValuesIn(releases()), [](const auto& one) {
    std::string name = "V" + one.param.filename().string();
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
});

}  // namespace
}  // namespace ome::wire
