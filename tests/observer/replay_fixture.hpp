// Recordings of one home for the tests of `replay --plot`.
#pragma once

#include "replay_events.hpp"
#include "replay_trace.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace ome::observer {

inline std::string capacity_block(int samples, int quorum, std::string_view max_age = "40s") {
    return R"("capacity":{"path":"/c","method":"GET","format":"Report","samples":)" +
           std::to_string(samples) + R"(,"quorum":)" + std::to_string(quorum) +
           R"(,"period":"10s","timeout":"3s","maxAge":")" + std::string(max_age) + R"("})";
}

inline std::string probe_block(int failures) {
    return R"("probe":{"path":"/h","method":"GET","acceptStatuses":[200],"gateStatuses":[503],)"
           R"("period":"10s","timeout":"3s","failureThreshold":)" +
           std::to_string(failures) + R"(,"successThreshold":1,"allFailedPolicy":"Drain"})";
}

inline wire::ReplayPolicies policies_in_text(const std::string& blocks) {
    auto read = wire::read_replay_policies("{" + blocks + "}");
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::move(*read) : wire::ReplayPolicies{};
}

/// Lines, ten seconds apart as long as nothing else is asked for.
class RecordingText {
public:
    RecordingText& after(int seconds) {
        second_ += seconds;
        return *this;
    }
    RecordingText& home(std::string name) {
        home_ = std::move(name);
        return *this;
    }
    RecordingText& declared(const std::string& blocks) {
        text_ +=
            "{\"at\":\"" + now() + R"(","service":"s","declared":{"homes":[)" +
            R"({"cluster":"a","endpoint":"http://h/x"},{"cluster":"b","endpoint":"http://h/y"}],)" +
            blocks + "}}\n";
        return *this;
    }
    RecordingText& report(int servable) {
        return line(R"("poll":{"status":200,"body":"{\"servable\":)" + std::to_string(servable) +
                    R"(,\"observedAt\":\")" + now() + R"(\"}"})");
    }
    RecordingText& reports(const std::vector<int>& counts) {
        for (const int count : counts) {
            report(count);
        }
        return *this;
    }
    RecordingText& failed_poll() { return line(R"("poll":{"status":404})"); }
    RecordingText& probe(int status) {
        return line("\"probe\":{\"status\":" + std::to_string(status) + "}");
    }
    RecordingText& line(const std::string& members) {
        text_ +=
            "{\"at\":\"" + now() + R"(","service":"s","home":")" + home_ + "\"," + members + "}\n";
        second_ += 10;
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    [[nodiscard]] std::string now() const {
        const auto two = [](int number) {
            return std::string(number < 10 ? "0" : "") + std::to_string(number);
        };
        return "2026-09-28T" + two(10 + second_ / 3600) + ":" + two(second_ / 60 % 60) + ":" +
               two(second_ % 60) + "Z";
    }

    std::string home_ = "a";
    std::string text_;
    int second_ = 0;
};

/// What the problems of lines were goes to `errors`.
inline core::Result<ReplayComparison> compare(const std::string& recording,
                                              std::vector<PolicyUnderTrial> policies,
                                              const std::string& home,
                                              std::string& errors,
                                              std::optional<std::int32_t> plan = std::nullopt) {
    ReplayTrace trace(std::move(policies), home);
    std::istringstream in(recording);
    std::ostringstream told;
    static_cast<void>(read_events(
        {},
        in,
        [&trace](const wire::ReplayEvent& event) { return trace.apply(event); },
        [](bool) { return true; },
        told));
    errors = told.str();
    return trace.compare(plan, 2);
}

}  // namespace ome::observer
