#include "endpoint_escape.hpp"

#include <gtest/gtest.h>

namespace ome::core {
namespace {

std::string decoded(std::string_view text, UrlPart part) {
    const auto result = unescape(text, part);
    return result ? *result : "fault: " + to_message(result.error());
}

TEST(Escape, SpellsWhatMayNotStandInAPart) {
    EXPECT_EQ(escape("aZ09-_.~/b c\u00e9?#%", UrlPart::Path), "aZ09-_.~/b%20c%C3%A9%3F%23%25");
    EXPECT_EQ(escape("user:na me@x", UrlPart::Userinfo), "user%3Ana%20me%40x");
    EXPECT_EQ(escape("h[1]:2/", UrlPart::Host), "h[1]:2%2F");
    EXPECT_EQ(escape("", UrlPart::Path), "");
}

TEST(Escape, DecodesInAPathWhateverIsWellFormed) {
    EXPECT_EQ(decoded("/a%2fb%00%c3%A9", UrlPart::Path), std::string("/a/b\0\xc3\xa9", 7));
    EXPECT_EQ(decoded("%zz/x", UrlPart::Path), "fault: invalid URL escape \"%zz\"");
    EXPECT_EQ(decoded("x%4", UrlPart::Path), "fault: invalid URL escape \"%4\"");
    EXPECT_EQ(decoded("x%", UrlPart::Userinfo), "fault: invalid URL escape \"%\"");
}

TEST(Escape, DecodesInAHostOnlyWhatIsAboveAsciiAndThePercentSign) {
    EXPECT_EQ(decoded("h%c3%a9%25", UrlPart::Host), "h\xc3\xa9%");
    EXPECT_EQ(decoded("h%41", UrlPart::Host), "fault: invalid URL escape \"%41\"");
    EXPECT_EQ(decoded("h^", UrlPart::Host), "fault: invalid character \"^\" in host name");
    EXPECT_EQ(decoded("\xc3\xa9", UrlPart::Host), "\xc3\xa9");
    EXPECT_EQ(decoded("eth%20%41", UrlPart::Zone), "eth A");
    EXPECT_EQ(decoded("eth%2f", UrlPart::Zone), "fault: invalid URL escape \"%2f\"");
}

TEST(Escape, LeavesAValidSpellingOfAPathAndSpellsOthersAnew) {
    EXPECT_EQ(escaped_path("/a%2fb!(c)"), "/a%2fb!(c)");
    EXPECT_EQ(escaped_path("/a%2fb c"), "/a/b%20c");
}

TEST(Escape, QuotesForeignTextWithinABound) {
    EXPECT_EQ(quote_foreign("a\n"), R"("a\n")");
    const std::string whole(1'598, 'x');
    EXPECT_EQ(quote_foreign(whole), '"' + whole + '"');
    EXPECT_EQ(quote_foreign(whole + "y"), '"' + std::string(320, 'x') + "...\"");
    EXPECT_LT(quote_foreign(std::string(1'000, '\x01')).size(), 1'600U);
}

}  // namespace
}  // namespace ome::core
