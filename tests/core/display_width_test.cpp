#include <ome/core/display_width.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

TEST(DisplayWidth, CountsTheColumnsOfATerminal) {
    EXPECT_EQ(display_width(""), 0U);
    EXPECT_EQ(display_width("worker-a"), 8U);
    EXPECT_EQ(display_width("é…·—"), 4U);
    EXPECT_EQ(display_width("クラスタ-東京-一番"), 18U);
    EXPECT_EQ(display_width("서울"), 4U);
    EXPECT_EQ(display_width("ＡＢ"), 4U);
    EXPECT_EQ(display_width("🚀"), 2U);
    EXPECT_EQ(display_width("ｶﾞ"), 2U) << "halfwidth";
}

TEST(DisplayWidth, AMarkStandsOverTheLetterBeforeIt) {
    EXPECT_EQ(display_width("e\u0301"), 1U);
    EXPECT_EQ(display_width("a\u200db"), 2U);
}

TEST(DisplayWidth, AByteThatBeginsNoCharacterTakesOne) {
    EXPECT_EQ(display_width("\xff\xe3\x82"), 3U);
}

TEST(DisplayWidth, CutsAtAColumn) {
    EXPECT_EQ(shorten_to_width("abc", 3), "abc");
    EXPECT_EQ(shorten_to_width("abcd", 3), "ab…");
    EXPECT_EQ(shorten_to_width("東京都", 6), "東京都");
    EXPECT_EQ(shorten_to_width("東京都", 5), "東京…");
    EXPECT_EQ(shorten_to_width("東京都", 4), "東…");
    EXPECT_EQ(shorten_to_width("東", 0), "…");
}

}  // namespace
}  // namespace ome::core
