// What a pass knows of its homes: the observer's readings, projected to the instant of the pass
// (design.md section 4, "The controller projects with its own clock").
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/policy_resolution.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/reading.hpp>
#include <ome/core/time.hpp>
#include <ome/routing/traffic_map.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::routing {

struct CapacityObservation {
    std::optional<std::int32_t> ceiling = {};
    std::string fallback_reason = {};  ///< empty exactly when there is a ceiling
};

struct ProbeObservation {
    EntryProbe state;         ///< as it is written to the map
    bool conclusive = false;  ///< at least one Passing or Failing was ever recorded
    std::optional<core::WallTime> gated_since = {};  ///< for the explanation; absent: not known

    /// Absent: no evidence either way.
    [[nodiscard]] std::optional<bool> reachable() const;
};

struct HomeObservation {
    std::optional<CapacityObservation> capacity = {};  ///< absent: polling is off
    std::optional<ProbeObservation> probe = {};        ///< absent: off, unusable, or no attempt yet
};

using Observations = std::map<std::string, HomeObservation, std::less<>>;  ///< by cluster

/// The observer has not been heard for 5 s (promise 6).
inline constexpr std::string_view observer_silent_reason =
    "capacity observation could not be submitted: observer has not answered for 5s";

/// Why a home that has never been heard has no ceiling.
inline constexpr std::string_view no_report_reason = "no capacity report yet";

/// One home's reading at `now`, if it is about what was declared: owner, canonical endpoint
/// (userinfo masked on both sides; verbatim where it cannot be canonicalized) and digest. What does
/// not match counts as not read: `no capacity report yet`, no probe.
[[nodiscard]] HomeObservation project(const core::HomeReading* reading,
                                      std::string_view declared_endpoint,
                                      const core::Policies& policies,
                                      core::WallTime now);

/// What project() leaves aside, whatever the instant: a problem each, in which `field` is the part
/// of the reading (`endpoint`: all of it) and the message says what it has and what was expected.
[[nodiscard]] std::vector<core::Problem> unused_parts(const core::HomeReading& reading,
                                                      std::string_view declared_endpoint,
                                                      const core::Policies& policies);

/// The first instant after `now` at which the projection changes by itself (expiry of a sample).
[[nodiscard]] std::optional<core::WallTime> next_change(const core::HomeReading& reading,
                                                        core::WallTime now);

}  // namespace ome::routing
