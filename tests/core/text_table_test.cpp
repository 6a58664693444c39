#include <ome/core/text_table.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

TEST(TextTable, LinesUpColumnsWithoutBlanksAtTheEnd) {
    EXPECT_EQ(align({{"A", "LONG", "C"}, {"long", "b", ""}, {"x"}}, false),
              "A     LONG  C\nlong  b\nx\n");
}

TEST(TextTable, CountsCharactersAndNotBytesOrColours) {
    EXPECT_EQ(align({{Cell("é", Tone::Good), "x"}, {"ab", "y"}}, true),
              "\x1b[32mé\x1b[0m   x\nab  y\n");
}

TEST(TextTable, WideCharactersTakeTwoColumns) {
    EXPECT_EQ(align({{"東京", "x"}, {"abcde", "y"}}, false), "東京   x\nabcde  y\n");
}

TEST(TextTable, PaintsOnlyWhenAsked) {
    EXPECT_EQ(paint("x", Tone::Bad, false), "x");
    EXPECT_EQ(paint("x", Tone::Plain, true), "x");
    EXPECT_EQ(paint("", Tone::Bad, true), "");
}

}  // namespace
}  // namespace ome::core
