#include "object_mirror.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kubectl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

json::value object(const char* name, const char* version) {
    return json::object{
        {"metadata", {{"namespace", "prod"}, {"name", name}, {"resourceVersion", version}}}};
}

class ObjectMirrorTest : public testing::Test {
protected:
    void list(std::initializer_list<json::value> objects) {
        mirror.list_begins();
        for (const json::value& one : objects) {
            mirror.is(one);
        }
        mirror.list_ends();
    }

    // `chat@7`, or `chat gone`.
    std::vector<std::string> news() {
        std::vector<std::string> told;
        for (const Change& change : mirror.take_news()) {
            told.push_back(
                change.object.is_null()
                    ? change.key.name + " gone"
                    : change.key.name + "@" +
                          change.object.at("metadata").at("resourceVersion").as_string().c_str());
        }
        return told;
    }

    ObjectMirror mirror;
};

TEST_F(ObjectMirrorTest, TellsWhatIsListedOnce) {
    EXPECT_FALSE(mirror.whole());
    mirror.list_begins();
    mirror.is(object("chat", "1"));
    EXPECT_FALSE(mirror.whole());
    mirror.is(object("search", "2"));
    mirror.list_ends();
    EXPECT_TRUE(mirror.whole());
    EXPECT_TRUE(mirror.has_news());
    EXPECT_THAT(news(), ElementsAre("chat@1", "search@2"));
    EXPECT_FALSE(mirror.has_news());
    list({object("chat", "1"), object("search", "2")});
    EXPECT_THAT(news(), IsEmpty());
}

TEST_F(ObjectMirrorTest, OfSeveralChangesTheLastIsTold) {
    list({object("chat", "1")});
    EXPECT_THAT(news(), ElementsAre("chat@1"));
    mirror.is(object("chat", "2"));
    mirror.is(object("chat", "3"));
    mirror.is(object("new", "4"));
    mirror.gone(object("new", "5"));
    EXPECT_THAT(news(), ElementsAre("chat@3", "new gone"));
    mirror.gone(object("stranger", "6"));
    EXPECT_THAT(news(), IsEmpty());
}

TEST_F(ObjectMirrorTest, WhatANewListDoesNotHaveIsGone) {
    list({object("chat", "1"), object("search", "2")});
    EXPECT_THAT(news(), ElementsAre("chat@1", "search@2"));
    mirror.list_begins();
    mirror.is(object("chat", "1"));
    EXPECT_THAT(news(), IsEmpty()) << "the list may yet have it";
    list({object("search", "3")});
    EXPECT_THAT(news(), ElementsAre("chat gone", "search@3"))
        << "the list that broke off does not count";
}

TEST_F(ObjectMirrorTest, WhatHasNoNameIsLeftOut) {
    list({json::object(), json::value("x")});
    EXPECT_THAT(news(), IsEmpty());
}

}  // namespace
}  // namespace ome::kubectl
