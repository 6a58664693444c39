// What an observed generation says beside the current one, and conditions read by that rule
// (contract/publisher-cli.md 2.1 and 2.2).
#pragma once

#include <ome/core/time.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ome::kubectl {

namespace json = boost::json;

enum class Freshness : std::uint8_t { Current, Stale, Invalid, Unverifiable };
[[nodiscard]] std::string_view to_string(Freshness freshness);
/// `StaleGeneration` and the like; empty for Current.
[[nodiscard]] std::string_view reason_of(Freshness freshness);
[[nodiscard]] Freshness freshness_of(std::int64_t observed, std::int64_t current);

/// A condition as a report shows it.
struct ConditionView {
    std::string type;
    std::string status = "Unknown";
    std::string reason = "NotRecorded";  ///< of the known reasons, or a word that says why not
    Freshness freshness = Freshness::Unverifiable;
    std::int64_t observed_generation = 0;
    bool recorded = false;
    bool valid = true;  ///< false: malformed, or two that differ, or too many conditions
};

/// The condition of a map's status. `now`: a condition from the future is malformed.
[[nodiscard]] ConditionView condition_view(const json::value& map,
                                           std::string_view type,
                                           core::WallTime now);

/// Nothing is published, because nothing is to be: no trouble. As of the map's generation, before
/// that a route may be there still.
[[nodiscard]] bool is_withdrawn(const ConditionView& published);

/// The status and the reason as they stand, if the condition is of the map's generation; else
/// `Unknown` and `-`.
struct PlainCondition {
    std::string status = "Unknown";
    std::string reason = "-";
};
[[nodiscard]] PlainCondition current_condition(const json::value& map, std::string_view type);

inline constexpr std::size_t most_conditions = 64;

}  // namespace ome::kubectl
