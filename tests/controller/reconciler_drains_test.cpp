// Drains that lapse: in the reconciler, and in a folder.
#include "dir_folder.hpp"
#include "integration/scratch.hpp"
#include "reconciler_fixture.hpp"
#include <ome/core/timestamp.hpp>
#include <ome/net/small_file.hpp>
#include <ome/wire/drain_document.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace ome::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const routing::Drain upgrade{"upgrade", "worker-a", "node upgrade"};
const routing::Drain other{"other", "worker-b", "by hand"};

class DrainsThatLapse : public ReconcilerTest {
protected:
    routing::InferenceService drained(core::Duration lasts) const {
        routing::InferenceService service = routed_service();
        service.drains = wire::drains_text({upgrade, other});
        service.drain_expiries = wire::drain_expiries_text({{upgrade, clock.wall() + lasts}});
        return service;
    }

    std::int32_t weight_of(std::size_t entry) const {
        return maps.at({"demo", "chat"})->spec.entries.at(entry).weight;
    }
};

TEST_F(DrainsThatLapse, AreTakenOffWhenTheirTimeIsOver) {
    begin();
    put(drained(60s));
    settle();
    advance(59s);
    EXPECT_THAT(lapses, IsEmpty());
    EXPECT_EQ(weight_of(0), 0);
    ASSERT_TRUE(reconciler().next_wakeup()) << "nothing else need happen";
    EXPECT_LE(*reconciler().next_wakeup(), clock.steady() + 1s);
    advance(1s);
    ASSERT_THAT(lapses, SizeIs(1));
    EXPECT_EQ(lapses[0].drains, wire::drains_text({other})) << "the one without expiry stays";
    EXPECT_EQ(lapses[0].expiries, std::nullopt);
    ASSERT_THAT(lapses[0].events, SizeIs(1));
    EXPECT_EQ(lapses[0].events[0].reason, "TrafficDrainLapsed");
    EXPECT_EQ(lapses[0].events[0].message,
              "drain upgrade of cluster worker-a has lapsed (node upgrade)");
    EXPECT_FALSE(lapses[0].events[0].warning);
}

TEST_F(DrainsThatLapse, InAThousandYearsAndInTheLongestTimeThereIsWakeNobodyBefore) {
    begin();
    const auto most = core::Duration::max();
    for (const core::WallTime until :
         {core::parse_timestamp("9999-12-31T23:59:59Z").value(), clock.wall() + most}) {
        routing::InferenceService service = routed_service();
        service.drains = wire::drains_text({upgrade, other});
        service.drain_expiries = wire::drain_expiries_text({{upgrade, until}});
        put(service);
        settle();
        const auto passes = reconciler().counts(clock.now()).passes;
        for (int i = 0; i < 10; ++i) {
            reconciler().heard(clock.now());
            advance(1s);
            ASSERT_TRUE(reconciler().next_wakeup());
            EXPECT_GT(*reconciler().next_wakeup(), clock.steady() + 1s) << "of silence alone";
        }
        EXPECT_EQ(reconciler().counts(clock.now()).passes, passes);
        EXPECT_THAT(lapses, IsEmpty());
        EXPECT_EQ(weight_of(0), 0);
    }
}

TEST_F(DrainsThatLapse, HoldUntilTheStoreHasTakenThemOffAndAreTriedAgain) {
    begin();
    put(drained(10s));
    settle();
    advance(10s);
    EXPECT_THAT(lapses, SizeIs(1));
    EXPECT_EQ(weight_of(0), 0) << "what the annotation says counts";
    advance(1s);
    EXPECT_THAT(lapses, SizeIs(1)) << "not again and again";
    advance(5s);
    EXPECT_THAT(lapses, SizeIs(2));
    EXPECT_EQ(noticed("drain lapsed"), 0U) << "it has not been taken off";
    const auto explained = reconciler().explain({"demo", "chat"}, clock.now());
    ASSERT_TRUE(explained);
    EXPECT_THAT(explained->notes,
                testing::Contains(HasSubstr("drain upgrade of cluster worker-a has lapsed, at ")));
    routing::InferenceService service = drained(0s);
    service.drains = lapses.back().drains;
    service.drain_expiries = lapses.back().expiries;
    put(service);
    settle();
    EXPECT_GT(weight_of(0), 0);
    EXPECT_EQ(noticed("drain lapsed"), 1U);
    EXPECT_THAT(reconciler().explain({"demo", "chat"}, clock.now())->notes, IsEmpty());
    advance(60s);
    EXPECT_THAT(lapses, SizeIs(2));
}

TEST_F(DrainsThatLapse, AnExpiryThatIsNotUnderstoodEndsNoDrainAndIsToldOnce) {
    begin();
    routing::InferenceService service = drained(1s);
    service.drain_expiries = R"({"upgrade":{"cluster":"worker-a","until":"soon"}})";
    put(service);
    settle();
    advance(10s);
    EXPECT_THAT(lapses, IsEmpty());
    EXPECT_EQ(weight_of(0), 0);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].reason, "TrafficDrainExpiryUnreadable");
    EXPECT_THAT(events[0].message, HasSubstr("parse ome.io/traffic-drain-expiry: "));
}

TEST_F(DrainsThatLapse, AnExpiryWithoutItsDrainIsTidiedUpSilently) {
    begin();
    routing::InferenceService service = drained(1h);
    service.drains = wire::drains_text({other});
    put(service);
    settle();
    ASSERT_THAT(lapses, SizeIs(1));
    EXPECT_EQ(lapses[0].drains, service.drains);
    EXPECT_EQ(lapses[0].expiries, std::nullopt);
    EXPECT_THAT(lapses[0].events, IsEmpty());
}

class FolderLapse : public testing::Test {
protected:
    FolderLapse() {
        root = scratch.path("store");
        for (const char* tree : {"inferenceservices/demo", "overrides/demo"}) {
            std::filesystem::create_directories(root + "/" + tree);
        }
        folder = controller::DirFolder::open(root).value();
        EXPECT_TRUE(folder->try_lead());
    }

    void write(const std::string& path, const std::string& text) const {
        std::ofstream(root + "/" + path) << text;
    }
    std::string read(const std::string& path) const {
        const auto file = net::read_small_file(root + "/" + path);
        return file ? file->bytes : "<none>";
    }
    static std::string annotations() {
        return fmt::format(
            "{{annotations: {{ome.io/traffic-drain: '{}', ome.io/traffic-drain-expiry: '{}'}}}}",
            wire::drains_text({upgrade}),
            wire::drain_expiries_text({{upgrade, now}}));
    }
    controller::DrainLapse lapse_of(const std::vector<controller::StoreNews>& told) const {
        controller::DrainLapse lapse;
        lapse.key = {"demo", "chat"};
        for (const controller::StoreNews& one : told) {
            if (const auto* is = std::get_if<controller::news::ServiceIs>(&one)) {
                lapse.service = is->service;
            }
        }
        lapse.events.emplace_back();
        lapse.events.back().key = {"demo", "chat"};
        lapse.events.back().reason = "TrafficDrainLapsed";
        return lapse;
    }

    static constexpr core::WallTime now{1'790'000'000, 0};
    static constexpr const char* manifest =
        "kind: InferenceService\nmetadata: {name: chat}\nspec: {placement: {}}\n";
    Scratch scratch;
    std::string root;
    std::unique_ptr<controller::DirFolder> folder;
};

TEST_F(FolderLapse, TakesTheDrainOutOfTheOverride) {
    write("inferenceservices/demo/chat.yaml", manifest);
    write("overrides/demo/chat.yaml",
          "metadata: " + annotations() + "\nspec: {routing: {enabled: true}}\n");
    const auto lapse = lapse_of(folder->list(now));
    ASSERT_NE(lapse.service, nullptr);
    ASSERT_TRUE(lapse.service->drain_expiries);
    std::ignore = folder->apply({lapse}, now);
    EXPECT_EQ(read("overrides/demo/chat.yaml"), "spec:\n  routing:\n    enabled: true\n");
    EXPECT_THAT(read("events.ndjson"), HasSubstr("TrafficDrainLapsed"));
    const auto told = lapse_of(folder->look(true, now));
    ASSERT_NE(told.service, nullptr);
    EXPECT_FALSE(told.service->drains);
}

TEST_F(FolderLapse, HidesTheDrainOfAManifestThatIsItsOwners) {
    const std::string text = "kind: InferenceService\nmetadata: {name: chat, " +
                             annotations().substr(1) + "\nspec: {placement: {}}\n";
    write("inferenceservices/demo/chat.yaml", text);
    const auto lapse = lapse_of(folder->list(now));
    ASSERT_NE(lapse.service, nullptr);
    std::ignore = folder->apply({lapse}, now);
    EXPECT_EQ(read("inferenceservices/demo/chat.yaml"), text);
    EXPECT_THAT(read("overrides/demo/chat.yaml"), HasSubstr("ome.io/traffic-drain: null"));
    EXPECT_FALSE(lapse_of(folder->look(true, now)).service->drains);
}

TEST_F(FolderLapse, AChangeInBetweenIsNotOverwritten) {
    write("inferenceservices/demo/chat.yaml", manifest);
    write("overrides/demo/chat.yaml", "metadata: " + annotations() + "\n");
    const auto lapse = lapse_of(folder->list(now));
    const std::string edited =
        fmt::format("metadata: {{annotations: {{ome.io/traffic-drain: '{}'}}}}\n",
                    wire::drains_text({upgrade, other}));
    write("overrides/demo/chat.yaml", edited);
    std::ignore = folder->apply({lapse}, now);
    EXPECT_EQ(read("overrides/demo/chat.yaml"), edited);
    EXPECT_EQ(read("events.ndjson"), "<none>");
}

// Of a drain in the manifest, which an override is to hide.
class FolderLapseOverAnOverride : public FolderLapse {
protected:
    FolderLapseOverAnOverride() {
        write("inferenceservices/demo/chat.yaml",
              "kind: InferenceService\nmetadata: {name: chat, " + annotations().substr(1) +
                  "\nspec: {placement: {}}\n");
        lapse = lapse_of(folder->list(now));
        EXPECT_NE(lapse.service, nullptr);
    }

    std::string complaint() {
        std::string told;
        for (const controller::StoreNews& one : folder->apply({lapse}, now).news) {
            if (const auto* unusable = std::get_if<controller::news::Unusable>(&one)) {
                told += unusable->problem.message;
            }
        }
        return told;
    }

    controller::DrainLapse lapse;
};

TEST_F(FolderLapseOverAnOverride, OneThatCannotBeReadIsNotOverwritten) {
    const std::string path = root + "/overrides/demo/chat.yaml";
    const std::string large = "spec: {routing: {probe: {failureThreshold: 7}}}\n" +
                              std::string(net::most_file_bytes, '#');
    write("overrides/demo/chat.yaml", large);
    EXPECT_THAT(complaint(), HasSubstr("overrides/demo/chat.yaml: is larger than"));
    EXPECT_EQ(std::filesystem::file_size(path), large.size());
    EXPECT_EQ(read("events.ndjson"), "<none>");
}

TEST_F(FolderLapseOverAnOverride, ALinkToNowhereIsNotReplaced) {
    for (const char* name : {"chat.yaml", "chat.json"}) {
        const std::string path = root + "/overrides/demo/" + name;
        std::filesystem::create_symlink("unmounted/chat.yaml", path);
        EXPECT_THAT(complaint(), HasSubstr(std::string(name) + ": No such file")) << name;
        EXPECT_TRUE(std::filesystem::is_symlink(path));
        EXPECT_EQ(read("overrides/demo/chat.yaml"), "<none>");
        std::filesystem::remove(path);
    }
}

}  // namespace
}  // namespace ome::test
