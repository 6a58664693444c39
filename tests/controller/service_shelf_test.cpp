// Which of several files counts, what holds a service back, and what is told of all that: on texts,
// without a folder.
#include "service_shelf.hpp"

#include "shelf_news.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace ome::controller {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const core::ServiceKey chat{"demo", "chat"};

std::string manifest(const std::string& name, const std::string& drain = "{}") {
    return "kind: InferenceService\n"
           "metadata:\n"
           "  name: " +
           name +
           "\n"
           "  annotations: {ome.io/traffic-drain: '" +
           drain +
           "'}\n"
           "spec: {placement: {policy: ClusterAffinity, mode: Split}}\n";
}

// The folder's files; the shelf asks for those that it wants to read again.
class ServiceShelfTest : public testing::Test {
protected:
    void put(const std::string& path, const std::string& text) {
        files[path] = text;
        take(path);
        settle();
    }

    // By value: it may be a key of what it is taken from.
    void remove(const std::string path) {
        files.erase(path);
        shelf->drop_file(path);
        settle();
    }

    void put_override(const std::string& path, const std::string& text) {
        shelf->take_override(path, core::Result<std::string>(boost::system::in_place_value, text));
        settle();
    }

    void remove_override(const std::string& path) {
        shelf->drop_override(path);
        settle();
    }

    /// Everything anew, in the order in which a folder is listed.
    void restart() {
        shelf = made();
        for (const auto& [path, text] : files) {
            take(path);
        }
        settle();
    }

    void take(const std::string& path) {
        ASSERT_TRUE(files.contains(path)) << path << " is not there any more";
        shelf->take_file(path,
                         core::Result<std::string>(boost::system::in_place_value, files[path]));
    }

    void settle() {
        for (auto stale = shelf->take_stale(); !stale.empty(); stale = shelf->take_stale()) {
            for (const std::string& path : stale) {
                take(path);
            }
        }
        shelf->settle();
        news = shelf->take_news();
    }

    [[nodiscard]] std::vector<std::string> told() const { return test::in_words(news); }

    /// The drain annotation of demo/chat, which tells the files apart here.
    [[nodiscard]] std::string in_force() const {
        const routing::InferenceService* service = shelf->find(chat);
        return service != nullptr ? service->drains.value_or("none") : "nothing";
    }

    [[nodiscard]] std::vector<std::string> held() const {
        std::vector<std::string> names;
        for (const StoreNews& one : news) {
            if (const auto* unusable = std::get_if<news::Unusable>(&one)) {
                for (const core::ServiceKey& key : unusable->holds) {
                    names.push_back(key.name);
                }
            }
        }
        return names;
    }

    std::unique_ptr<ServiceShelf> made() {
        return std::make_unique<ServiceShelf>(generations, [](const auto&) { return 0; });
    }

    Generations generations{"/nowhere"};
    std::unique_ptr<ServiceShelf> shelf = made();
    std::map<std::string, std::string> files;
    std::vector<StoreNews> news;
};

constexpr const char* in_a =
    "InferenceService demo/chat is in inferenceservices/demo/a.yaml already: the first file by "
    "path counts";

TEST_F(ServiceShelfTest, TheFirstFileByPathCountsAlsoWhenItComesLater) {
    put("demo/b.yaml", manifest("chat", "b"));
    put("demo/a.yaml", manifest("chat", "a"));
    EXPECT_EQ(in_force(), "a");
    EXPECT_THAT(told(),
                ElementsAre("service chat",
                            std::string("unusable inferenceservices/demo/b.yaml:1: ") + in_a));
    EXPECT_THAT(held(), IsEmpty()) << "the service is as new as can be";
    restart();
    EXPECT_EQ(in_force(), "a") << "a restart changes nothing";
    remove("demo/a.yaml");
    EXPECT_EQ(in_force(), "b");
    EXPECT_THAT(told(),
                ElementsAre("gone chat", "service chat", "usable inferenceservices/demo/b.yaml"));
}

TEST_F(ServiceShelfTest, WhateverTheOrderOfEventsTheSameFileCounts) {
    std::vector<std::string> names{"demo/B.yaml", "demo/a.json", "demo/a.yaml", "demo/c.yaml"};
    do {
        shelf = made();
        files.clear();
        for (const std::string& name : names) {
            put(name, manifest("chat", name));
        }
        EXPECT_EQ(in_force(), "demo/B.yaml") << "capitals come first, as bytes do";
        for (const char* next : {"demo/a.json", "demo/a.yaml", "demo/c.yaml", "nothing"}) {
            remove(files.begin()->first);
            EXPECT_EQ(in_force(), next);
        }
    } while (std::next_permutation(names.begin(), names.end()));
}

TEST_F(ServiceShelfTest, OneThatLosesIsToldOnceAndItsOtherServicesCount) {
    put("demo/b.yaml", manifest("chat", "b") + "---\n" + manifest("code"));
    put("demo/a.yaml", manifest("chat", "a"));
    const std::vector<std::string> words = told();
    EXPECT_EQ(std::count_if(words.begin(),
                            words.end(),
                            [](const std::string& one) { return one.starts_with("unusable"); }),
              1);
    EXPECT_NE(shelf->find({"demo", "code"}), nullptr);
    remove("demo/b.yaml");
    EXPECT_THAT(told(), ElementsAre("gone code", "usable inferenceservices/demo/b.yaml"));
    remove("demo/a.yaml");
    EXPECT_THAT(told(), ElementsAre("gone chat")) << "and nobody looks for b.yaml";
}

TEST_F(ServiceShelfTest, AnEarlierFileThatCannotBeUsedTakesTheServiceAndLeavesItAsItIs) {
    put("demo/b.yaml", manifest("chat", "b"));
    put("demo/a.yaml", manifest("chat", "a") + "status: {placement: {phase: 7}}\n");
    EXPECT_EQ(in_force(), "b") << "the last good state";
    EXPECT_THAT(told(),
                testing::UnorderedElementsAre(
                    HasSubstr("demo/a.yaml:6: status.placement.phase: 7 must be a text"),
                    std::string("unusable inferenceservices/demo/b.yaml:1: ") + in_a));
    EXPECT_THAT(held(), ElementsAre("chat"));
    put("demo/a.yaml", manifest("chat", "a"));
    EXPECT_EQ(in_force(), "a");
}

TEST_F(ServiceShelfTest, OfTwoDocumentsInOneFileTheFirstCounts) {
    put("demo/a.yaml", manifest("chat", "one") + "---\n" + manifest("chat", "two"));
    EXPECT_EQ(in_force(), "one");
    EXPECT_THAT(told(), testing::Contains(HasSubstr("a.yaml already: the first document counts")));
}

TEST_F(ServiceShelfTest, SaysWhichServicesAFileThatCannotBeUsedHoldsBack) {
    put("demo/all.yaml", manifest("chat") + "---\n" + manifest("code"));
    put("demo/all.yaml", manifest("chat") + "---\nkind: {\n");
    EXPECT_THAT(held(), ElementsAre("chat", "code"));
    put("demo/all.yaml", manifest("chat") + "---\n" + manifest("code") + "status: 7\n");
    EXPECT_THAT(held(), ElementsAre("code")) << "chat follows its document";
    put("demo/new.yaml", "kind: {\n");
    EXPECT_THAT(held(), ElementsAre("new")) << "nothing but its name tells";
}

// A truncated file, or one of which a template left nothing, is no wish.
TEST_F(ServiceShelfTest, AFileWithoutAnyDocumentRemovesNothing) {
    for (const char* text : {"", "\n", "# c\n", "---\n", "---\n---\n", "null\n", "~\n"}) {
        put("demo/chat.yaml", manifest("chat", "as it was"));
        put("demo/chat.yaml", text);
        EXPECT_EQ(in_force(), "as it was") << text;
        EXPECT_THAT(told(),
                    ElementsAre("unusable inferenceservices/demo/chat.yaml: the file is empty: "
                                "delete it to remove its services"))
            << text;
        EXPECT_THAT(held(), ElementsAre("chat")) << text;
    }
    for (const char* text : {"1\n", "word\n", "[]\n", "false\n"}) {
        put("demo/chat.yaml", text);
        EXPECT_EQ(in_force(), "as it was") << text;
    }
    remove("demo/chat.yaml");
    EXPECT_EQ(in_force(), "nothing");
}

TEST_F(ServiceShelfTest, AnEmptyListIsAWishToRemoveItsServices) {
    put("demo/chat.yaml", manifest("chat"));
    put("demo/chat.yaml", "kind: List\nitems: []\n");
    EXPECT_EQ(in_force(), "nothing");
    EXPECT_THAT(told(), ElementsAre("gone chat"));
}

TEST_F(ServiceShelfTest, AFileThatWasEmptiedMeanwhileHoldsTheServiceOfItsMap) {
    const auto start_with = [this](std::int64_t observed) {
        shelf = std::make_unique<ServiceShelf>(generations, [=](const auto&) { return observed; });
        put("demo/chat.yaml", "# c\n");
    };
    start_with(3);
    EXPECT_THAT(held(), ElementsAre("chat"));
    EXPECT_FALSE(shelf->knows_absence(chat));
    start_with(0);
    EXPECT_THAT(told(), IsEmpty()) << "a file in waiting";
    EXPECT_TRUE(shelf->knows_absence(chat));
}

TEST_F(ServiceShelfTest, TellsOfUnknownMembersOncePerText) {
    const std::string text = manifest("chat") + "stauts: {}\nstatus: {placement: {fase: x}}\n";
    put("demo/chat.yaml", text);
    EXPECT_THAT(told(),
                ElementsAre("doubtful inferenceservices/demo/chat.yaml:6: stauts is not known and "
                            "is ignored",
                            "doubtful inferenceservices/demo/chat.yaml:7: status.placement.fase is "
                            "not known and is ignored",
                            "service chat"));
    put("demo/chat.yaml", text);
    EXPECT_THAT(told(), ElementsAre("service chat"));
    put_override("demo/chat.yaml", "spec: {routing: {enabled: true}}\n");
    EXPECT_THAT(told(), ElementsAre("service chat")) << "read again, and the same text";
    put("demo/chat.yaml", text + "# another version\n");
    EXPECT_EQ(told().size(), 3U);
}

TEST_F(ServiceShelfTest, TellsOfObjectsThatItDoesNotRead) {
    put("demo/chat.yaml", manifest("chat") + "---\nkind: InferenceServise\nmetadata: {name: x}\n");
    EXPECT_THAT(told(),
                ElementsAre("doubtful inferenceservices/demo/chat.yaml:7: kind "
                            "\"InferenceServise\" is not read here, ome.io/v1beta1 "
                            "InferenceService is",
                            "service chat"));
    put("demo/code.yaml", "metadata: {name: code}\nspec: {}\n");
    EXPECT_THAT(told(), ElementsAre(HasSubstr("code.yaml:1: kind \"\" is not read here")));
}

TEST_F(ServiceShelfTest, AFileInJsonIsToldWithItsLines) {
    put("demo/chat.json",
        "{\"kind\": \"InferenceService\", \"metadata\": {\"name\": \"chat\"},\n"
        " \"spec\": {\"placement\":\n  {\"modus\": \"Split\"}}}\n");
    EXPECT_THAT(told(),
                testing::Contains("doubtful inferenceservices/demo/chat.json:3: "
                                  "spec.placement.modus is not known and is ignored"));
}

TEST_F(ServiceShelfTest, TellsTheLineOfAKindAndOfANamespaceThatCannotBe) {
    put("demo/a.yaml",
        "# first\nmetadata:\n  name: a\n  namespace: prod\nkind: InferenceService\n");
    EXPECT_THAT(told(),
                ElementsAre(HasSubstr("unusable inferenceservices/demo/a.yaml:4: "
                                      "metadata.namespace \"prod\" must be \"demo\"")));
    put("demo/b.json",
        "{\"metadata\": {\n\"name\": \"b\",\n\"namespace\": \"prod\"},\n"
        "\"kind\": \"InferenceService\"}\n");
    EXPECT_THAT(told(), ElementsAre(HasSubstr("b.json:3: metadata.namespace \"prod\" must be")));
    put("demo/c.yaml", "metadata: {name: c}\nspec: {}\nkind: InferenceServise\n");
    EXPECT_THAT(told(), ElementsAre(HasSubstr("c.yaml:3: kind \"InferenceServise\" is not read")));
}

TEST_F(ServiceShelfTest, AnOverrideThatFitsNoServiceIsToldUntilOneComes) {
    put_override("demo/chat.yaml", "spec: {routing: {enabled: true}}\n");
    const std::string complaint =
        "unusable overrides/demo/chat.yaml: there is no InferenceService chat in "
        "inferenceservices/demo that it could be laid over";
    EXPECT_THAT(told(), ElementsAre(complaint));
    put("demo/code.yaml", manifest("code"));
    EXPECT_THAT(told(), ElementsAre("service code")) << "told once";
    put("demo/all.yaml", manifest("chat"));
    EXPECT_THAT(told(), ElementsAre("service chat", "usable overrides/demo/chat.yaml"));
    remove("demo/all.yaml");
    EXPECT_THAT(told(), ElementsAre("gone chat", complaint));
    remove_override("demo/chat.yaml");
    EXPECT_THAT(told(), ElementsAre("usable overrides/demo/chat.yaml"));
}

TEST_F(ServiceShelfTest, WhileAFileCannotBeReadNobodyKnowsWhatAnOverrideFits) {
    put("demo/all.yaml", "kind: {\n");
    put_override("demo/chat.yaml", "spec: {routing: {enabled: true}}\n");
    EXPECT_THAT(told(), IsEmpty());
    put("demo/all.yaml", manifest("code"));
    EXPECT_THAT(told(), testing::Contains(HasSubstr("there is no InferenceService chat")));
}

TEST_F(ServiceShelfTest, WhatIsWrongInAnOverrideIsToldOfIt) {
    put("demo/chat.yaml", manifest("chat", "before"));
    put_override("demo/chat.yaml", "spec:\n  routing:\n    probe:\n      period: [10s]\n");
    EXPECT_THAT(told(),
                ElementsAre(HasSubstr("unusable overrides/demo/chat.yaml:4: "
                                      "spec.routing.probe.period: [\"10s\"] must be")));
    EXPECT_THAT(held(), ElementsAre("chat"));
    put("demo/chat.yaml", manifest("chat", "after"));
    EXPECT_EQ(in_force(), "before") << "an override that cannot be used freezes its service";
    put_override("demo/chat.yaml", "spec: {routing: {probe: null}}\n");
    EXPECT_THAT(told(), ElementsAre("service chat", "usable overrides/demo/chat.yaml"));
    EXPECT_EQ(in_force(), "after");
}

}  // namespace
}  // namespace ome::controller
