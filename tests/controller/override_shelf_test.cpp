#include "override_shelf.hpp"

#include "shelf_news.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::controller {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const core::ServiceKey chat{"demo", "chat"};

class OverrideShelfTest : public testing::Test {
protected:
    void put(const std::string& path, const std::string& text) {
        shelf.take_file(path, core::Result<std::string>(boost::system::in_place_value, text));
    }

    std::vector<std::string> told() {
        shelf.settle([](const core::ServiceKey&) { return false; });
        return test::in_words(shelf.take_news());
    }

    [[nodiscard]] std::string patch() const {
        const boost::json::value* found = shelf.patch_of(chat);
        return found != nullptr ? boost::json::serialize(*found) : "none";
    }

    OverrideShelf shelf;
};

TEST_F(OverrideShelfTest, OfTwoFilesTheFirstByPathCountsInWhicheverOrder) {
    put("demo/chat.yml", "spec: {routing: {enabled: true}}");
    EXPECT_EQ(patch(), R"({"spec":{"routing":{"enabled":true}}})");
    put("demo/chat.yaml", "spec: {routing: {enabled: false}}");
    EXPECT_EQ(patch(), R"({"spec":{"routing":{"enabled":false}}})");
    EXPECT_THAT(shelf.take_changed(), ElementsAre(chat));
    EXPECT_THAT(told(),
                ElementsAre("unusable overrides/demo/chat.yml: the override of demo/chat is in "
                            "overrides/demo/chat.yaml already: of two files the first by path "
                            "counts"));
    EXPECT_THAT(told(), IsEmpty());
    shelf.drop_file("demo/chat.yaml");
    EXPECT_EQ(patch(), R"({"spec":{"routing":{"enabled":true}}})");
    EXPECT_THAT(told(), ElementsAre("usable overrides/demo/chat.yml"));
}

TEST_F(OverrideShelfTest, TheNamesOfItsServiceMayStandThere) {
    put("demo/chat.yaml",
        "apiVersion: ome.io/v1beta1\nkind: InferenceService\n"
        "metadata: {name: chat, namespace: demo, annotations: {a: b}}\n");
    EXPECT_EQ(patch(), R"({"metadata":{"annotations":{"a":"b"}}})");
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(OverrideShelfTest, ProblemsHaveTheirLineAndTheWholeRule) {
    put("demo/chat.yaml", "metadata:\n  labels: {a: b}\n");
    EXPECT_THAT(told(),
                ElementsAre("unusable overrides/demo/chat.yaml:2: metadata.labels cannot be "
                            "overridden: metadata.annotations and spec.routing can"));
    EXPECT_TRUE(shelf.unusable(chat));
    put("demo/chat.yaml", "metadata:\n  annotations:\n    ome.io/traffic-drain: {m: {}}\n");
    EXPECT_THAT(told(), ElementsAre(HasSubstr("overrides/demo/chat.yaml:3: ")));
    put("demo/chat.yaml", "spec: {routing: {}}\nspec: {routing: {}}\n");
    EXPECT_THAT(told(), ElementsAre(testing::ContainsRegex("chat.yaml:[12]: .*spec")));
    put("demo/chat.yaml", "{\"spec\":\n {\"routing\": 7}}\n");
    EXPECT_THAT(told(), ElementsAre(HasSubstr("overrides/demo/chat.yaml:2: spec.routing: 7 must")));
    put("demo/chat.yaml", "a: [\n");
    EXPECT_THAT(told(), ElementsAre(HasSubstr("overrides/demo/chat.yaml:2: column 1: ")));
    EXPECT_EQ(patch(), "none");
}

TEST_F(OverrideShelfTest, TellsOfUnknownMembersOncePerText) {
    const std::string text = "spec:\n  routing:\n    prob: {}\n";
    put("demo/chat.yaml", text);
    put("demo/chat.yaml", text);
    EXPECT_THAT(told(),
                ElementsAre("doubtful overrides/demo/chat.yaml:3: spec.routing.prob is not known "
                            "and is ignored"));
    put("demo/chat.yaml", text + "#\n");
    EXPECT_EQ(told().size(), 1U);
}

TEST_F(OverrideShelfTest, AFileThatNamesNoServiceIsTold) {
    put("demo/Chat_1.yaml", "spec: {routing: {}}\n");
    EXPECT_THAT(told(),
                ElementsAre(HasSubstr("unusable overrides/demo/Chat_1.yaml: a file here is called "
                                      "after its service: name \"Chat_1\" must")));
    shelf.drop_file("demo/Chat_1.yaml");
    EXPECT_THAT(told(), ElementsAre("usable overrides/demo/Chat_1.yaml"));
}

}  // namespace
}  // namespace ome::controller
