#include <ome/core/timestamp.hpp>
#include <ome/wire/report.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ome::wire {
namespace {

constexpr std::string_view stamp = R"("observedAt":"2026-09-28T10:00:00Z")";

// `4 @ 2026-09-28T10:00:00.000Z`, or the reason.
std::string outcome(std::string_view body, bool padded = false) {
    const auto decoded = decode_report(body, padded);
    if (const auto* report = std::get_if<core::CapacityReport>(&decoded)) {
        return std::to_string(report->servable) + " @ " +
               core::format_timestamp(report->observed_at);
    }
    return std::get<std::string>(decoded);
}

// A body with a valid stamp and `members` before it.
std::string with(std::string_view members) {
    return "{" + std::string(members) + "," + std::string(stamp) + "}";
}

constexpr std::string_view four = "4 @ 2026-09-28T10:00:00.000Z";
constexpr std::string_view no_count = "capacity report has no servable count";
constexpr std::string_view no_stamp = "capacity report has no observedAt stamp";

void expect_invalid(std::string_view body, std::string_view why = "") {
    const std::string reason = outcome(body);
    const std::string prefix = "capacity response is not a valid report: " + std::string(why);
    EXPECT_EQ(reason.substr(0, prefix.size()), prefix) << body;
}

TEST(DecodeReport, ReadsAReport) {
    EXPECT_EQ(outcome(with(R"("servable":4)")), four);
    EXPECT_EQ(outcome(" \r\n\t{ \"servable\" : 4 , " + std::string(stamp) + " } \n"), four);
    EXPECT_EQ(outcome(R"({"servable":2,"observedAt":"2026-09-28T12:00:00.1234567899+02:00"})"),
              "2 @ 2026-09-28T10:00:00.123456789Z");
}

TEST(DecodeReport, ReadsInPlaceWhenTheBodyIsPadded) {
    const std::string body = with(R"("servable":4)");
    const std::string padded = body + std::string(64, '}');
    EXPECT_EQ(outcome(std::string_view(padded).substr(0, body.size()), true), four);
    expect_invalid(std::string_view(padded).substr(0, body.size() - 1));
}

TEST(DecodeReport, ReadsNothingBehindTheBody) {
    const std::string whole = with(R"("servable":4,"x":[[{"a":{"b":[{}]}},{}],""],"y":{"z":[]})");
    const std::string closed = whole + std::string(64, '}');
    for (std::size_t length = 0; length < whole.size(); ++length) {
        expect_invalid(whole.substr(0, length));
        const std::string rest = outcome(std::string_view(closed).substr(0, length), true);
        EXPECT_TRUE(rest.starts_with("capacity response is not a valid report: ")) << length;
    }
    for (const std::string_view open :
         {R"({"x":{"servable":4})", R"({"x":{})", R"({"x":[{})", R"({"x":[{"a":1})"}) {
        for (const char next : {'}', ']', ',', '{', '[', '"', ':'}) {
            const std::string text = std::string(open) + std::string(64, next);
            const std::string reason = outcome(std::string_view(text).substr(0, open.size()), true);
            EXPECT_TRUE(reason.starts_with("capacity response is not a valid report: ")) << text;
        }
    }
}

TEST(DecodeReport, TakesNoStringForAName) {
    const std::string begin = "{\"servable\":4," + std::string(stamp) + ",\"x\":\"a\":";
    for (const std::string_view end :
         {"1}", "[1]}", "[1],\"b\":{}},\"y\":[]}", "{},\"b\":{}}}", "\"c\":{}}}"}) {
        expect_invalid(begin + std::string(end));
    }
}

TEST(DecodeReport, TakesEveryInt32AndNothingAround) {
    EXPECT_EQ(outcome(with(R"("servable":2147483647)")), "2147483647 @ 2026-09-28T10:00:00.000Z");
    EXPECT_EQ(outcome(with(R"("servable":-2147483648)")), "-2147483648 @ 2026-09-28T10:00:00.000Z");
    EXPECT_EQ(outcome(with(R"("servable":-0)")), "0 @ 2026-09-28T10:00:00.000Z");
    expect_invalid(
        with(R"("servable":2147483648)"),
        "servable must be a whole number from -2147483648 to 2147483647, not 2147483648");
    expect_invalid(with(R"("servable":-2147483649)"), "servable");
    expect_invalid(with(R"("servable":99999999999999999999999)"), "servable");
}

TEST(DecodeReport, TakesPlainIntegersOnly) {
    for (const std::string_view value : {"4.0",
                                         "4e0",
                                         "1e2",
                                         "4E-0",
                                         R"("4")",
                                         "true",
                                         "false",
                                         "[4]",
                                         "{}",
                                         "{\"a\":4}",
                                         R"("")"}) {
        expect_invalid(with("\"servable\":" + std::string(value)), "servable must be");
    }
    for (const std::string_view value : {"04",
                                         "+4",
                                         "NaN",
                                         "4.",
                                         ".4",
                                         "4e",
                                         "-",
                                         "0x4",
                                         "4x",
                                         "nul",
                                         "nullx",
                                         "Null",
                                         "4 4",
                                         "--4",
                                         "Infinity",
                                         "'4'",
                                         ""}) {
        expect_invalid(with("\"servable\":" + std::string(value)));
        expect_invalid(with("\"servable\":4,\"other\":" + std::string(value)));
    }
}

TEST(DecodeReport, MissesTheCountBeforeTheStamp) {
    EXPECT_EQ(outcome("{}"), no_count);
    EXPECT_EQ(outcome("null"), no_count);
    EXPECT_EQ(outcome(" null\n"), no_count);
    EXPECT_EQ(outcome(with(R"("servable":null)")), no_count);
    EXPECT_EQ(outcome(R"({"observedAt":null})"), no_count);
    EXPECT_EQ(outcome(R"({"servable":2})"), no_stamp);
    EXPECT_EQ(outcome(R"({"servable":2,"observedAt":null})"), no_stamp);
}

TEST(DecodeReport, TakesTheZeroInstantForNoStampInAnySpelling) {
    for (const std::string_view zero : {"0001-01-01T00:00:00Z",
                                        "0001-01-01T00:00:00.000Z",
                                        "0001-01-01T05:30:00+05:30",
                                        "0000-12-31T23:00:00-01:00"}) {
        EXPECT_EQ(outcome(R"({"servable":2,"observedAt":")" + std::string(zero) + "\"}"), no_stamp);
    }
    EXPECT_EQ(outcome(R"({"servable":2,"observedAt":"0001-01-01T00:00:01Z"})"),
              "2 @ 0001-01-01T00:00:01.000Z");
}

TEST(DecodeReport, RefusesStampsThatAreNone) {
    for (const std::string_view value : {R"("")",
                                         "1790000000",
                                         "{}",
                                         "[]",
                                         "true",
                                         R"("2026-09-28T10:00:00")",
                                         R"("2026-09-28 10:00:00Z")",
                                         R"("2026-09-28T10:00:00\u005a")",
                                         R"("2026-09-28T9:59:59Z")",
                                         R"(" 2026-09-28T10:00:00Z")"}) {
        expect_invalid(R"({"servable":2,"observedAt":)" + std::string(value) + "}",
                       "observedAt must be an RFC 3339 time with a zone, not ");
    }
}

TEST(DecodeReport, TellsTheFormOfAStampSoThatTheReasonStaysTheSameWhileTimePasses) {
    const std::string now = outcome(R"({"servable":2,"observedAt":"2026-09-28T10:00:01"})");
    EXPECT_EQ(now,
              "capacity response is not a valid report: observedAt must be an RFC 3339 time with a "
              "zone, not of the form \"0000-00-00T00:00:00\"");
    EXPECT_EQ(outcome(R"({"servable":2,"observedAt":"2026-09-28T10:00:02"})"), now);
    EXPECT_EQ(outcome(R"({"servable":2,"observedAt":1790000000})"),
              "capacity response is not a valid report: observedAt must be an RFC 3339 time with a "
              "zone, not a number");
}

TEST(DecodeReport, QuotesAStampOfTheRightFormThatIsNoTime) {
    for (const std::string text : {"2026-02-30T00:00:00Z", "2026-09-28T24:00:00.5+02:00"}) {
        EXPECT_EQ(outcome(R"({"servable":2,"observedAt":")" + text + "\"}"),
                  "capacity response is not a valid report: observedAt \"" + text +
                      "\" is no time that exists");
    }
}

TEST(DecodeReport, F55_SaysThatAPageIsAPage) {
    EXPECT_EQ(outcome("<!doctype html><html></html>"),
              "capacity response is not a valid report: the body is not a JSON object, it looks "
              "like HTML");
    EXPECT_EQ(outcome("4"),
              "capacity response is not a valid report: the body is not a JSON object");
}

TEST(DecodeReport, MatchesNamesInAnyAsciiCaseAfterDecodingEscapes) {
    EXPECT_EQ(outcome(R"({"SERVABLE":4,"OBSERVEDAT":"2026-09-28T10:00:00Z"})"), four);
    EXPECT_EQ(outcome(with(R"("\u0053erv\u0061ble":4)")), four);
    EXPECT_EQ(outcome(with("\"\u017fervable\":4")), no_count);  // long s folds to s in Unicode only
    EXPECT_EQ(outcome(with(R"("servable ":4)")), no_count);
    EXPECT_EQ(outcome(with(R"("servable\u0000":4)")), no_count);
    EXPECT_EQ(outcome(with("\"serv[ble\":4")), no_count);
}

TEST(DecodeReport, AppliesRepeatedNamesInOrder) {
    EXPECT_EQ(outcome(with(R"("servable":9,"Servable":4)")), four);
    EXPECT_EQ(outcome(with(R"("servable":null,"servable":4)")), four);
    EXPECT_EQ(outcome(with(R"("servable":4,"servable":null)")), no_count);
    EXPECT_EQ(outcome("{\"servable\":4," + std::string(stamp) + ",\"observedAt\":null}"), four);
    EXPECT_EQ(outcome("{\"servable\":4," + std::string(stamp) +
                      R"(,"observedAt":"0001-01-01T00:00:00Z"})"),
              no_stamp);
    expect_invalid(with(R"("servable":"x","servable":4)"), "servable");
    expect_invalid("{\"servable\":4,\"observedAt\":1," + std::string(stamp) + "}", "observedAt");
}

TEST(DecodeReport, ReportsAFaultBehindACompleteReport) {
    const std::string report = with(R"("servable":4)");
    for (const std::string_view tail :
         {" x", "{}", ",", "}", "]", "null", " 1", "\"\"", "\x01", "/*c*/", "\xff"}) {
        expect_invalid(report + std::string(tail));
    }
    expect_invalid(report + std::string(1, '\0'));
}

TEST(DecodeReport, ReadsOneObjectOnly) {
    for (const std::string_view body : {"",
                                        " ",
                                        "\n",
                                        "not json",
                                        "4",
                                        "\"x\"",
                                        "true",
                                        "[]",
                                        "nullx",
                                        "null null",
                                        "null,",
                                        "{",
                                        "}",
                                        "{]",
                                        "[{}]",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{\"a\":1,}",
                                        "{,}",
                                        "{\"a\":1 \"b\":2}",
                                        "{a:1}",
                                        "{'a':1}",
                                        "{\"a\":1;}",
                                        "{1:1}",
                                        "{\"a\" 1}",
                                        "{\"a\"::1}",
                                        "{null:1}",
                                        "\xef\xbb\xbf{}",
                                        "{\"a\":\"b}",
                                        "//\n{}"}) {
        expect_invalid(body);
    }
}

TEST(DecodeReport, ChecksIgnoredValuesToo) {
    for (const std::string_view good : {"[]",
                                        "{}",
                                        "[1,[2,{\"a\":[]}],{}]",
                                        "123456789012345678901234567890",
                                        "1e999",
                                        "-0.0E+0",
                                        "\"\\u00e9\\ud83d\\ude00\\n\\/\"",
                                        "\"\u00e9\U0001f600\"",
                                        "{\"servable\":\"inner\"}",
                                        "[null,true,false]"}) {
        EXPECT_EQ(outcome(with("\"servable\":4,\"x\":" + std::string(good))), four) << good;
    }
    for (const std::string_view bad : {"[1,]",
                                       "[1 2]",
                                       "[,1]",
                                       "[1}",
                                       "{]",
                                       "[01]",
                                       "[1.e1]",
                                       "[tru]",
                                       "[truee]",
                                       "[\"a\"b]",
                                       "[\"a\"\"b\"]",
                                       "{\"a\":1,}",
                                       "{\"a\":1,\"b\"}",
                                       "[\"\\x\"]",
                                       "\"\\u12\"",
                                       "\"\\u12g4\"",
                                       "\"\\ud83d\"",
                                       "\"\\ude00\"",
                                       "\"\\ud83d\\u0041\"",
                                       "\"\\ud83dx\"",
                                       "\"\xff\"",
                                       "\"\xc0\xaf\"",
                                       "\"\xed\xa0\x80\"",
                                       "\"a\nb\"",
                                       "\"\x01\"",
                                       "{\"\\ud83d\":1}",
                                       "{\"\xff\":1}",
                                       "{\"\\q\":1}",
                                       "[{\"a\":[{\"b\":nul}]}]",
                                       "\"a\":1",
                                       "\"a\":[1]",
                                       "[\"a\":1]",
                                       "\"\\\"",
                                       "[[]",
                                       "[]]",
                                       "1]"}) {
        expect_invalid(with("\"servable\":4,\"x\":" + std::string(bad)));
    }
    expect_invalid(with("\"\\ud83d\":1,\"servable\":4"), "a string holds a malformed escape");
    expect_invalid(with("\"servable\":4,\"x\":\"\xff\""), "the body is not UTF-8");
}

std::string nested(std::size_t levels, char open, char close, std::string_view between) {
    std::string text;
    for (std::size_t i = 0; i < levels; ++i) {
        text += open;
        text += i + 1 < levels ? between : "";
    }
    return text + std::string(levels, close);
}

TEST(DecodeReport, WalksTenThousandLevelsAndNoFurther) {
    const auto body = [](const std::string& value) {
        return with("\"servable\":4,\"x\":" + value);
    };
    EXPECT_EQ(outcome(body(nested(9'999, '[', ']', ""))), four);
    expect_invalid(body(nested(10'000, '[', ']', "")), "the body is nested deeper");
    EXPECT_EQ(outcome(body(nested(9'999, '{', '}', "\"a\":"))), four);
    expect_invalid(body(nested(10'000, '{', '}', "\"a\":")), "the body is nested deeper");
    expect_invalid(body(nested(1'000'000, '[', ']', "")), "the body is nested deeper");
    expect_invalid(body(std::string(1'000'000, '[')));
    EXPECT_EQ(outcome(with(R"("servable":4)")), four);  // and the buffers are fit for the next one
}

TEST(DecodeReport, SaysTheSameWhateverLiesBehindTheBody) {
    const std::string body = R"({"observedAt":r2{"2{"vable":4,"serva})";
    const auto expected = decode_report(body);
    for (const char behind : {'}', ']', '"', ' ', '\0'}) {
        const std::string padded = body + std::string(64, behind);
        EXPECT_EQ(decode_report(std::string_view(padded).substr(0, body.size()), true), expected)
            << behind;
    }
}

TEST(DecodeReport, ShowsAForeignValueShortAndClean) {
    const std::string reason =
        outcome(with("\"servable\":\"\\u001b[31m" + std::string(5'000, 'x') + "\""));
    EXPECT_LT(reason.size(), 256U);
    EXPECT_EQ(outcome(with("\"servable\":[1]")).find("not an array") == std::string::npos, false);
}

}  // namespace
}  // namespace ome::wire
