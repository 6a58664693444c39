#include "screen.hpp"

#include <gtest/gtest.h>

namespace ome::observer {
namespace {

TEST(Screen, WhatFitsStaysAsItIs) {
    EXPECT_EQ(fit_screen("one\ntwo\n", {3, 80}), "one\ntwo\n");
    EXPECT_EQ(fit_screen("", {24, 80}), "");
}

TEST(Screen, LeavesARowForTheCursorAndCountsWhatIsLeftOut) {
    EXPECT_EQ(fit_screen("1\n2\n3\n4\n5\n", {4, 80}),
              "1\n2\n... 3 more lines; all of them without --watch\n");
    EXPECT_EQ(fit_screen("1\n2\n3\n", {1, 80}), "... 3 more lines; all of them without --watch\n");
}

TEST(Screen, WideCharactersTakeTwoColumns) {
    EXPECT_EQ(fit_screen("東京都\n", {24, 6}), "東京都\n");
    EXPECT_EQ(fit_screen("東京都庁\n", {24, 5}), "東京…\n");
    EXPECT_EQ(fit_screen("東京都庁\n", {24, 4}), "東…\n");
}

TEST(Screen, CutsLinesByCharactersAndEndsTheirColour) {
    EXPECT_EQ(fit_screen("abcdef\n", {24, 3}), "ab\u2026\n");
    EXPECT_EQ(fit_screen("\u00e4\u00f6\u00fc\u00df\n", {24, 3}), "\u00e4\u00f6\u2026\n");
    EXPECT_EQ(fit_screen("ab\x1b[31mcdef\x1b[0m\n", {24, 3}), "ab\x1b[31m\u2026\x1b[0m\n");
    EXPECT_EQ(fit_screen("\x1b[31mab\x1b[0m\n", {24, 2}), "\x1b[31mab\x1b[0m\n");
}

}  // namespace
}  // namespace ome::observer
