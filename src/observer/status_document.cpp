#include "status_document.hpp"

#include <ome/core/advice.hpp>
#include <ome/core/attempt.hpp>
#include <ome/core/duration.hpp>
#include <ome/core/text_table.hpp>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace ome::observer {
namespace {

namespace json = boost::json;

double seconds(core::Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

// Three digits after the point are enough for people and keep machines' diffs small.
double rounded(double value) {
    return std::round(value * 1000.0) / 1000.0;
}

/// The figures of all reactors together.
struct Totals {
    core::FleetCounts fleet;
    std::int64_t in_use = 0;
    std::int64_t most_in_use = 0;
    double needed = 0;
    double attempts_per_second = 0;
    telemetry::DurationHistogram lateness;
    telemetry::DurationHistogram wait;
};

Totals total_of(const std::vector<ShardStats>& shards) {
    Totals totals;
    for (const ShardStats& shard : shards) {
        totals.fleet.homes += shard.fleet.homes;
        totals.fleet.observations += shard.fleet.observations;
        totals.fleet.waiting += shard.fleet.waiting;
        totals.fleet.in_flight += shard.fleet.in_flight;
        totals.fleet.gated += shard.fleet.gated;
        totals.fleet.fallback += shard.fleet.fallback;
        totals.fleet.refused += shard.fleet.refused;
        totals.in_use += shard.in_use;
        totals.most_in_use += shard.most_in_use;
        totals.needed += shard.needed;
        totals.attempts_per_second += shard.attempts_per_second;
        totals.lateness.merge(shard.recent_lateness);
        totals.wait.merge(shard.recent_wait);
    }
    return totals;
}

std::vector<std::string> advice_of(const Totals& totals, const core::ObserverLimits& limits) {
    return core::budget_advice({
        .limit = limits.max_concurrent_requests,
        .needed = totals.needed,
        .lateness = totals.lateness.percentile(0.5),
        .wait = totals.wait.percentile(0.5),
    });
}

json::object lateness_of(const telemetry::DurationHistogram& lateness) {
    return {{"p50Seconds", rounded(seconds(lateness.percentile(0.5)))},
            {"p99Seconds", rounded(seconds(lateness.percentile(0.99)))},
            {"p999Seconds", rounded(seconds(lateness.percentile(0.999)))},
            {"maxSeconds", rounded(seconds(lateness.max()))}};
}

json::array reactors_of(const StatusFigures& figures) {
    json::array reactors;
    for (std::size_t i = 0; i < figures.shards.size(); ++i) {
        const ShardStats& shard = figures.shards[i];
        const double busy = i < figures.busy_seconds.size() ? figures.busy_seconds[i] : 0.0;
        reactors.push_back(json::object{
            {"index", i},
            {"services", shard.fleet.services},
            {"homes", shard.fleet.homes},
            {"allowance", shard.allowance},
            {"inFlight", shard.in_use},
            {"waiting", shard.fleet.waiting},
            {"attemptsPerSecond", rounded(shard.attempts_per_second)},
            {"busySeconds", rounded(busy)},
        });
    }
    return reactors;
}

std::string reactor_table(const StatusFigures& figures) {
    std::vector<core::Row> rows{{"REACTOR",
                                 "SERVICES",
                                 "HOMES",
                                 "ALLOWANCE",
                                 "IN FLIGHT",
                                 "WAITING",
                                 "ATTEMPTS/S",
                                 "BUSY SECONDS"}};
    for (std::size_t i = 0; i < figures.shards.size(); ++i) {
        const ShardStats& shard = figures.shards[i];
        const double busy = i < figures.busy_seconds.size() ? figures.busy_seconds[i] : 0.0;
        rows.push_back({std::to_string(i),
                        std::to_string(shard.fleet.services),
                        std::to_string(shard.fleet.homes),
                        std::to_string(shard.allowance),
                        std::to_string(shard.in_use),
                        std::to_string(shard.fleet.waiting),
                        fmt::format("{:.1f}", shard.attempts_per_second),
                        fmt::format("{:.2f}", busy)});
    }
    return core::align(rows, false);
}

json::object limits_of(const core::ObserverLimits& limits) {
    return {{"maxConcurrentReconciles", limits.max_concurrent_reconciles},
            {"maxConcurrentRequests", limits.max_concurrent_requests},
            {"maxResponseBytes", limits.max_response_bytes},
            {"minPeriod", core::format_duration(limits.min_period)},
            {"maxSamples", limits.max_samples}};
}

}  // namespace

json::object status_document(const StatusFigures& figures) {
    const Totals totals = total_of(figures.shards);
    json::array advice;
    for (const std::string& line : advice_of(totals, figures.limits)) {
        advice.push_back(json::string(line));
    }
    return {
        {"version", figures.version},
        {"uptimeSeconds", rounded(seconds(figures.uptime))},
        {"services", figures.services},
        {"homes", totals.fleet.homes},
        {"gated", totals.fleet.gated},
        {"fallback", totals.fleet.fallback},
        {"observations", totals.fleet.observations},
        {"refused", totals.fleet.refused},
        {"due", totals.fleet.waiting + totals.fleet.in_flight},
        {"waiting", totals.fleet.waiting},
        {"inFlight", totals.in_use},
        {"budget",
         {{"limit", figures.limits.max_concurrent_requests},
          {"inUse", totals.in_use},
          {"needed", rounded(totals.needed)}}},
        {"lateness", lateness_of(totals.lateness)},
        {"rates", {{"attemptsPerSecond", rounded(totals.attempts_per_second)}}},
        {"reactors", reactors_of(figures)},
        {"limits", limits_of(figures.limits)},
        {"advice", std::move(advice)},
    };
}

std::string status_text(const StatusFigures& figures) {
    const Totals totals = total_of(figures.shards);
    std::string text;
    const auto row = [&text](std::string_view name, const std::string& value) {
        text += fmt::format("{:<12}{}\n", name, value);
    };
    row("version", figures.version);
    row("uptime", core::format_duration(std::chrono::floor<std::chrono::seconds>(figures.uptime)));
    row("services", fmt::format("{}", figures.services));
    row("homes",
        fmt::format("{} ({} gated, {} without a ceiling)",
                    totals.fleet.homes,
                    totals.fleet.gated,
                    totals.fleet.fallback));
    row("attempts",
        fmt::format("{:.1f} per second, {} in flight, {} waiting",
                    totals.attempts_per_second,
                    totals.in_use,
                    totals.fleet.waiting));
    row("budget",
        fmt::format("{} of {} slots in use, {:.1f} needed on average",
                    totals.in_use,
                    figures.limits.max_concurrent_requests,
                    totals.needed));
    row("lateness",
        fmt::format("p50 {:.3f} s, p99 {:.3f} s, p99.9 {:.3f} s, max {:.3f} s",
                    seconds(totals.lateness.percentile(0.5)),
                    seconds(totals.lateness.percentile(0.99)),
                    seconds(totals.lateness.percentile(0.999)),
                    seconds(totals.lateness.max())));
    const std::vector<std::string> advice = advice_of(totals, figures.limits);
    for (const std::string& line : advice) {
        row("advice", line);
    }
    if (advice.empty()) {
        row("advice", "none: the budget suffices");
    }
    if (totals.fleet.refused > 0) {
        row("hint",
            fmt::format("\"{}\" ({} of {} polls and probes): {}",
                        core::refused_address_text,
                        totals.fleet.refused,
                        totals.fleet.observations,
                        core::refused_address_advice));
    }
    text += "\n" + reactor_table(figures);
    return text;
}

}  // namespace ome::observer
