#include "telemetry/log_line.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ome::telemetry::log {
namespace {

using namespace std::chrono_literals;

constexpr core::WallTime at{1'796'032'800, 123'999'999};

std::string text(std::string_view event, Fields fields) {
    return format_line(Format::Text, at, Level::Info, event, fields);
}

std::string json(std::string_view event, Fields fields) {
    return format_line(Format::Json, at, Level::Info, event, fields);
}

TEST(LogLine, ReadsLikeASentenceWithItsFacts) {
    EXPECT_EQ(
        text("gate closed",
             {{"service", "ns/name"}, {"failures", 3}, {"message", "HTTP 503"}, {"late", 1500ms}}),
        "2026-11-30T10:00:00.123Z INFO  gate closed service=ns/name failures=3 "
        "message=\"HTTP 503\" late=1.5s");
}

TEST(LogLine, IsOneJsonObject) {
    EXPECT_EQ(
        json("gate closed", {{"failures", 3}, {"gated", true}, {"share", 0.5}, {"late", 1500ms}}),
        R"({"time":"2026-11-30T10:00:00.123Z","level":"info","event":"gate closed",)"
        R"("failures":3,"gated":true,"share":0.5,"late":"1.5s"})");
}

TEST(LogLine, NamesTheLevelInAColumn) {
    EXPECT_TRUE(format_line(Format::Text, at, Level::Warn, "x", {}).ends_with("Z WARN  x"));
    EXPECT_TRUE(format_line(Format::Text, at, Level::Error, "x", {}).ends_with("Z ERROR x"));
    EXPECT_TRUE(format_line(Format::Text, at, Level::Debug, "x", {}).ends_with("Z DEBUG x"));
}

TEST(LogLine, QuotesWhatCouldBeMistaken) {
    EXPECT_TRUE(text("e", {{"v", ""}}).ends_with(" v=\"\""));
    EXPECT_TRUE(text("e", {{"v", "a=b"}}).ends_with(" v=\"a=b\""));
    EXPECT_TRUE(text("e", {{"v", "say \"hi\""}}).ends_with(R"( v="say \"hi\"")"));
    EXPECT_TRUE(text("e", {{"v", "plain/1.2:3"}}).ends_with(" v=plain/1.2:3"));
}

TEST(LogLine, LetsNoControlCharacterOfAPeerThrough) {
    const std::string evil =
        "a\nb\x1b[31mred\x1b[0m\r\t\x7f\xc2\x9b"
        "1m\xff\x01 \xe2\x80\xae end";
    for (const std::string& line :
         {text("e", {{"v", evil}}), json("e", {{"v", evil}}), text(evil, {})}) {
        for (const char c : line) {
            EXPECT_GE(static_cast<unsigned char>(c), 0x20U) << line;
            EXPECT_NE(c, '\x7f') << line;
        }
        EXPECT_EQ(line.find("\xc2\x9b"), std::string::npos) << line;
        EXPECT_EQ(line.find('\xff'), std::string::npos) << line;
    }
}

TEST(LogLine, CutsAValueWithoutEnd) {
    EXPECT_LT(text("e", {{"v", std::string(1'000'000, 'x')}}).size(), 5000U);
    EXPECT_LT(json("e", {{"v", std::string(1'000'000, 'x')}}).size(), 5000U);
}

TEST(LogLine, KeepsJsonValidForNumbersThatAreNone) {
    EXPECT_TRUE(
        json("e", {{"v", std::numeric_limits<double>::infinity()}}).ends_with("\"v\":null}"));
}

}  // namespace
}  // namespace ome::telemetry::log
