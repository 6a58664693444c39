#include "cluster_folder.hpp"

#include "integration/scratch.hpp"
#include "kubectl/fake_cluster.hpp"
#include "members.hpp"
#include <ome/net/small_file.hpp>
#include <ome/wire/folder_identity.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace ome::kubectl::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* service =
    "kind: InferenceService\nmetadata: {name: chat, labels: {team: x}}\n"
    "spec: {placement: {policy: ClusterAffinity, mode: All}}\n";
constexpr const char* map =
    "kind: TrafficMap\nmetadata: {name: chat, generation: 4, resourceVersion: '9'}\n"
    "spec: {service: chat, mode: All}\n";

class FolderClusterTest : public testing::Test {
protected:
    FolderClusterTest() {
        for (const char* tree : {"inferenceservices", "trafficmaps", "overrides"}) {
            std::filesystem::create_directories(folder.path(std::string(tree) + "/demo"));
        }
        folder.write("inferenceservices/demo/chat.yaml", service);
        folder.write("trafficmaps/demo/chat.yaml", map);
        cluster = *FolderCluster::open(folder.path("."));
    }

    Answer<json::value> get(Kind kind) { return cluster->get(kind, {"demo", "chat"}, 1s); }

    int run(const std::string& command) {
        world.terminal.output.clear();
        world.terminal.errors.clear();
        return world.run("kubectl ome " + command + " --store dir:" + folder.path("."));
    }

    std::string override_text() {
        const auto file = net::read_small_file(folder.path("overrides/demo/chat.yaml"));
        return file ? file->bytes : "<none>";
    }

    ome::test::Scratch folder;
    std::unique_ptr<Cluster> cluster;
    World world;
};

TEST_F(FolderClusterTest, CompletesWhatTheManifestLeavesOut) {
    const json::value object = *get(Kind::InferenceService);
    EXPECT_EQ(text_at(object, {"metadata", "namespace"}), "demo");
    EXPECT_EQ(text_at(object, {"metadata", "uid"}), wire::derived_uid({"demo", "chat"}));
    EXPECT_NE(text_at(object, {"metadata", "resourceVersion"}), "");
    EXPECT_EQ(text_at(object, {"apiVersion"}), "ome.io/v1beta1");
    EXPECT_EQ(get(Kind::TrafficMap)->at("metadata").at("resourceVersion"), "9");
    EXPECT_EQ(cluster->get(Kind::TrafficMap, {"demo", "other"}, 1s).error().what,
              Failure::NotFound);
    EXPECT_FALSE(FolderCluster::open(folder.path("nowhere")));
}

TEST_F(FolderClusterTest, TheGenerationIsTheControllers) {
    EXPECT_EQ(get(Kind::InferenceService)->at("metadata").at("generation"), 0) << "never seen";
    folder.write("ome-trafficmap.generations", "demo chat 5 0000000000000001\n");
    EXPECT_EQ(get(Kind::InferenceService)->at("metadata").at("generation"), 6)
        << "another spec: the controller will count one up";
}

TEST_F(FolderClusterTest, WhatCannotBeReadIsToldAndHidesNothingElse) {
    folder.write("trafficmaps/demo/broken.yaml", "kind: [");
    EXPECT_EQ(run("get tm -n demo"), 0);
    EXPECT_THAT(world.terminal.output, HasSubstr("chat"));
    EXPECT_THAT(world.terminal.errors, HasSubstr("warning: "));
    EXPECT_THAT(world.terminal.errors, HasSubstr("broken.yaml"));
    EXPECT_EQ(run("get tm broken -n demo"), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("get trafficmaps demo/broken: Unreadable ("));
}

TEST_F(FolderClusterTest, AManifestWithoutAnyDocumentIsTold) {
    for (const char* text : {"", "# c\n", "---\n", "~\n"}) {
        folder.write("inferenceservices/demo/chat.yaml", text);
        const auto found = get(Kind::InferenceService);
        ASSERT_FALSE(found) << text;
        EXPECT_EQ(found.error().what, Failure::Unreadable) << text;
        EXPECT_THAT(found.error().detail, HasSubstr("the file is empty")) << text;
    }
    folder.write("inferenceservices/demo/chat.yaml", "kind: List\nitems: []\n");
    EXPECT_EQ(get(Kind::InferenceService).error().what, Failure::NotFound);
}

TEST_F(FolderClusterTest, SelectsByLabels) {
    const auto count = [&](const char* selector) {
        return cluster
            ->list({.kind = Kind::InferenceService, .ns = "demo", .selector = selector}, 1s)
            ->items.size();
    };
    EXPECT_EQ(count("team=x"), 1U);
    EXPECT_EQ(count("team in (y, x),team"), 1U);
    EXPECT_EQ(count("team!=x"), 0U);
    EXPECT_EQ(count("!team"), 0U);
    EXPECT_EQ(count("area notin (a)"), 1U);
    EXPECT_FALSE(cluster->list({.kind = Kind::TrafficMap, .selector = "a in b"}, 1s));
}

TEST_F(FolderClusterTest, ADrainBecomesAnOverrideAndTheManifestStays) {
    EXPECT_EQ(run("traffic drain chat -n demo --workload-cluster worker-a --id d --reason r --yes"),
              0)
        << world.terminal.errors;
    EXPECT_EQ(override_text(),
              "metadata:\n"
              "  annotations:\n"
              R"(    ome.io/traffic-drain: "{\"d\":{\"cluster\":\"worker-a\",\"reason\":\"r\"}}")"
              "\n");
    EXPECT_EQ(net::read_small_file(folder.path("inferenceservices/demo/chat.yaml"))->bytes,
              service);
    EXPECT_EQ(run("traffic drain chat -n demo --workload-cluster worker-a --id d --reason r --yes"),
              1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("override ID already exists"));
    EXPECT_EQ(run("traffic undrain chat -n demo --id d --yes"), 0) << world.terminal.errors;
    EXPECT_EQ(override_text(), "<none>");
}

TEST_F(FolderClusterTest, AServiceThatIsNotThereIsNamed) {
    EXPECT_EQ(run("traffic drain chta -n demo --workload-cluster a --id d --reason r --yes"), 1);
    EXPECT_EQ(
        world.terminal.errors,
        "error: required Kubernetes API request failed; check access and connectivity: NotFound\n"
        "hint: dir:" +
            folder.path(".") +
            " has no InferenceService demo/chta; --namespace says where it is looked for\n");
    EXPECT_EQ(run("traffic watch chta -n demo --timeout 1s"), 1);
    EXPECT_EQ(world.terminal.errors,
              "error: watch trafficmaps: there is no InferenceService demo/chta\n");
}

TEST_F(FolderClusterTest, ADrainOfTheManifestIsTakenOffByAnOverride) {
    folder.write("inferenceservices/demo/chat.yaml",
                 "kind: InferenceService\nmetadata:\n  name: chat\n  annotations:\n"
                 "    ome.io/traffic-drain: '{\"d\":{\"cluster\":\"a\",\"reason\":\"r\"}}'\n"
                 "spec: {placement: {policy: ClusterAffinity, mode: All}}\n");
    folder.write("overrides/demo/chat.yaml", "spec: {routing: {enabled: true}}\n");
    EXPECT_EQ(run("traffic undrain chat -n demo --id d --yes"), 0) << world.terminal.errors;
    EXPECT_THAT(override_text(), HasSubstr("ome.io/traffic-drain: null"));
    EXPECT_THAT(override_text(), HasSubstr("enabled: true")) << "what else it held stays";
    EXPECT_EQ(
        text_at(*get(Kind::InferenceService), {"metadata", "annotations", "ome.io/traffic-drain"}),
        "");
}

TEST_F(FolderClusterTest, AnOverrideThatCannotBeReadIsNotOverwritten) {
    const std::string drain =
        "traffic drain chat -n demo --workload-cluster worker-a --id d "
        "--reason r --yes";
    const std::string path = folder.path("overrides/demo/chat.yaml");
    const std::string large(net::most_file_bytes + 1, '#');
    folder.write("overrides/demo/chat.yaml", large);
    EXPECT_EQ(run(drain), 1);
    EXPECT_EQ(std::filesystem::file_size(path), large.size());
    std::filesystem::remove(path);
    for (const char* name : {"overrides/demo/chat.yaml", "overrides/demo/chat.json"}) {
        std::filesystem::create_symlink("unmounted/chat.yaml", folder.path(name));
        EXPECT_EQ(run(drain), 1) << name;
        EXPECT_TRUE(std::filesystem::is_symlink(folder.path(name)));
        EXPECT_EQ(override_text(), "<none>");
        std::filesystem::remove(folder.path(name));
    }
}

TEST_F(FolderClusterTest, RoutesThatCannotBeReadAreNotMissing) {
    const auto failure = [&] {
        return cluster->route({"demo", "chat"}, {"demo", "chat"}, 1s).error().what;
    };
    EXPECT_EQ(failure(), Failure::NotFound);
    std::filesystem::create_directories(folder.path("routes/demo"));
    folder.write("routes/demo/chat.yaml", std::string(net::most_file_bytes + 1, '#'));
    EXPECT_EQ(failure(), Failure::Unreadable);
}

TEST_F(FolderClusterTest, AnEditInBetweenIsAConflict) {
    const json::value before = *get(Kind::InferenceService);
    folder.write("overrides/demo/chat.yaml", "spec: {routing: {enabled: true}}\n");
    const json::array patch{json::object{{"op", "test"},
                                         {"path", "/metadata/resourceVersion"},
                                         {"value", before.at("metadata").at("resourceVersion")}}};
    EXPECT_EQ(cluster->patch({.key = {"demo", "chat"}, .operations = patch}, 1s).error().what,
              Failure::Conflict);
    const json::array other{json::object{{"op", "add"}, {"path", "/spec/replicas"}, {"value", 3}}};
    EXPECT_EQ(cluster->patch({.key = {"demo", "chat"}, .operations = other}, 1s).error().what,
              Failure::Unsupported);
}

TEST_F(FolderClusterTest, AWatchTellsWhatIsThereAndThenWhatChanges) {
    const auto services = *cluster->watch(Kind::InferenceService, "demo");
    EXPECT_EQ(services->next(0s)->size(), 1U);
    const auto watch = *cluster->watch(Kind::TrafficMap, "demo");
    EXPECT_EQ(watch->next(0s)->size(), 1U);
    EXPECT_TRUE(watch->next(0s)->empty());
    folder.write("trafficmaps/demo/chat.yaml", std::string(map) + "status: {published: true}\n");
    auto changes = *watch->next(10s);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_TRUE(flag_at(changes[0].object, {"status", "published"}));
    std::filesystem::remove(folder.path("trafficmaps/demo/chat.yaml"));
    changes = *watch->next(10s);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_TRUE(changes[0].object.is_null());
    EXPECT_TRUE(services->next(0s)->empty());
}

TEST_F(FolderClusterTest, AWatchTellsAServiceThatCannotBeReadAndNoMapThatCannotBe) {
    const auto services = *cluster->watch(Kind::InferenceService, "demo");
    const auto maps = *cluster->watch(Kind::TrafficMap, "demo");
    ASSERT_EQ(services->next(0s)->size(), 1U);
    ASSERT_EQ(maps->next(0s)->size(), 1U);
    folder.write("inferenceservices/demo/chat.yaml", "kind: [");
    folder.write("trafficmaps/demo/chat.yaml", "kind: [");
    const auto changes = *services->next(10s);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_TRUE(changes[0].object.is_null());
    EXPECT_TRUE(maps->next(0s)->empty());
    folder.write("inferenceservices/demo/chat.yaml", service);
    EXPECT_FALSE(services->next(10s)->at(0).object.is_null());
}

// As `traffic why` says it.
TEST_F(FolderClusterTest, TheLastGoodStateOfAServiceIsAFrozenMapOnTop) {
    const auto state = [this](const std::string& manifest) {
        folder.write("inferenceservices/demo/chat.yaml", manifest);
        EXPECT_EQ(run("traffic top -n demo --once -o json"), 0);
        const json::value item = json::parse(world.terminal.output).at("items").at(0);
        return text_at(item, {"state"}) + ": " + text_at(item, {"why"});
    };
    const std::string file = folder.path("./inferenceservices/demo/chat.yaml");
    const std::string held = "Frozen: the last good state is in force, because ";
    EXPECT_THAT(state("kind: InferenceService\nmetadata: [\n"),
                testing::StartsWith(held + file + ": line 3"));
    EXPECT_THAT(state(""), testing::StartsWith(held + file + ": the file is empty"));
    EXPECT_THAT(state("kind: InferenceService\nmetadata: {name: chat}\nspec: {placement: 7}\n"),
                testing::StartsWith(held + "the InferenceService cannot be understood: "
                                           "spec.placement"));
    std::filesystem::remove(file);
    EXPECT_EQ(run("traffic top -n demo --once -o json"), 0);
    EXPECT_THAT(world.terminal.output, testing::Not(HasSubstr("Frozen")))
        << "a service that is not there freezes nothing";
}

}  // namespace
}  // namespace ome::kubectl::test
