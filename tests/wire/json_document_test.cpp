#include <ome/wire/json_document.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <limits>

namespace ome::wire {
namespace {

namespace json = boost::json;

TEST(JsonDocument, WritesNumbersAsPeopleDo) {
    EXPECT_EQ(
        to_text({{"half", 0.5}, {"needed", 30.6}, {"whole", 3.0}, {"big", 18446744073709551615U}}),
        R"({"half":0.5,"needed":30.6,"whole":3,"big":18446744073709551615})");
    EXPECT_EQ(to_text(json::value(std::numeric_limits<double>::infinity())), "null");
}

TEST(JsonDocument, IsTheSameDocumentWhenReadAgain) {
    const char* text =
        R"({"a":[1,-2,{"b":null}],"c":"quote \" and \u0001 and é","d":{},"e":[],"f":true})";
    EXPECT_EQ(json::parse(to_text(json::parse(text))), json::parse(text));
}

TEST(JsonDocument, EscapesWhatATerminalWouldObey) {
    EXPECT_EQ(to_text("\x7f\u0080\u009b\u009f"), R"("\u007f\u0080\u009b\u009f")");
    EXPECT_EQ(to_text("a\u200e\u200f\u2028\u2029\u202a\u202eb"),
              R"("a\u200e\u200f\u2028\u2029\u202a\u202eb")");
    EXPECT_EQ(to_text("\u2066\u2069\u061c"), R"("\u2066\u2069\u061c")");
    EXPECT_EQ(to_text({{"\u202e", 1}}), R"({"\u202e":1})");
}

TEST(JsonDocument, LeavesTheirNeighboursAsTheyAre) {
    for (const char* const text : {"~",
                                   "\u00a0",
                                   "\u00bf",
                                   "\u061b",
                                   "\u061d",
                                   "\u200d",
                                   "\u2010",
                                   "\u2027",
                                   "\u202f",
                                   "\u2065",
                                   "\u206a",
                                   "\u20ac",
                                   "\xc2",
                                   "\xd8",
                                   "\xe2\x80",
                                   "\xe2\x81"}) {
        EXPECT_EQ(to_text(text), '"' + std::string(text) + '"');
    }
}

TEST(JsonDocument, ReadsWhatItHasEscapedAsTheSameText) {
    std::string all;
    for (char32_t c = 1; c < 0x2100; ++c) {
        if (c < 0x80) {
            all += static_cast<char>(c);
        } else if (c < 0x800) {
            all += static_cast<char>(0xc0 | c >> 6);
            all += static_cast<char>(0x80 | (c & 0x3f));
        } else {
            all += static_cast<char>(0xe0 | c >> 12);
            all += static_cast<char>(0x80 | (c >> 6 & 0x3f));
            all += static_cast<char>(0x80 | (c & 0x3f));
        }
    }
    EXPECT_EQ(json::parse(to_text(json::string(all))).as_string(), all);
}

}  // namespace
}  // namespace ome::wire
