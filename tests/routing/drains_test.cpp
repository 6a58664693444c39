#include <ome/routing/drains.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

std::string error_of(const std::string& annotation) {
    const auto drains = parse_drains(annotation);
    return drains ? "accepted" : drains.error().message;
}

TEST(Drains, AbsentAnnotationIsNoDrain) {
    EXPECT_TRUE(parse_drains(std::nullopt).value().empty());
}

TEST(Drains, AreSortedById) {
    const auto drains = parse_drains(
        R"( {"b":{"reason":"r2","cluster":"y"} , "a":{"cluster":"x","reason":"r1"}} )");
    const std::vector<Drain> expected = {{"a", "x", "r1"}, {"b", "y", "r2"}};
    EXPECT_EQ(drains.value(), expected);
}

TEST(Drains, EscapesAreDecoded) {
    const auto drains =
        parse_drains(R"({"a":{"cluster":"\u00e9\ud83d\ude00\n","reason":"\ud83dx\\\"\/"}})");
    ASSERT_FALSE(drains);  // the line end is padding
    const auto inner =
        parse_drains(R"({"a":{"cluster":"\u00e9\ud83d\ude00.","reason":"\ud83dx\\\"\/"}})");
    EXPECT_EQ(inner.value().at(0).cluster, "\u00e9\U0001f600.");
    EXPECT_EQ(inner.value().at(0).reason, "\ufffdx\\\"/");
}

struct Row {
    const char* annotation;
    const char* error;
};

class DrainErrors : public testing::TestWithParam<Row> {};

TEST_P(DrainErrors, TheFirstInTheTextWins) {
    EXPECT_EQ(error_of(GetParam().annotation), GetParam().error) << GetParam().annotation;
}

INSTANTIATE_TEST_SUITE_P(
    Rows,
    DrainErrors,
    testing::Values(
        Row{"", "decode top-level object: EOF"},
        Row{"tru", "decode top-level object: the text ends in the literal true"},
        Row{"\"x", "decode top-level object: the text ends in a string"},
        Row{"-", "decode top-level object: the text ends in a number"},
        Row{"1e999", "decode top-level object: a number is too large"},
        Row{"nullx", "top-level value must be a JSON object keyed by override ID"},
        Row{"01", "top-level value must be a JSON object keyed by override ID"},
        Row{"{", "close top-level object: the text ends where } should be"},
        Row{"{]", "close top-level object: invalid character \"]\" where } should be"},
        Row{"{,", "decode override ID: invalid character \",\" instead of a key in quotes"},
        Row{R"({"a)", "decode override ID: the text ends in a string"},
        Row{R"({"a":)", R"(override "a": decode object: the text ends where a value should be)"},
        Row{R"({"a" {)", R"(override "a": decode object: invalid character "{" behind a key)"},
        Row{R"({"a":1x)", R"(override "a" must be a JSON object)"},
        Row{R"({"a":{"f")",
            R"(override "a" field "f" must be a string: the text ends where : should be)"},
        Row{R"({"a":{"f":[1,{"x":null}]}})",
            R"(override "a" field "f" must be a string: json: cannot unmarshal array into Go value of type string)"},
        Row{R"({"a":{"f":[1,]}})",
            R"(override "a" field "f" must be a string: invalid character "]" where a value should begin)"},
        Row{R"({"a":{"f":true}})",
            R"(override "a" field "f" must be a string: json: cannot unmarshal bool into Go value of type string)"},
        Row{R"({"a":{"f":null}})", R"(override "a" has unknown field "f")"},
        Row{R"({"a":{"cluster":"x" "reason":"y"}})",
            R"(override "a": decode field: invalid character "\"" behind a value)"},
        Row{R"({"a":{"cluster":"x","reason":"y"]})",
            R"(override "a": close object: invalid character "]" where } should be)"},
        Row{R"({"a":{"cluster":"x\u00a0","reason":""}})",
            R"(override "a" cluster must not have leading or trailing whitespace)"},
        Row{R"({"a":{"cluster":"x","reason":"\u2003"}})",
            R"(override "a" reason must be non-empty)"},
        Row{R"({"a":{"cluster":"x","reason":" y"}})",
            R"(override "a" reason must not have leading or trailing whitespace)"},
        Row{R"({"\u0085a":1})", "override ID must not have leading or trailing whitespace"},
        Row{"{} }", "decode trailing data: invalid character \"}\" where a value should begin"},
        Row{"{} \"x y\"", "unexpected trailing JSON token x y"},
        Row{"{} [", "unexpected trailing JSON token ["},
        Row{"{} null", "unexpected trailing JSON token <nil>"},
        Row{"{} 1.50", "unexpected trailing JSON token 1.5"},
        Row{"{} 1e21", "unexpected trailing JSON token 1e+21"},
        Row{"{} 1234567", "unexpected trailing JSON token 1.234567e+06"},
        Row{"{} 100000", "unexpected trailing JSON token 100000"}));

TEST(Drains, DeepNestingIsBounded) {
    const std::string deep = R"({"a":{"f":)" + std::string(20'000, '[');
    EXPECT_EQ(error_of(deep), R"(override "a" field "f" must be a string: nested too deeply)");
}

}  // namespace
}  // namespace ome::routing
