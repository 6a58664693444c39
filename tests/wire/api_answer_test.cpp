#include <ome/wire/api_answer.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* page = R"({"kind":"XList","apiVersion":"v1",
 "metadata":{"resourceVersion":"42","continue":"abc==","remainingItemCount":7},
 "items":[{"metadata":{"name":"a","note":"[{\"items\":[\\"}},
 {"items":[{"x":1}],"y":"}"} , {}]}
)";

struct Split {
    std::vector<std::string> items;
    core::Result<ListEnd> end = ListEnd{};
};

Split split(std::string_view text, std::size_t piece, std::size_t largest = 10'000) {
    Split made;
    ListSplitter splitter(largest, [&](std::string_view item) { made.items.emplace_back(item); });
    for (std::size_t at = 0; at < text.size(); at += piece) {
        if (const auto problem = splitter.feed(text.substr(at, piece))) {
            made.end = *problem;
            return made;
        }
    }
    made.end = splitter.finish();
    return made;
}

TEST(ListSplitter, GivesEveryItemWhereverThePiecesEnd) {
    for (std::size_t piece = 1; piece < std::string_view(page).size() + 1; ++piece) {
        const Split made = split(page, piece);
        ASSERT_TRUE(made.end) << made.end.error().message;
        EXPECT_EQ(made.end->resource_version, "42");
        EXPECT_EQ(made.end->more, "abc==");
        ASSERT_THAT(made.items,
                    ElementsAre(HasSubstr("\"name\":\"a\""), HasSubstr("\"x\":1"), "{}"));
        for (const std::string& item : made.items) {
            EXPECT_TRUE(read_api_document(item)) << item;
        }
    }
}

TEST(ListSplitter, TakesAnEmptyListAndOneThatIsNull) {
    for (const char* text : {R"({"items":[],"metadata":{"resourceVersion":"1"}})",
                             R"({"metadata":{"resourceVersion":"1"},"items": null})",
                             R"({"metadata":{"resourceVersion":"1"},"items" : [ ]})"}) {
        const Split made = split(text, 3);
        ASSERT_TRUE(made.end) << made.end.error().message;
        EXPECT_EQ(made.end->resource_version, "1");
        EXPECT_THAT(made.items, IsEmpty());
    }
}

TEST(ListSplitter, MembersBehindTheItemsCountToo) {
    const Split made =
        split(R"({"items":[{"a":1},{"a":2}],"metadata":{"resourceVersion":"9"}})", 5);
    ASSERT_TRUE(made.end) << made.end.error().message;
    EXPECT_EQ(made.end->resource_version, "9");
    EXPECT_EQ(made.items.size(), 2U);
}

TEST(ListSplitter, SaysThatAListIsNone) {
    for (const char* text : {"",
                             "{}",
                             "[]",
                             "hello",
                             R"({"items":{}})",
                             R"({"items":[{}])",
                             R"({"kind":"Status","code":500})",
                             R"({"items":[{"a":1}]]})"}) {
        EXPECT_FALSE(split(text, 4).end) << text;
    }
}

TEST(ListSplitter, HoldsNoMoreThanOneObject) {
    const std::string large = R"({"items":[{"a":")" + std::string(500, 'x') + R"("}]})";
    EXPECT_TRUE(split(large, 64, 600).end);
    const Split refused = split(large, 64, 400);
    ASSERT_FALSE(refused.end);
    EXPECT_EQ(refused.end.error().message, "an object of the list is larger than 400 bytes");
    EXPECT_FALSE(split("{\"note\":\"" + std::string(500, 'x'), 64, 400).end);
}

TEST(WatchEvent, IsReadByItsType) {
    const auto event = read_watch_event(
        R"({"type":"MODIFIED","object":{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"}}})");
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(event->type, WatchEventType::Modified);
    const ApiIdentity identity = identity_of(event->object);
    EXPECT_EQ(identity.name, "a");
    EXPECT_EQ(identity.ns, "n");
    EXPECT_EQ(identity.uid, "u");
    EXPECT_EQ(identity.resource_version, "7");
}

TEST(WatchEvent, IsNothingElse) {
    for (const char* line : {"",
                             "{}",
                             "null",
                             "[]",
                             R"({"type":"ADDED"})",
                             R"({"type":"ADDED","object":1})",
                             R"({"type":"RENAMED","object":{}})",
                             R"({"object":{}})",
                             "not json"}) {
        EXPECT_FALSE(read_watch_event(line)) << line;
    }
}

TEST(ApiStatus, IsReadWhole) {
    const auto status = read_api_status(boost::json::parse(
        R"({"kind":"Status","code":422,"reason":"Invalid","message":"m","details":{"name":"x",
            "kind":"trafficmaps","retryAfterSeconds":5,"causes":[{"field":"spec","message":"c"}]}})"));
    ASSERT_TRUE(status);
    EXPECT_EQ(status->code, 422U);
    EXPECT_EQ(status->reason, "Invalid");
    EXPECT_EQ(status->retry_after, 5s);
    ASSERT_EQ(status->causes.size(), 1U);
    EXPECT_EQ(status->causes[0].message, "c");
}

TEST(ApiStatus, IsNotEverything) {
    EXPECT_FALSE(read_api_status(boost::json::parse(R"({"kind":"Pod"})")));
    EXPECT_FALSE(read_api_status(boost::json::parse("5")));
    const auto odd = read_api_status(
        boost::json::parse(R"({"kind":"Status","code":"x","details":[],"message":7})"));
    ASSERT_TRUE(odd);
    EXPECT_EQ(odd->code, 0U);
    EXPECT_EQ(odd->message, "");
}

TEST(ApiDocument, DoesNotFollowBracketsWithoutEnd) {
    EXPECT_FALSE(read_api_document(std::string(100'000, '[')));
}

}  // namespace
}  // namespace ome::wire
