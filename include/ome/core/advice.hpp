// What the status page tells an operator to change, from measured figures (design.md section 6).
#pragma once

#include <ome/core/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

struct BudgetFigures {
    std::int64_t limit = 0;  ///< maxConcurrentRequests
    /// Little's law: the sum over all homes and kinds of (how long an attempt holds its permit)
    /// divided by its period.
    double needed = 0;
    /// How late a typical recent attempt started (median); first attempts are left out.
    Duration lateness{};
    /// The same with first attempts: while a budget is far too short there may be no others.
    Duration wait{};
};

/// What lets an address be observed that the address policy refuses; the contract's words
/// (refused_address_text) name no remedy.
inline constexpr std::string_view refused_address_advice =
    "endpoints on this machine are observed only with serve --allow-loopback; the other refused "
    "networks are those of serve --deny-addresses";

/// The smallest round limit with room for bursts: a quarter above the need.
[[nodiscard]] std::int64_t sufficient_limit(double needed);

/// Empty while attempts start on time. Otherwise by how much it is short, how late attempts are,
/// and what to set.
[[nodiscard]] std::vector<std::string> budget_advice(const BudgetFigures& figures);

}  // namespace ome::core
