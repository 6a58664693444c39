#include "redact.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::observer {
namespace {

TEST(Redact, HidesUserinfoAndQueryValues) {
    EXPECT_EQ(redact_text("http://user:pw@home/x?key=abc&flag#f"),
              "http://***@home/x?key=***&***#***");
    EXPECT_EQ(redact_text("Get \"https://home/?token=abc\": EOF"),
              "Get \"https://home/?token=***\": EOF");
    EXPECT_EQ(redact_text("why? because"), "why? because");
    EXPECT_EQ(redact_text("a: http://u:p@h\nb: http://h"), "a: http://***@h\nb: http://h");
    EXPECT_EQ(redact_text(""), "");
}

TEST(Redact, ChangesNothingTwice) {
    const std::string once = redact_text("http://u:p@h/x?a=1&b=2 and /y?z");
    EXPECT_EQ(redact_text(once), once);
}

TEST(Redact, LooksIntoDocuments) {
    boost::json::value document = boost::json::parse(
        R"({"endpoint":"http://u:p@h?x=1","apiToken":"abc","list":["/p?k=v"],"n":1,"tokens":3})");
    redact(document);
    EXPECT_EQ(
        boost::json::serialize(document),
        R"({"endpoint":"http://***@h?x=***","apiToken":"***","list":["/p?k=***"],"n":1,"tokens":3})");
}

}  // namespace
}  // namespace ome::observer
