// The folder as a store, on a folder of the test's own; every look is asked for, so nothing waits.
#include "dir_folder.hpp"

#include "integration/scratch.hpp"
#include <ome/core/policy_rules.hpp>
#include <ome/net/safe_write.hpp>
#include <ome/net/small_file.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ome::controller {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr core::WallTime now{1'790'000'000, 0};

std::string manifest(const std::string& name, const std::string& drain = {}) {
    return "apiVersion: ome.io/v1beta1\n"
           "kind: InferenceService\n"
           "metadata:\n"
           "  name: " +
           name + "\n" +
           (drain.empty() ? "" : "  annotations:\n    ome.io/traffic-drain: '" + drain + "'\n") +
           "spec:\n"
           "  placement: {policy: ClusterAffinity, mode: Split}\n"
           "status:\n"
           "  placement:\n"
           "    phase: Placed\n"
           "    candidates:\n"
           "      - {cluster: worker-a, phase: Admitted, endpoint: 'http://a.test', "
           "admittedReplicas: 2, readyReplicas: 2}\n";
}

class DirFolderTest : public testing::Test {
protected:
    DirFolderTest() {
        root = scratch.path("store");
        fs::create_directories(root);
    }

    DirFolder& folder() {
        if (folder_ == nullptr) {
            folder_ = DirFolder::open(root).value();
            EXPECT_TRUE(folder_->try_lead());
        }
        return *folder_;
    }

    void write(const std::string& path, const std::string& text) const {
        fs::create_directories(fs::path(root + "/" + path).parent_path());
        std::ofstream(root + "/" + path) << text;
    }

    [[nodiscard]] std::string read(const std::string& path) const {
        const auto file = net::read_small_file(root + "/" + path);
        return file ? file->bytes : "";
    }

    std::vector<StoreNews> list() { return told = folder().list(now); }
    /// Until the watch has told something; inotify needs no time, so one look is enough.
    std::vector<StoreNews> look(bool all = false) { return told = folder().look(all, now); }

    /// Names of what was told, for comparing: `service demo/chat`, `gone demo/chat`, ...
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const StoreNews& one : told) {
            if (const auto* service = std::get_if<news::ServiceIs>(&one)) {
                all.push_back("service " + service->service->key.name);
            } else if (const auto* gone = std::get_if<news::ServiceGone>(&one)) {
                all.push_back("gone " + gone->key.name);
            } else if (const auto* map = std::get_if<news::MapIs>(&one)) {
                all.push_back("map " + map->map->meta.key.name);
            } else if (const auto* lost = std::get_if<news::MapGone>(&one)) {
                all.push_back("map gone " + lost->key.name);
            } else if (const auto* unusable = std::get_if<news::Unusable>(&one)) {
                all.push_back("unusable " + unusable->place);
            } else if (std::holds_alternative<news::UsableAgain>(one)) {
                all.push_back("usable");
            } else if (std::holds_alternative<news::MapUnreadable>(one)) {
                all.push_back("map unreadable");
            } else if (std::holds_alternative<news::Doubtful>(one)) {
                all.push_back("doubtful");
            } else {
                all.push_back("listed");
            }
        }
        return all;
    }

    [[nodiscard]] std::string problem() const {
        for (const StoreNews& one : told) {
            if (const auto* unusable = std::get_if<news::Unusable>(&one)) {
                return unusable->problem.message;
            }
        }
        return {};
    }

    [[nodiscard]] std::shared_ptr<const routing::InferenceService> service() const {
        std::shared_ptr<const routing::InferenceService> last;
        for (const StoreNews& one : told) {
            if (const auto* is = std::get_if<news::ServiceIs>(&one)) {
                last = is->service;
            }
        }
        return last;
    }

    static MapWrite map_write(const std::shared_ptr<const routing::InferenceService>& service,
                              const std::shared_ptr<const routing::TrafficMap>& before = nullptr,
                              std::int32_t weight = 1) {
        MapWrite write;
        write.key = service->key;
        if (before != nullptr) {
            write.precondition = {before->meta.uid, before->meta.resource_version};
        }
        write.service = service;
        write.routed = std::make_shared<const routing::RoutedService>();
        write.spec.service = service->key.name;
        write.spec.mode = "Split";
        write.spec.observed_isvc_generation = service->generation;
        write.spec.entries.push_back(
            {.cluster = "worker-a", .endpoint = "http://a.test", .weight = weight});
        write.verdict = {true, "Routable"};
        write.now = now;
        return write;
    }

    StoreResult apply(StoreRequest request) {
        DirFolder::Applied applied = folder().apply({std::move(request)}, now);
        told = applied.news;
        EXPECT_EQ(applied.results.size(), 1U);
        return applied.results.empty() ? StoreResult{} : applied.results.front();
    }

    test::Scratch scratch;
    std::string root;
    std::vector<StoreNews> told;

private:
    std::unique_ptr<DirFolder> folder_;
};

TEST_F(DirFolderTest, AFolderThatIsNotThereIsAProblem) {
    const auto opened = DirFolder::open(root + "/nowhere");
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, HasSubstr("nowhere: must be a folder"));
}

TEST_F(DirFolderTest, ListsWhatIsThere) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    write("inferenceservices/demo/notes.txt", "not ours");
    write("inferenceservices/demo/.hidden.yaml", "{");
    list();
    EXPECT_THAT(names(), ElementsAre("service chat", "listed"));
    EXPECT_EQ(service()->key.ns, "demo") << "the folder's name";
    EXPECT_EQ(service()->generation, 1);
    EXPECT_EQ(service()->uid.size(), 36U);
}

TEST_F(DirFolderTest, UidAndGenerationStayThroughRestartsAndRiseWithTheSpec) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    const std::string uid = service()->uid;
    write("inferenceservices/demo/chat.yaml", manifest("chat", R"({"m":{}})"));
    look();
    EXPECT_EQ(service()->generation, 1) << "an annotation is no spec";
    std::string other = manifest("chat");
    other.replace(other.find("Split"), 5, "All");
    write("inferenceservices/demo/chat.yaml", other);
    look();
    EXPECT_EQ(service()->generation, 2);
    auto again = DirFolder::open(root).value();
    told = again->list(now);
    EXPECT_EQ(service()->generation, 2);
    EXPECT_EQ(service()->uid, uid);
}

TEST_F(DirFolderTest, WhatAManifestSaysOfItselfCounts) {
    std::string text = manifest("chat");
    text.replace(text.find("  name:"), 0, "  uid: given\n  generation: 7\n");
    write("inferenceservices/demo/chat.yaml", text);
    list();
    EXPECT_EQ(service()->uid, "given");
    EXPECT_EQ(service()->generation, 7);
}

TEST_F(DirFolderTest, AChangedFileIsToldByTheWatch) {
    list();
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    look();
    EXPECT_THAT(names(), ElementsAre("service chat"));
    look();
    EXPECT_TRUE(told.empty());
    write("inferenceservices/demo/chat.yaml", manifest("chat", "{}"));
    look();
    EXPECT_EQ(service()->drains, "{}");
    fs::remove(root + "/inferenceservices/demo/chat.yaml");
    look();
    EXPECT_THAT(names(), ElementsAre("gone chat"));
}

TEST_F(DirFolderTest, SeveralDocumentsInOneFile) {
    list();
    write("inferenceservices/demo/all.yaml", manifest("one") + "---\n" + manifest("two"));
    look();
    EXPECT_THAT(names(), ElementsAre("service one", "service two"));
    write("inferenceservices/demo/all.yaml", manifest("two"));
    look();
    EXPECT_THAT(names(), ElementsAre("service two", "gone one"));
}

TEST_F(DirFolderTest, ABrokenFileLeavesWhatWasThereAndSaysWhere) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    write("inferenceservices/demo/chat.yaml", manifest("chat") + "  x: [\n");
    look();
    EXPECT_THAT(names(), ElementsAre(HasSubstr("unusable inferenceservices/demo/chat.yaml:")));
    EXPECT_THAT(problem(), HasSubstr("column"));
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    look();
    EXPECT_THAT(names(), ElementsAre("service chat", "usable"));
}

TEST_F(DirFolderTest, AMemberOfAnotherTypeIsToldWithFileLineFieldAndRule) {
    list();
    std::string text = manifest("chat");
    text.replace(text.find("phase: Placed"), 13, "phase: 7");
    write("inferenceservices/demo/chat.yaml", text);
    look();
    const auto line =
        std::count(
            text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("phase: 7")), '\n') +
        1;
    EXPECT_THAT(names(),
                ElementsAre("unusable inferenceservices/demo/chat.yaml:" + std::to_string(line)));
    EXPECT_EQ(problem(), "status.placement.phase: 7 must be a text");
    write("inferenceservices/demo/chat.yaml", "kind: {\n");
    look();
    EXPECT_THAT(names(), ElementsAre("unusable inferenceservices/demo/chat.yaml:2"));
    EXPECT_EQ(problem(),
              "column 1: a value is missing here, or nothing opened this brace or bracket");
}

TEST_F(DirFolderTest, AnEmptiedFileIsNoWishToRemoveItsServices) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    write("inferenceservices/demo/chat.yaml", "");
    look();
    EXPECT_THAT(problem(), HasSubstr("the file is empty"));
    EXPECT_THAT(names(), testing::Not(testing::Contains("gone chat")));
}

TEST_F(DirFolderTest, AFileThatWasEmptiedWhileNobodyLookedKeepsTheMapOfItsName) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    std::ignore = apply(map_write(service()));
    write("inferenceservices/demo/chat.yaml", "# c\n");
    auto again = DirFolder::open(root).value();
    told = again->list(now);
    EXPECT_THAT(problem(), HasSubstr("the file is empty"));
    EXPECT_TRUE(fs::exists(root + "/trafficmaps/demo/chat.yaml"));
}

TEST_F(DirFolderTest, AKindWithASlipDoesNotRemoveItsService) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    std::string text = manifest("chat");
    text.replace(text.find("InferenceService"), 16, "InferenceServise");
    write("inferenceservices/demo/chat.yaml", text);
    look();
    EXPECT_THAT(problem(), HasSubstr("kind \"InferenceServise\" must be InferenceService"));
    EXPECT_THAT(names(), testing::Not(testing::Contains("gone chat")));
}

TEST_F(DirFolderTest, AnotherNameInAFileThatCannotBeUsedDoesNotRemoveItsService) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    std::ignore = apply(map_write(service()));
    std::string moved = manifest("chat");
    moved.replace(moved.find("  name:"), 0, "  namespace: prod\n");
    std::string renamed = manifest("char");
    renamed.replace(renamed.find("admittedReplicas: 2"), 19, "admittedReplicas: x");
    for (const std::string& slip : {moved, renamed}) {
        write("inferenceservices/demo/chat.yaml", slip);
        look();
        EXPECT_NE(problem(), "");
        EXPECT_THAT(names(), testing::Not(testing::Contains("gone chat")));
        auto again = DirFolder::open(root).value();
        told = again->list(now);
        EXPECT_TRUE(fs::exists(root + "/trafficmaps/demo/chat.yaml"));
    }
    write("inferenceservices/demo/chat.yaml", manifest("char"));
    look();
    EXPECT_THAT(names(), testing::Contains("gone chat"));
}

TEST_F(DirFolderTest, AnOversizedOrUnreadableFileLeavesWhatWasThere) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    write("inferenceservices/demo/chat.yaml", std::string(5'000'000, '#'));
    look();
    EXPECT_THAT(problem(), HasSubstr("larger than"));
    fs::remove(root + "/inferenceservices/demo/chat.yaml");
    ASSERT_EQ(::mkfifo((root + "/inferenceservices/demo/chat.yaml").c_str(), 0600), 0);
    look(true);
    EXPECT_THAT(problem(), HasSubstr("not a regular file"));
    EXPECT_THAT(names(), testing::Not(testing::Contains("gone chat")));
}

TEST_F(DirFolderTest, AFileThatCouldNotBeReadForAWhileIsReadLater) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    write("inferenceservices/demo/chat.yaml", manifest("chat", R"({"d":{"cluster":"worker-a"}})"));
    rlimit usual{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
    const rlimit none{3, usual.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    look();
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    EXPECT_THAT(problem(), HasSubstr("Too many open files"));
    look(true);
    EXPECT_THAT(names(), testing::Contains("service chat"));
    look(true);
    EXPECT_THAT(names(), testing::IsEmpty());
}

TEST_F(DirFolderTest, ARenamedFileKeepsItsService) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    fs::rename(root + "/inferenceservices/demo/chat.yaml",
               root + "/inferenceservices/demo/renamed.yaml");
    look();
    EXPECT_THAT(names(), ElementsAre("gone chat", "service chat"));
}

TEST_F(DirFolderTest, AFolderThatWentAwayTakesNoServiceAlong) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    std::ignore = apply(map_write(service()));
    fs::rename(root + "/inferenceservices", root + "/aside");
    look();
    EXPECT_THAT(names(), testing::Not(testing::Contains("gone chat")));
    EXPECT_THAT(problem(), HasSubstr("/inferenceservices: "));
    EXPECT_TRUE(fs::exists(root + "/trafficmaps/demo/chat.yaml"));
    fs::rename(root + "/aside", root + "/inferenceservices");
    look(true);
    EXPECT_THAT(names(), testing::Not(testing::Contains("gone chat")));
    fs::remove(root + "/inferenceservices/demo/chat.yaml");
    look();
    EXPECT_THAT(names(), testing::Contains("gone chat")) << "the watch is back, too";
}

TEST_F(DirFolderTest, AMapIsEitherTheOldOrTheNewOne) {
    std::vector<net::FileWrite> files{{root + "/demo/a.yaml", "new"}, {root + "/b.yaml/x", "new"}};
    write("b.yaml", "a file where a folder would have to be");
    write("demo/a.yaml", "old");
    net::write_safely(files);
    EXPECT_FALSE(files[0].problem);
    EXPECT_EQ(read("demo/a.yaml"), "new");
    EXPECT_EQ(files[0].signature, net::file_signature(root + "/demo/a.yaml"));
    ASSERT_TRUE(files[1].problem) << "and the one beside it is written all the same";
    EXPECT_THAT(files[1].problem->message, HasSubstr("b.yaml/x: cannot write: "));
}

TEST_F(DirFolderTest, ASymbolicLinkIsFollowed) {
    const std::string outside = scratch.write("outside.yaml", manifest("chat"));
    list();
    fs::create_directories(root + "/inferenceservices/demo");
    fs::create_symlink(outside, root + "/inferenceservices/demo/chat.yaml");
    look();
    EXPECT_THAT(names(), ElementsAre("service chat"));
    scratch.write("outside.yaml", manifest("chat", "{}"));
    look(true);
    ASSERT_NE(service(), nullptr) << "found when everything is looked at again";
    EXPECT_EQ(service()->drains, "{}");
}

TEST_F(DirFolderTest, TheSecondFileOfOneNameIsTold) {
    write("inferenceservices/demo/a.yaml", manifest("chat"));
    write("inferenceservices/demo/b.yaml", manifest("chat", "{}"));
    list();
    EXPECT_THAT(problem(), HasSubstr("is in inferenceservices/demo/a.yaml already"));
    EXPECT_FALSE(service()->drains);
    fs::remove(root + "/inferenceservices/demo/a.yaml");
    look();
    EXPECT_EQ(service()->drains, "{}") << "the other one takes its place";
}

TEST_F(DirFolderTest, AFileThatComesLaterAndSortsFirstCounts) {
    write("inferenceservices/demo/b.yaml", manifest("chat", "{}"));
    list();
    write("inferenceservices/demo/a.yaml", manifest("chat"));
    look();
    EXPECT_FALSE(service()->drains);
    EXPECT_THAT(names(), ElementsAre("service chat", "unusable inferenceservices/demo/b.yaml:1"));
    const std::int64_t generation = service()->generation;
    auto again = DirFolder::open(root).value();
    told = again->list(now);
    EXPECT_FALSE(service()->drains) << "the same after a restart";
    EXPECT_EQ(service()->generation, generation);
}

TEST_F(DirFolderTest, WhatStandsWhereNobodyLooksIsToldUntilItIsGone) {
    write("inferenceservices/chat.yaml", manifest("chat"));
    write("inferenceservices/demo/more/chat.yaml", manifest("chat"));
    write("overrides/demo/Chat.yaml", "spec: {routing: {}}\n");
    list();
    EXPECT_THAT(names(),
                testing::IsSupersetOf({"unusable inferenceservices/chat.yaml",
                                       "unusable inferenceservices/demo/more",
                                       "unusable overrides/demo/Chat.yaml"}));
    look(true);
    EXPECT_TRUE(told.empty()) << "told once";
    write("overrides/chat.yaml", "spec: {routing: {}}\n");
    look();
    EXPECT_THAT(names(), ElementsAre("unusable overrides/chat.yaml"));
    EXPECT_EQ(problem(), "is not read: what is in overrides is called NAMESPACE/NAME.yaml");
    fs::remove(root + "/overrides/chat.yaml");
    fs::remove(root + "/inferenceservices/chat.yaml");
    look();
    EXPECT_THAT(names(), ElementsAre("usable", "usable"));
}

TEST_F(DirFolderTest, AFolderThatCanBeReadAgainIsTold) {
    list();
    fs::rename(root + "/inferenceservices", root + "/aside");
    look(true);
    EXPECT_THAT(names(), ElementsAre("unusable inferenceservices"));
    look(true);
    EXPECT_TRUE(told.empty()) << "told once";
    fs::rename(root + "/aside", root + "/inferenceservices");
    look(true);
    EXPECT_THAT(names(), ElementsAre("usable"));
}

TEST_F(DirFolderTest, AnotherNamespaceThanTheFoldersIsRefused) {
    list();
    std::string text = manifest("chat");
    text.replace(text.find("  name:"), 0, "  namespace: prod\n");
    write("inferenceservices/demo/chat.yaml", text);
    look();
    EXPECT_EQ(problem(), "metadata.namespace \"prod\" must be \"demo\", the folder's name");
}

TEST_F(DirFolderTest, AnOverrideIsMergedAndTheManifestStaysAsItIs) {
    const std::string text = manifest("chat");
    write("inferenceservices/demo/chat.yaml", text);
    list();
    write("overrides/demo/chat.yaml",
          "metadata: {annotations: {ome.io/traffic-drain: '{\"m\":{}}'}}\n"
          "spec: {routing: {enabled: false}}\n");
    look();
    ASSERT_NE(service(), nullptr);
    EXPECT_EQ(service()->drains, "{\"m\":{}}");
    EXPECT_EQ(service()->routing->enabled, false);
    EXPECT_EQ(service()->generation, 2);
    EXPECT_EQ(read("inferenceservices/demo/chat.yaml"), text);
    fs::remove(root + "/overrides/demo/chat.yaml");
    look();
    EXPECT_FALSE(service()->drains);
}

TEST_F(DirFolderTest, ABrokenOverrideUndrainsNothing) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    write("overrides/demo/chat.yaml", "metadata: {annotations: {ome.io/traffic-drain: '{}'}}\n");
    list();
    EXPECT_EQ(service()->drains, "{}");
    write("overrides/demo/chat.yaml", "metadata: [");
    look();
    EXPECT_EQ(service(), nullptr);
    EXPECT_THAT(names(), testing::Contains(HasSubstr("unusable overrides/demo/chat")));
    write("overrides/demo/chat.yaml", "spec: {placement: {mode: All}}\n");
    look();
    EXPECT_THAT(problem(), HasSubstr("spec.placement cannot be overridden"));
}

TEST_F(DirFolderTest, WritesAMapAsAnApiServerWouldStoreIt) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    const auto chat = service();
    const StoreResult created = apply(map_write(chat));
    ASSERT_EQ(created.outcome, StoreResult::Outcome::Done);
    EXPECT_EQ(created.map->meta.generation, 1);
    EXPECT_EQ(created.map->meta.creation_timestamp, now);
    const std::string text = read("trafficmaps/demo/chat.yaml");
    const auto documents = wire::read_traffic_maps(text);
    ASSERT_TRUE(documents);
    EXPECT_EQ(*documents->front().map, *created.map);
    look();
    EXPECT_TRUE(told.empty()) << "our own write is no news";
    const StoreResult second = apply(map_write(chat, created.map, 5));
    EXPECT_EQ(second.map->meta.generation, 2);
    EXPECT_NE(second.map->meta.resource_version, created.map->meta.resource_version);
    EXPECT_EQ(second.map->status.conditions.front().observed_generation, 2);
    EXPECT_EQ(apply(map_write(chat, created.map)).outcome, StoreResult::Outcome::Conflict);
}

TEST_F(DirFolderTest, AHandEditIsToldAndCountsAsAWrite) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    const StoreResult created = apply(map_write(service()));
    std::string text = read("trafficmaps/demo/chat.yaml");
    text.replace(text.find("weight: 1"), 9, "weight: 9");
    write("trafficmaps/demo/chat.yaml", text);
    look();
    ASSERT_THAT(names(), ElementsAre("map chat"));
    const auto& edited = *std::get<news::MapIs>(told.front()).map;
    EXPECT_EQ(edited.spec.entries.front().weight, 9);
    EXPECT_EQ(edited.meta.generation, created.map->meta.generation + 1);
    EXPECT_NE(edited.meta.resource_version, created.map->meta.resource_version);
}

TEST_F(DirFolderTest, WhatAnotherVersionPutIntoAMapSurvivesOurWrites) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    const auto chat = service();
    const StoreResult created = apply(map_write(chat));
    std::string text = read("trafficmaps/demo/chat.yaml");
    text.replace(text.find("spec:\n"), 6, "later: {a: [1, two]}\nspec:\n  laterSpec: 'yes'\n");
    text.replace(text.find("status:\n"), 8, "status:\n  laterStatus:\n    b: null\n    c: 3\n");
    write("trafficmaps/demo/chat.yaml", text);
    look();
    EXPECT_EQ(told.size(), 0U) << "nothing that we know has changed";
    const StoreResult second = apply(map_write(chat, created.map, 5));
    ASSERT_EQ(second.outcome, StoreResult::Outcome::Done) << second.problem.message;
    const std::string written = read("trafficmaps/demo/chat.yaml");
    EXPECT_THAT(written, HasSubstr("later:\n  a:\n  - 1\n  - two\n"));
    EXPECT_THAT(written, HasSubstr("\n  laterSpec: \"yes\"\n"));
    EXPECT_THAT(written, HasSubstr("\n  laterStatus:\n    b: null\n    c: 3\n"));
    EXPECT_EQ(*wire::read_traffic_maps(written)->front().map, *second.map);
}

TEST_F(DirFolderTest, AnEditThatNobodyToldIsAConflict) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    const auto chat = service();
    const StoreResult created = apply(map_write(chat));
    std::string text = read("trafficmaps/demo/chat.yaml");
    text.replace(text.find("weight: 1"), 9, "weight: 99");
    write("trafficmaps/demo/chat.yaml", text);
    const StoreResult second = apply(map_write(chat, created.map, 5));
    EXPECT_EQ(second.outcome, StoreResult::Outcome::Conflict);
    EXPECT_EQ(second.map->spec.entries.front().weight, 99);
}

TEST_F(DirFolderTest, AMapThatWasSpoiltByHandIsRestored) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    const StoreResult created = apply(map_write(service()));
    write("trafficmaps/demo/chat.yaml", "spec: [");
    look();
    EXPECT_THAT(names(), ElementsAre("unusable trafficmaps/demo/chat.yaml", "usable"));
    EXPECT_EQ(*wire::read_traffic_maps(read("trafficmaps/demo/chat.yaml"))->front().map,
              *created.map);
}

TEST_F(DirFolderTest, AMapThatCannotBeReadAtTheStartIsLeftAlone) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    write("trafficmaps/demo/chat.yaml", "spec: [");
    list();
    EXPECT_THAT(names(), testing::Contains("map unreadable"));
    EXPECT_EQ(apply(map_write(service())).outcome, StoreResult::Outcome::Conflict);
    EXPECT_EQ(read("trafficmaps/demo/chat.yaml"), "spec: [");
}

TEST_F(DirFolderTest, AMapWithoutItsServiceIsCollected) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    std::ignore = apply(map_write(service()));
    fs::remove(root + "/inferenceservices/demo/chat.yaml");
    look();
    EXPECT_THAT(names(), testing::Contains("map gone chat"));
    EXPECT_FALSE(fs::exists(root + "/trafficmaps/demo/chat.yaml"));
}

TEST_F(DirFolderTest, WhileAFileCannotBeUsedNoMapOfItsNamespaceIsCollected) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    std::ignore = apply(map_write(service()));
    write("inferenceservices/demo/chat.yaml", "kind: [");
    auto again = DirFolder::open(root).value();
    told = again->list(now);
    EXPECT_TRUE(fs::exists(root + "/trafficmaps/demo/chat.yaml"));
    EXPECT_THAT(names(), testing::Not(testing::Contains("gone chat")));
    fs::remove(root + "/inferenceservices/demo/chat.yaml");
    told = again->look(true, now);
    EXPECT_FALSE(fs::exists(root + "/trafficmaps/demo/chat.yaml"));
}

TEST_F(DirFolderTest, AFinalizerHoldsAMap) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    const StoreResult created = apply(map_write(service()));
    std::string text = read("trafficmaps/demo/chat.yaml");
    text.replace(
        text.find("metadata:\n"), 10, "metadata:\n  finalizers: [ome.io/trafficmap-publisher]\n");
    write("trafficmaps/demo/chat.yaml", text);
    look();
    const auto held = std::get<news::MapIs>(told.front()).map;
    const StoreResult removed =
        apply(MapDelete{held->meta.key, {held->meta.uid, held->meta.resource_version}});
    ASSERT_NE(removed.map, nullptr);
    EXPECT_EQ(removed.map->meta.deletion_timestamp, now);
    EXPECT_TRUE(fs::exists(root + "/trafficmaps/demo/chat.yaml"));
    text = read("trafficmaps/demo/chat.yaml");
    text.erase(text.find("  finalizers:"), text.find("  generation:") - text.find("  finalizers:"));
    write("trafficmaps/demo/chat.yaml", text);
    look();
    EXPECT_THAT(names(), ElementsAre("map gone chat"));
    EXPECT_FALSE(fs::exists(root + "/trafficmaps/demo/chat.yaml"));
}

TEST_F(DirFolderTest, TheSecondWaitsForTheLock) {
    folder();
    auto second = DirFolder::open(root).value();
    EXPECT_FALSE(second->try_lead());
}

TEST_F(DirFolderTest, TheSecondWaitsAlsoWhenTheLockFileIsTakenAway) {
    auto first = DirFolder::open(root).value();
    EXPECT_TRUE(first->try_lead());
    fs::remove(root + "/ome-trafficmap.lock");
    auto second = DirFolder::open(root).value();
    EXPECT_FALSE(second->try_lead());
    first.reset();
    EXPECT_TRUE(second->try_lead());
}

TEST_F(DirFolderTest, EventsAreLinesOfJson) {
    const DirFolder::Applied applied =
        folder().apply({EventRecord{.key = {"demo", "chat"},
                                    .service_uid = "uid",
                                    .reason = "RoutingFrozen",
                                    .message = "validate routing policy: x",
                                    .at = now}},
                       now);
    EXPECT_TRUE(applied.results.empty());
    EXPECT_THAT(read("events.ndjson"), HasSubstr(R"("reason":"RoutingFrozen")"));
    EXPECT_THAT(read("events.ndjson"), testing::EndsWith("}\n"));
}

TEST_F(DirFolderTest, EventsThatCannotBeWrittenAreToldOnceAndWhenTheyCanAgain) {
    list();
    fs::create_directories(root + "/events.ndjson");
    EventRecord event;
    event.key = {"demo", "chat"};
    event.reason = "RoutingFrozen";
    told = folder().apply({event, event, event}, now).news;
    EXPECT_THAT(names(), ElementsAre("unusable events.ndjson"));
    EXPECT_THAT(problem(), HasSubstr("cannot write"));
    told = folder().apply({event}, now).news;
    EXPECT_THAT(names(), ElementsAre());
    fs::remove(root + "/events.ndjson");
    told = folder().apply({event, event}, now).news;
    EXPECT_THAT(names(), ElementsAre("usable"));
}

TEST_F(DirFolderTest, AFolderThatIsMovedAwayIsToldAndNothingIsWrittenInItsPlace) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    const MapWrite wanted = map_write(service());
    const std::string elsewhere = scratch.path("elsewhere");
    fs::rename(root, elsewhere);
    look(true);
    EXPECT_THAT(names(), ElementsAre("unusable " + root));
    EXPECT_THAT(problem(), HasSubstr("it was moved or removed"));
    look(true);
    EXPECT_THAT(names(), ElementsAre()) << "told again";

    const DirFolder::Applied applied = folder().apply({wanted}, now);
    ASSERT_EQ(applied.results.size(), 1U);
    EXPECT_EQ(applied.results.front().outcome, StoreResult::Outcome::Failed);
    EXPECT_FALSE(fs::exists(root));

    fs::rename(elsewhere, root);
    write("inferenceservices/demo/search.yaml", manifest("search"));
    look();
    EXPECT_THAT(names(), testing::UnorderedElementsAre("usable", "service search"));
    EXPECT_EQ(folder().apply({wanted}, now).results.front().outcome, StoreResult::Outcome::Done);
}

TEST_F(DirFolderTest, AnotherFolderInItsPlaceIsLeftAlone) {
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    const MapWrite wanted = map_write(service());
    fs::rename(root, scratch.path("elsewhere"));
    fs::create_directories(root);
    auto second = DirFolder::open(root).value();
    EXPECT_TRUE(second->try_lead());
    EXPECT_FALSE(folder().try_lead()) << "two lead";
    const AddressQuery query{{"demo", "chat"}, {}};
    const DirFolder::Applied applied = folder().apply({wanted, query}, now);
    EXPECT_EQ(applied.results.front().outcome, StoreResult::Outcome::Failed);
    EXPECT_THAT(applied.results.front().problem.message, HasSubstr("taken its place"));
    EXPECT_TRUE(fs::is_empty(root + "/trafficmaps"));
    EXPECT_EQ(applied.news.size(), 1U);

    fs::remove_all(root);
    fs::rename(scratch.path("elsewhere"), root);
    const std::vector<StoreNews> after = look();
    EXPECT_TRUE(std::any_of(after.begin(), after.end(), [](const StoreNews& one) {
        return std::holds_alternative<news::AddressesAre>(one);
    })) << "the question was lost";
}

TEST_F(DirFolderTest, APipeInPlaceOfAFileOfOursHoldsNothingUp) {
    for (const char* name : {"events.ndjson", "ome-trafficmap.generations"}) {
        ASSERT_EQ(::mkfifo((root + "/" + name).c_str(), 0600), 0);
    }
    write("inferenceservices/demo/chat.yaml", manifest("chat"));
    list();
    EXPECT_THAT(names(), testing::Contains("service chat"));
    std::ignore = folder().apply({EventRecord{.key = {"demo", "chat"},
                                              .service_uid = "uid",
                                              .reason = "RoutingFrozen",
                                              .message = "x",
                                              .at = now}},
                                 now);
    look();
    EXPECT_FALSE(fs::is_regular_file(root + "/events.ndjson"));
}

TEST_F(DirFolderTest, ALeftoverOfAProcessThatEndedIsRemoved) {
    write("trafficmaps/demo/.chat.yaml.ome-tmp", "half");
    list();
    EXPECT_FALSE(fs::exists(root + "/trafficmaps/demo/.chat.yaml.ome-tmp"));
}

}  // namespace
}  // namespace ome::controller
