#include <ome/kube/failure.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kube {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* conflict = R"({"kind":"Status","apiVersion":"v1","status":"Failure",
    "message":"the object has been modified","reason":"Conflict","code":409,
    "details":{"name":"chat","kind":"trafficmaps","retryAfterSeconds":3,
    "causes":[{"reason":"FieldManagerConflict","message":"by x","field":".spec.mode"}]}})";

TEST(Failure, SaysWhatTheServerSaid) {
    const Failure failure = refusal("PUT /x", 409, conflict, std::nullopt);
    EXPECT_TRUE(failure.conflict());
    EXPECT_FALSE(failure.already_exists());
    EXPECT_EQ(failure.message, "PUT /x: HTTP 409 Conflict: the object has been modified");
    EXPECT_EQ(failure.status.name, "chat");
    ASSERT_EQ(failure.status.causes.size(), 1U);
    EXPECT_EQ(failure.status.causes[0].field, ".spec.mode");
    EXPECT_EQ(failure.retry_after, 3s);
}

TEST(Failure, BelievesTheHeaderFirst) {
    EXPECT_EQ(refusal("PUT /x", 409, conflict, 9s).retry_after, 9s);
}

TEST(Failure, TakesAnAnswerOfSomethingElseForWhatItIs) {
    const Failure failure = refusal("GET /x", 502, "<html>\x1b[31mBad\nGateway</html>", {});
    EXPECT_TRUE(failure.is(502));
    EXPECT_THAT(failure.message, HasSubstr("HTTP 502: "));
    EXPECT_THAT(failure.message, Not(HasSubstr("\x1b")));
    EXPECT_THAT(failure.message, Not(HasSubstr("\n")));
}

TEST(Failure, KeepsMessagesShort) {
    EXPECT_LT(refusal("GET /x", 500, std::string(100'000, 'x'), {}).message.size(), 400U);
}

TEST(Failure, KnowsThatAPlaceIsTooOld) {
    EXPECT_TRUE(refusal("GET /x", 410, "", {}).gone());
    EXPECT_TRUE(refusal("GET /x", 500, R"({"kind":"Status","reason":"Expired"})", {}).gone());
    EXPECT_FALSE(refusal("GET /x", 404, "", {}).gone());
}

TEST(Failure, ReadsRetryAfterInSeconds) {
    EXPECT_EQ(parse_retry_after("1"), 1s);
    EXPECT_EQ(parse_retry_after("120"), 120s);
    for (const char* text : {"", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37 GMT", "1s"}) {
        EXPECT_FALSE(parse_retry_after(text)) << text;
    }
}

TEST(Failure, ReadsTheTextsOfWarnings) {
    EXPECT_THAT(parse_warnings(R"(299 - "unknown field \"spec.foo\"", 299 - "it will go, soon")"),
                ElementsAre("unknown field \"spec.foo\"", "it will go, soon"));
    EXPECT_THAT(parse_warnings(R"(299 a.test "old" "Sun, 06 Nov 1994 08:49:37 GMT", 299 - "new")"),
                ElementsAre("old", "new"));
    EXPECT_THAT(parse_warnings("299 - \"a\\\\b\""), ElementsAre("a\\b"));
    for (const char* text : {"", "299 - ", "299 - \"", "299 - \"open", "299 - \"open\\"}) {
        EXPECT_THAT(parse_warnings(text), ElementsAre()) << text;
    }
}

}  // namespace
}  // namespace ome::kube
