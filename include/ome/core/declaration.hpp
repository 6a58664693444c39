// What the observer is asked to observe (design.md section 4, "A declaration of one").
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/policy.hpp>
#include <ome/core/time.hpp>

#include <compare>
#include <optional>
#include <string>
#include <vector>

namespace ome::core {

struct ServiceKey {
    std::string ns;
    std::string name;

    friend auto operator<=>(const ServiceKey&, const ServiceKey&) = default;
};

/// What the stored TrafficMap says of a home's probe. Used only when a history starts, and only
/// when the digest is that of the declared policy (contract/observer.md 9.3; the controller has
/// checked identity and ownership).
struct RestoredProbe {
    std::string policy_digest;
    bool gated = false;
    std::int32_t consecutive_failures = 0;
    ProbeResult result = ProbeResult::Unknown;
    std::string message;
    std::optional<WallTime> last_probe_time;
};

struct HomeDeclaration {
    std::string cluster;   ///< unique within the service, not empty
    std::string endpoint;  ///< verbatim; one that cannot be used is a reading, not an error
    std::optional<RestoredProbe> restored;
};

struct ServiceDeclaration {
    ServiceKey key;
    std::string owner_uid;
    /// While suspended nothing is sent and no late result applies; `capacity`, `probe` and `homes`
    /// of such a declaration are ignored and the last declared ones stay.
    bool suspended = false;
    std::optional<CapacityPolicy> capacity;
    std::optional<ProbePolicy> probe;
    std::vector<HomeDeclaration> homes;
};

}  // namespace ome::core
