// The observer's floor and cap, which every policy must keep once its own fields are right.
#pragma once

#include "policy_values.hpp"
#include <ome/core/policy.hpp>
#include <ome/core/problem.hpp>

#include <optional>
#include <string_view>

namespace ome::core {

/// `observer` is how the message calls the block of limits (`routing.observer`).
struct Bounds {
    std::string_view observer;
    Duration min_period{};
    std::int64_t max_samples = 0;
};

[[nodiscard]] std::optional<Problem> bounds_problem(const ProbeValues& probe,
                                                    std::string_view block,
                                                    const Bounds& bounds);
/// The floor first, then the cap.
[[nodiscard]] std::optional<Problem> bounds_problem(const CapacityValues& capacity,
                                                    std::string_view block,
                                                    const Bounds& bounds);

}  // namespace ome::core
