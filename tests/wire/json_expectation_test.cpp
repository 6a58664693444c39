#include "json_expectation.hpp"

#include <gtest/gtest.h>

namespace ome::wire {
namespace {

// Of the place where `^` stands, which is taken out.
std::string expected(std::string text) {
    const std::size_t at = text.find('^');
    text.erase(at, 1);
    return expected_in_json(text, at);
}

TEST(JsonExpectation, OfACommaTooMany) {
    const std::string hint = " behind the comma; is the comma one too many?";
    EXPECT_EQ(expected(R"({"a":1,^})"), "a name in double quotes" + hint);
    EXPECT_EQ(expected("{\"a\":[1,\n ^]}"), "a value" + hint);
    EXPECT_EQ(expected(R"([{"a":"},"},^,{}])"), "a value" + hint);
    EXPECT_EQ(expected(R"({"a":1,^'b':2})"), "a name in double quotes behind the comma");
}

TEST(JsonExpectation, OfACommaTooFew) {
    EXPECT_EQ(expected(R"({"a":"x" ^"b":2})"), "`,` or `}`");
    EXPECT_EQ(expected("{\"a\":{}\n^\"b\":2}"), "`,` or `}`");
    EXPECT_EQ(expected(R"(["a" ^"b"])"), "`,` or `]`");
    EXPECT_EQ(expected("{\"a\":1 ^\"b\":2}"), "`,` or `}`");
}

TEST(JsonExpectation, OfNamesAndValues) {
    EXPECT_EQ(expected("{^a: 1}"), "a name in double quotes, or `}`");
    EXPECT_EQ(expected("{\"a\" ^= 1}"), "`:`");
    EXPECT_EQ(expected("{\"a\": ^}"), "a value (a text takes double quotes)");
    EXPECT_EQ(expected("{\"a\\\"b\": ^True}"), "a value (a text takes double quotes)");
    EXPECT_EQ(expected("[^,1]"), "a value, or `]`");
    EXPECT_EQ(expected("^,"), "a value");
    EXPECT_EQ(expected("{} ^}"), "the end of the text");
}

TEST(JsonExpectation, OfThingsInTheMiddleIsLeftOut) {
    EXPECT_EQ(expected("{\"a\": nu^}"), "");
    EXPECT_EQ(expected("{\"a\": \"x^\n\"}"), "");
    EXPECT_EQ(expected("{\"a\": \"x\\^q\"}"), "");
}

}  // namespace
}  // namespace ome::wire
