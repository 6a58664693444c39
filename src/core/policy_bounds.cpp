// contract/observer.md 13.2, and the floor and the cap of 13.3.
#include "policy_bounds.hpp"

#include "policy_rule.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/policy_rules.hpp>

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace ome::core {
namespace {

std::optional<Problem> floor_problem(Duration period,
                                     std::string_view block,
                                     const Bounds& bounds) {
    if (period >= bounds.min_period) {
        return std::nullopt;
    }
    return Problem{fmt::format("{}.period ({}) must be at least {}.minPeriod ({})",
                               block,
                               format_duration(period),
                               bounds.observer,
                               format_duration(bounds.min_period)),
                   field_of(block, "period")};
}

std::optional<Problem> cap_problem(std::int64_t samples,
                                   std::string_view block,
                                   const Bounds& bounds) {
    if (samples <= bounds.max_samples) {
        return std::nullopt;
    }
    return Problem{fmt::format("{}.samples ({}) must not exceed {}.maxSamples ({})",
                               block,
                               samples,
                               bounds.observer,
                               bounds.max_samples),
                   field_of(block, "samples")};
}

}  // namespace

std::optional<Problem> bounds_problem(const ProbeValues& probe,
                                      std::string_view block,
                                      const Bounds& bounds) {
    return floor_problem(probe.period, block, bounds);
}

std::optional<Problem> bounds_problem(const CapacityValues& capacity,
                                      std::string_view block,
                                      const Bounds& bounds) {
    if (std::optional<Problem> problem = floor_problem(capacity.period, block, bounds)) {
        return problem;
    }
    return cap_problem(capacity.samples, block, bounds);
}

std::vector<Problem> limit_problems(const ObserverSettings& observer) {
    const std::pair<std::string_view, std::int64_t> in_order[] = {
        {"maxConcurrentReconciles", observer.max_concurrent_reconciles.value_or(0)},
        {"maxConcurrentRequests", observer.max_concurrent_requests.value_or(0)},
        {"maxResponseBytes", observer.max_response_bytes.value_or(0)},
        {"minPeriod", duration_or_zero(observer.min_period).count()},
        {"maxSamples", observer.max_samples.value_or(0)},
    };
    std::vector<Problem> problems;
    for (const auto& [name, value] : in_order) {
        if (value <= 0) {
            const std::string key = fmt::format("routing.observer.{}", name);
            problems.push_back(
                {fmt::format("{} must be positive when routing is enabled", key), key});
        }
    }
    return problems;
}

Result<ObserverLimits> check_limits(const ObserverSettings& observer) {
    const ObserverLimits limits{
        .max_concurrent_reconciles = observer.max_concurrent_reconciles.value_or(0),
        .max_concurrent_requests = observer.max_concurrent_requests.value_or(0),
        .max_response_bytes = observer.max_response_bytes.value_or(0),
        .min_period = duration_or_zero(observer.min_period),
        .max_samples = observer.max_samples.value_or(0),
    };
    const std::vector<Problem> problems = limit_problems(observer);
    if (!problems.empty()) {
        return problems.front();
    }
    return limits;
}

ObserverLimits chart_limits() {
    return {.max_concurrent_reconciles = 8,
            .max_concurrent_requests = 16,
            .max_response_bytes = 65536,
            .min_period = std::chrono::seconds(1),
            .max_samples = 100};
}

}  // namespace ome::core
