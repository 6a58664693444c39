// What reporters have sent in the field in place of a count or a stamp (docs/field-cases.md).
#include <ome/core/timestamp.hpp>
#include <ome/wire/report.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ome::wire {
namespace {

constexpr std::string_view not_valid = "capacity response is not a valid report: ";
constexpr std::string_view no_count = "capacity report has no servable count";
constexpr std::string_view no_stamp = "capacity report has no observedAt stamp";

/// The count, or the reason.
std::string outcome(const std::string& body) {
    const auto decoded = decode_report(body);
    const auto* report = std::get_if<core::CapacityReport>(&decoded);
    return report == nullptr ? std::get<std::string>(decoded) : std::to_string(report->servable);
}

std::string counted(const std::string& count) {
    return outcome(R"({"servable":)" + count + R"(,"observedAt":"2026-09-28T10:00:00Z"})");
}

std::string stamped(const std::string& stamp) {
    return outcome(R"({"servable":4,"observedAt":)" + stamp + "}");
}

std::string beside(const std::string& ignored) {
    return outcome(R"({"x":)" + ignored + R"(,"servable":4,"observedAt":"2026-09-28T10:00:00Z"})");
}

bool refused(const std::string& reason) {
    return reason.starts_with(not_valid);
}

TEST(FieldReport, F50_NumbersThatAreNoCountsAreNoReports) {
    for (const char* odd : {"4.0",
                            "4.5",
                            "4e0",
                            "4E2",
                            "1e400",
                            "22e2222",
                            "\"4\"",
                            "true",
                            "[4]",
                            "{\"n\":4}",
                            "NaN",
                            "Infinity",
                            "-Infinity",
                            "0x4",
                            "04",
                            "+4",
                            "2147483648",
                            "4294967296",
                            "-2147483649",
                            "9007199254740993",
                            "9223372036854775808",
                            "18446744073709551616",
                            "1e-400",
                            "4.",
                            ".4",
                            "4e",
                            "--4"}) {
        EXPECT_TRUE(refused(counted(odd))) << odd << ": " << counted(odd);
    }
    EXPECT_TRUE(refused(counted(std::string(5000, '9'))));
    EXPECT_EQ(counted("2147483647"), "2147483647");
    EXPECT_EQ(counted("-0"), "0");
    EXPECT_EQ(counted("0"), "0");
    EXPECT_EQ(counted("null"), no_count);
    EXPECT_EQ(outcome(R"({"observedAt":"2026-09-28T10:00:00Z"})"), no_count);
}

TEST(FieldReport, F52_StampsAreRfc3339AndNothingElse) {
    for (const char* good : {"2026-09-28T10:00:00Z",
                             "2026-09-28T10:00:00+00:00",
                             "2026-09-28T10:00:00-00:00",
                             "2026-09-28T15:30:00+05:30",
                             "2026-09-28T02:00:00-08:00",
                             "2026-09-29T00:00:00+14:00",
                             "2026-09-28T10:00:00.123Z",
                             "2026-09-28T10:00:00.123456Z",
                             "2026-09-28T10:00:00.123456789Z",
                             "2026-09-28T10:00:00.123456789012Z"}) {
        EXPECT_EQ(stamped("\"" + std::string(good) + "\""), "4") << good;
    }
    for (const char* odd : {"\"2026-09-28T10:00:00\"",
                            "\"2026-09-28T10:00:00+0000\"",
                            "\"2026-09-28 10:00:00Z\"",
                            "\"2026-09-28\"",
                            "\"20260928T100000Z\"",
                            "\"2026-02-30T10:00:00Z\"",
                            "\"2026-09-28T24:00:00Z\"",
                            "\"2026-09-28T10:00:00.Z\"",
                            "\"2026-09-28T10:00:60Z\"",
                            "\"2026-09-28T10:00:00+25:00\"",
                            "\"now\"",
                            "1790589600",
                            "true"}) {
        EXPECT_TRUE(refused(stamped(odd))) << odd << ": " << stamped(odd);
    }
    for (const char* none : {"null", "\"0001-01-01T00:00:00Z\""}) {
        EXPECT_EQ(stamped(none), no_stamp) << none;
    }
    EXPECT_EQ(outcome(R"({"servable":4})"), no_stamp);
}

TEST(FieldReport, F54_NestingAndBrokenTextSpoilAReportAndNothingElse) {
    for (const std::string& bomb : {std::string(60000, '['),
                                    std::string(20000, '[') + std::string(20000, ']'),
                                    std::string("\"a\x01"
                                                "b\""),
                                    std::string("\"\xc3\x28\""),
                                    std::string("\"\xff\""),
                                    std::string(R"("\ud800")"),
                                    std::string(R"("\udc00x")")}) {
        EXPECT_TRUE(refused(beside(bomb))) << bomb.substr(0, 20);
    }
    std::string objects;
    for (int i = 0; i < 15000; ++i) {
        objects += R"({"a":)";
    }
    EXPECT_TRUE(refused(beside(objects + "1" + std::string(15000, '}'))));
    std::string wide = "[0";
    for (int i = 0; i < 20000; ++i) {
        wide += ",0";
    }
    EXPECT_EQ(beside(wide + "]"), "4");
    EXPECT_EQ(beside("\"" + std::string(60000, 'x') + "\""), "4");
}

}  // namespace
}  // namespace ome::wire
