// What the observer knows of a home (design.md section 4, "Reading of one home").
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/declaration.hpp>
#include <ome/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ome::core {

struct Sample {
    std::int32_t servable = 0;
    WallTime observed_at;
    WallTime expires_at;

    friend bool operator==(const Sample&, const Sample&) = default;
};

struct CapacityReading {
    std::string policy_digest;
    std::optional<std::int32_t> ceiling;  ///< absent: fail open, and `fallback_reason` says why
    std::string fallback_reason;          ///< empty exactly when there is a ceiling
    std::optional<WallTime> valid_until;  ///< the first instant at which expiry changes the ceiling
    std::vector<Sample> samples;          ///< in arrival order
    std::optional<WallTime> last_attempt_time;
    std::optional<WallTime> next_attempt_time;

    friend bool operator==(const CapacityReading&, const CapacityReading&) = default;
};

struct ProbeReading {
    std::string policy_digest;
    ProbeResult result = ProbeResult::Unknown;
    std::string message;
    bool gated = false;
    bool conclusive = false;
    std::int32_t consecutive_failures = 0;
    std::int32_t consecutive_passes = 0;
    std::optional<WallTime> last_probe_time;
    std::optional<WallTime> next_attempt_time;

    friend bool operator==(const ProbeReading&, const ProbeReading&) = default;
};

struct HomeReading {
    std::string cluster;
    std::string endpoint;                     ///< verbatim; userinfo is masked where it is shown
    std::optional<CapacityReading> capacity;  ///< absent: polling is off
    std::optional<ProbeReading> probe;        ///< absent: probing is off, or nothing is known yet
    std::optional<WallTime> certificate_expiry = {};  ///< as last seen, the earliest of both kinds
    std::optional<std::int32_t> clock_skew = {};      ///< of the reporter, seconds; positive: ahead

    friend bool operator==(const HomeReading&, const HomeReading&) = default;
};

struct ServiceReading {
    ServiceKey key;
    std::string owner_uid;
    bool suspended = false;
    std::vector<HomeReading> homes;  ///< in the order of the declaration
};

}  // namespace ome::core
