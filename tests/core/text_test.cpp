#include <ome/core/text.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

TEST(GoQuote, KeepsWhatPrints) {
    EXPECT_EQ(go_quote(""), R"("")");
    EXPECT_EQ(go_quote("http://h/~'`"), R"("http://h/~'`")");
    EXPECT_EQ(go_quote("\u00e9\u65e5\U0001f600\ufffd"), "\"\u00e9\u65e5\U0001f600\ufffd\"");
}

TEST(GoQuote, EscapesQuotesBackslashesAndControls) {
    EXPECT_EQ(go_quote("a\"b\\c"), R"("a\"b\\c")");
    EXPECT_EQ(go_quote("\a\b\f\n\r\t\v"), R"("\a\b\f\n\r\t\v")");
    EXPECT_EQ(go_quote(std::string_view("\0\x1b\x7f", 3)), R"("\x00\x1b\x7f")");
}

TEST(GoQuote, WritesUnprintableCharactersAsCodePoints) {
    EXPECT_EQ(go_quote("\u0085\u00a0\u00ad\u200b\u2028\u202e\ufeff\ue000"),
              R"("\u0085\u00a0\u00ad\u200b\u2028\u202e\ufeff\ue000")");
    EXPECT_EQ(go_quote("\U000e0001\U0010ffff"), R"("\U000e0001\U0010ffff")");
}

TEST(GoQuote, WritesEachByteThatIsNoUtf8AsABytes) {
    EXPECT_EQ(go_quote("a\xff\x80z"), R"("a\xff\x80z")");
    EXPECT_EQ(go_quote("\xc3"), R"("\xc3")");
    EXPECT_EQ(go_quote("\xc0\xaf"), R"("\xc0\xaf")");                  // overlong
    EXPECT_EQ(go_quote("\xed\xa0\x80"), R"("\xed\xa0\x80")");          // surrogate
    EXPECT_EQ(go_quote("\xf4\x90\x80\x80"), R"("\xf4\x90\x80\x80")");  // above U+10FFFF
    EXPECT_EQ(go_quote("\xe2\x82"
                       "A"),
              R"("\xe2\x82A")");
}

TEST(SanitizeDetail, KeepsOrdinaryTextAsItIs) {
    EXPECT_EQ(sanitize_detail("connection refused  (\u00e9)"), "connection refused  (\u00e9)");
    EXPECT_EQ(sanitize_detail(""), "");
}

TEST(SanitizeDetail, TurnsRunsOfControlsIntoOneSpace) {
    EXPECT_EQ(sanitize_detail("a\r\n\tb\x7f"
                              "c"),
              "a b c");
    EXPECT_EQ(sanitize_detail("a \n b"), "a  b");
    EXPECT_EQ(sanitize_detail("\na\n"), "a");
    EXPECT_EQ(sanitize_detail(std::string_view("a\0b", 3)), "a b");
    EXPECT_EQ(sanitize_detail("a\u0085\u009fb\u202ec\u2028d\u061ce"), "a b c d e");
}

TEST(SanitizeDetail, DropsTerminalSequences) {
    EXPECT_EQ(sanitize_detail("\x1b[31;1mred\x1b[0m"), "red");
    EXPECT_EQ(sanitize_detail("a\x1b"
                              "cb"),
              "ab");
    EXPECT_EQ(sanitize_detail("a\x1b[31"), "a");
    EXPECT_EQ(sanitize_detail("a\x1b"), "a");
    EXPECT_EQ(sanitize_detail("a\u009b31mb"), "a 31mb");
}

TEST(SanitizeDetail, ReplacesBytesThatAreNoUtf8) {
    EXPECT_EQ(sanitize_detail("a\xff\xc3z"), "a\ufffd\ufffdz");
}

TEST(SanitizeDetail, CutsBetweenCharacters) {
    EXPECT_EQ(sanitize_detail("abc", 3), "abc");
    EXPECT_EQ(sanitize_detail("abcd", 3), "abc");
    EXPECT_EQ(sanitize_detail("ab\u00e9", 4), "ab\u00e9");
    EXPECT_EQ(sanitize_detail("ab\u00e9", 3), "ab");
    EXPECT_EQ(sanitize_detail("ab cd", 3), "ab");
    EXPECT_EQ(sanitize_detail(std::string(2'000, 'x')).size(), 1'024U);
    EXPECT_EQ(sanitize_detail("abc", 0), "");
}

TEST(Counted, HasOneAlone) {
    EXPECT_EQ(counted(0, "home", "homes"), "0 homes");
    EXPECT_EQ(counted(1, "home", "homes"), "1 home");
    EXPECT_EQ(counted(2, "home", "homes"), "2 homes");
}

TEST(Shorten, MarksWhatIsCutAndCountsCharacters) {
    EXPECT_EQ(count_characters("a\u00e9\u2026"), 3U);
    EXPECT_EQ(shorten("abc", 3), "abc");
    EXPECT_EQ(shorten("abcd", 3), "ab\u2026");
    EXPECT_EQ(shorten("\u00e4\u00f6\u00fc\u00df", 3), "\u00e4\u00f6\u2026");
    EXPECT_EQ(shorten("abcd", 0), "\u2026");
    EXPECT_EQ(shorten("", 0), "");
}

TEST(Shorten, KeepsToBytesToo) {
    EXPECT_EQ(shorten_bytes("abcd", 4), "abcd");
    EXPECT_EQ(shorten_bytes("abcdef", 5), "ab\u2026");
    EXPECT_EQ(shorten_bytes("a\u00e9\u00e9\u00e9", 5), "a\u2026") << "not half a character";
    EXPECT_EQ(shorten_bytes("abcdef", 3), "\u2026");
}

}  // namespace
}  // namespace ome::core
