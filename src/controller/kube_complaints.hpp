// What goes wrong with an API server, in the log: of the same words one line a minute, with the
// number of those that were left out. One thread.
#pragma once

#include <ome/core/time.hpp>
#include <ome/kube/failure.hpp>
#include <ome/telemetry/repeat_limiter.hpp>

#include <functional>
#include <string>
#include <utility>

namespace ome::controller {

class KubeComplaints {
public:
    using Clock = std::function<core::Now()>;

    explicit KubeComplaints(Clock clock) : clock_(std::move(clock)) {}

    /// `at`: a word for what has failed. A right that is missing is told already (right_log.hpp).
    void trouble(const char* at, const kube::Failure& failure);
    void trouble(const char* at, const std::string& problem);
    /// Of an answered request (kube::ClientSettings::warned). A type that lacks a field (of another
    /// release, say) drops it, and the write counts as done: only the warning tells.
    void warning(const std::string& request, const std::string& text);

private:
    Clock clock_;
    telemetry::RepeatLimiter told_{std::chrono::minutes(1)};
};

}  // namespace ome::controller
