#include <ome/core/utf8.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ome::core {
namespace {

TEST(Utf8, ReadsTheFirstCodePoint) {
    const auto reads = [](std::string_view text, char32_t value, std::size_t length) {
        const CodePoint point = first_code_point(text);
        EXPECT_TRUE(point.valid) << text;
        EXPECT_EQ(point.value, value) << text;
        EXPECT_EQ(point.length, length) << text;
    };
    reads("ab", U'a', 1);
    reads(std::string_view("\0x", 2), U'\0', 1);
    reads("\x7f", 0x7f, 1);
    reads("\u0080", 0x80, 2);
    reads("\u07ff", 0x7ff, 2);
    reads("\u0800x", 0x800, 3);
    reads("\ud7ff", 0xd7ff, 3);
    reads("\ue000", 0xe000, 3);
    reads("\uffff", 0xffff, 3);
    reads("\U00010000", 0x10000, 4);
    reads("\U0010ffff", 0x10ffff, 4);
}

TEST(Utf8, TakesAByteThatBeginsNothingForItself) {
    for (const std::string_view text : {"\x80",              // goes on, and nothing began
                                        "\xc2",              // cut off
                                        "\xe2\x80",          // cut off
                                        "\xc2x",             // does not go on
                                        "\xc0\x80",          // overlong
                                        "\xe0\x80\x80",      // overlong
                                        "\xf0\x80\x80\x80",  // overlong
                                        "\xed\xa0\x80",      // a surrogate
                                        "\xf4\x90\x80\x80",  // above U+10FFFF
                                        "\xf8\x88\x80\x80\x80"}) {
        const CodePoint point = first_code_point(text);
        EXPECT_FALSE(point.valid);
        EXPECT_EQ(point.length, 1U);
        EXPECT_EQ(point.value, static_cast<unsigned char>(text.front()));
    }
}

TEST(Utf8, KnowsWhiteSpaceOfEveryScript) {
    for (const std::string_view text : {"", " \t\r\n\v\f", "\u3000", "\u00a0 \u2009", "\u0085"}) {
        EXPECT_TRUE(is_blank(text)) << text;
    }
    for (const std::string_view text : {"a", " a", "\u200b", "\ufeff", "\x80", " \xa0"}) {
        EXPECT_FALSE(is_blank(text)) << text;
    }
}

TEST(Utf8, TrimsWhiteSpaceAtBothEnds) {
    EXPECT_EQ(trimmed(" \u3000a b\u00a0\n"), "a b");
    EXPECT_EQ(trimmed("\x80 "), "\x80");
    EXPECT_EQ(trimmed("\u2003"), "");
    EXPECT_EQ(trimmed("ab"), "ab");
}

}  // namespace
}  // namespace ome::core
