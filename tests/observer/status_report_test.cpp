#include "status_report.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::observer {
namespace {

using testing::HasSubstr;

constexpr core::WallTime now{1'796'032'800, 0};  // 2026-11-30T10:00:00Z

const char* const status = R"({
  "instance":"ab12","version":"0.1.0","uptimeSeconds":11000,
  "services":2,"homes":3,"gated":1,"fallback":1,"due":4,"inFlight":3,"waiting":0,
  "budget":{"limit":16,"inUse":3,"needed":9.25},
  "lateness":{"p50Seconds":0.0005,"p99Seconds":0.0123,"p999Seconds":1.5,"maxSeconds":12},
  "rates":{"attemptsPerSecond":12.5},"reactors":[{}],"limits":{},
  "advice":["16 slots, 31 needed: attempts are 4.2 s late; set maxConcurrentRequests to at least 40"]})";

const char* const services = R"([
  {"namespace":"default","name":"llama","homes":[
    {"cluster":"worker-a","capacity":{"ceiling":4,"fallbackReason":"","lastAttemptTime":"2026-11-30T09:59:56.500Z",
      "nextAttemptTime":"2026-11-30T10:00:09Z"},
     "probe":{"result":"Passing","gated":false,"consecutiveFailures":0,"lastProbeTime":"2026-11-30T09:59:50Z",
      "nextAttemptTime":"2026-11-30T10:00:05Z"}},
    {"cluster":"worker-b","capacity":{"fallbackReason":"capacity endpoint unreachable: context deadline exceeded"},
     "probe":{"result":"Failing","gated":true,"consecutiveFailures":3,"lastProbeTime":"2026-11-30T09:57:50Z"}},
    {"cluster":"worker-c"}]},
  {"namespace":"default","name":"empty","homes":[]}])";

std::string report(const char* status_text, const char* services_text, bool color = false) {
    ReportStyle style;
    style.color = color;
    style.now = now;
    return report_status(
        boost::json::parse(status_text), boost::json::parse(services_text).as_array(), style);
}

TEST(StatusReport, ReadsLikeThis) {
    EXPECT_EQ(report(status, services),
              "ome-observer 0.1.0  instance ab12  up 3h3m\n"
              "fleet     services 2  homes 3      gated 1      fallback 1\n"
              "attempts  due 4       in flight 3  waiting 0    12.50/s\n"
              "budget    limit 16    in use 3     needed 9.25\n"
              "lateness  p50 0.5ms   p99 12.3ms   p99.9 1.5s   max 12.0s\n"
              "advice    16 slots, 31 needed: attempts are 4.2 s late; set maxConcurrentRequests "
              "to at least 40\n"
              "\n"
              "SERVICE        CLUSTER   CEILING  PROBE    GATED  FAILURES  LAST   NEXT  REASON\n"
              "default/llama  worker-a  4        Passing  no     0         3s     5s\n"
              "default/llama  worker-b  -        Failing  yes    3         2m10s  -     capacity "
              "endpoint unreachable: context deadline exceeded\n"
              "default/llama  worker-c  -        -        no     -         -      -\n"
              "default/empty  no homes\n");
}

TEST(StatusReport, SaysWhatIsSuspended) {
    const std::string text = report(status, R"([
      {"namespace":"a","name":"b","suspended":true,"homes":[
        {"cluster":"c","capacity":{"ceiling":4},"probe":{"result":"Passing","gated":false}},
        {"cluster":"d","probe":{"result":"Failing","gated":true,"message":"HTTP 503"}}]},
      {"namespace":"a","name":"never","suspended":true,"homes":[]}])");
    EXPECT_THAT(text, HasSubstr("suspended: nothing is sent\n"));
    EXPECT_THAT(text, HasSubstr("suspended: nothing is sent; HTTP 503\n"));
    EXPECT_THAT(text, HasSubstr("a/never  suspended\n"));
}

// `Passing` beside `GATED yes` and without a reason would be a riddle.
TEST(StatusReport, SaysHowFarAHomeIsThatPassesBehindAClosedGate) {
    const auto of_passes = [](int passes, bool gated) {
        const boost::json::array one{boost::json::object{
            {"namespace", "n"},
            {"name", "s"},
            {"homes",
             boost::json::array{boost::json::object{{"cluster", "a"},
                                                    {"probe",
                                                     {{"result", "Passing"},
                                                      {"gated", gated},
                                                      {"consecutiveFailures", 0},
                                                      {"consecutivePasses", passes}}}}}}}};
        return report_status(boost::json::parse("{}"), one, ReportStyle{});
    };
    EXPECT_THAT(of_passes(1, true),
                HasSubstr("still gated: 1 pass in a row, successThreshold asks for more\n"));
    EXPECT_THAT(of_passes(2, true), HasSubstr("still gated: 2 passes in a row"));
    EXPECT_THAT(of_passes(0, false), testing::Not(HasSubstr("gated: ")));
}

std::string report_in(std::optional<std::size_t> columns, const std::string& reason) {
    ReportStyle style;
    style.columns = columns;
    style.now = now;
    const boost::json::array one{boost::json::object{
        {"namespace", "n"},
        {"name", "s"},
        {"homes",
         boost::json::array{boost::json::object{
             {"cluster", "a"}, {"capacity", boost::json::object{{"fallbackReason", reason}}}}}}}};
    return report_status(boost::json::parse("{}"), one, style);
}

TEST(StatusReport, ShowsReasonsWholeUnlessATerminalIsTooNarrowAndThenMarksTheCut) {
    const std::string reason = std::string(150, 'x') + "end";
    EXPECT_THAT(report_in(std::nullopt, reason), HasSubstr(reason + "\n"));
    EXPECT_THAT(report_in(300, reason), HasSubstr(reason + "\n"));
    EXPECT_THAT(report_in(80, reason), HasSubstr("  " + std::string(79, 'x') + "\u2026\n"))
        << "what is left beside the other columns would say nothing";
    const std::string wide = report_in(180, reason);
    EXPECT_THAT(wide, HasSubstr("x\u2026\n"));
    const std::size_t begin = wide.rfind('\n', wide.find("\u2026")) + 1;
    EXPECT_EQ(wide.find("\u2026", begin) - begin, 179U) << wide;
}

TEST(StatusReport, SaysWhatLetsEndpointsOnThisMachineBeObserved) {
    const std::string text =
        report_in(40, "capacity endpoint unreachable: address refused by policy");
    EXPECT_THAT(text, HasSubstr("\nhint      \"address refused by policy\" (1 home): "));
    EXPECT_THAT(text, HasSubstr("--allow-loopback"));
    EXPECT_THAT(report_in(40, "capacity endpoint returned HTTP 404"),
                testing::Not(HasSubstr("hint")));
}

TEST(StatusReport, UsesColourOnlyWhenTold) {
    EXPECT_EQ(report(status, services).find('\x1b'), std::string::npos);
    EXPECT_THAT(report(status, services, true), HasSubstr("\x1b[31mFailing\x1b[0m"));
}

TEST(StatusReport, SurvivesAnswersOfAnotherShape) {
    for (const char* odd :
         {"{}", R"({"budget":[],"advice":"x","version":3,"uptimeSeconds":"y"})", "[]", "null"}) {
        EXPECT_THAT(report(odd, "[]"), HasSubstr("no services are declared")) << odd;
    }
    EXPECT_THAT(report("{}", R"([1,{"homes":3},{"name":"x","homes":[null,{"capacity":"y"}]}])"),
                HasSubstr("SERVICE"));
}

TEST(StatusReport, LetsNoControlCharacterOfAHomeThrough) {
    const std::string text = report(
        "{}",
        R"([{"namespace":"n","name":"s","homes":[{"cluster":"a\u001b[2Jb\n","capacity":{"fallbackReason":"x\u0007"}}]}])");
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\x07'), std::string::npos);
    EXPECT_THAT(text, HasSubstr("ab"));
}

TEST(DistanceText, CountsBothWaysInUnitsForPeople) {
    EXPECT_EQ(distance_text("2026-11-30T10:00:00.999Z", now), "now");
    EXPECT_EQ(distance_text("2026-11-30T10:00:01Z", now), "1s");
    EXPECT_EQ(distance_text("2026-11-30T09:59:01Z", now), "59s");
    EXPECT_EQ(distance_text("2026-11-30T09:59:00Z", now), "1m0s");
    EXPECT_EQ(distance_text("2026-11-30T09:00:01Z", now), "59m59s");
    EXPECT_EQ(distance_text("2026-11-30T08:58:00Z", now), "1h2m");
    EXPECT_EQ(distance_text("2026-11-29T09:00:00Z", now), "1d1h");
    EXPECT_EQ(distance_text("", now), "");
    EXPECT_EQ(distance_text("soon", now), "");
}

}  // namespace
}  // namespace ome::observer
