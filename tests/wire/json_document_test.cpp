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

}  // namespace
}  // namespace ome::wire
