#include <ome/wire/history_document.hpp>

#include <gtest/gtest.h>

namespace ome::wire {
namespace {

using namespace std::chrono_literals;

TEST(HistoryDocument, LeavesOutWhatAnAttemptDidNotComeTo) {
    core::HomeHistory home{"worker-a", {}};
    home.attempts.push_back({{1'790'000'000, 250'000'000},
                             core::Kind::Probe,
                             core::AttemptResult::Failing,
                             503,
                             {1ms, 2500us, 0ns, 10ms, 14ms},
                             core::Fault::None,
                             "HTTP 503",
                             core::AttemptChange::GateClosed});
    home.attempts.push_back({{1'789'999'990, 0},
                             core::Kind::Poll,
                             core::AttemptResult::Failed,
                             std::nullopt,
                             {},
                             core::Fault::Unreachable,
                             "capacity endpoint unreachable: \"x\""});
    home.attempts.push_back(
        {{1'789'999'980, 0}, core::Kind::Poll, core::AttemptResult::Accepted, 200, {}});
    home.attempts.back().servable = 3;
    home.attempts.back().ceiling = 0;
    std::string out;
    append_history(out, home);
    EXPECT_EQ(out,
              R"({"cluster":"worker-a","attempts":[)"
              R"({"time":"2026-09-21T14:13:20.250Z","kind":"probe","result":"Failing",)"
              R"("outcome":"answered","reason":"HTTP 503","change":"gate-closed","status":503,)"
              R"("ms":{"dns":1.000,"connect":2.500,"firstByte":10.000,"total":14.000}},)"
              R"({"time":"2026-09-21T14:13:10.000Z","kind":"poll","result":"Failed",)"
              R"("outcome":"unreachable","reason":"capacity endpoint unreachable: \"x\"","ms":{}},)"
              R"({"time":"2026-09-21T14:13:00.000Z","kind":"poll","result":"Accepted",)"
              R"("outcome":"answered","status":200,"servable":3,"ceiling":0,"ms":{}}]})");
}

}  // namespace
}  // namespace ome::wire
