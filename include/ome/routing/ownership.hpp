// To whom a stored map belongs, and what may be done with it (contract/trafficmap.md 9.2 to 9.4 and
// contract/observer.md 9.3).
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/traffic_map.hpp>

#include <optional>
#include <string>

namespace ome::routing {

/// At least one controller reference, and every one of them is exactly this service.
[[nodiscard]] bool exactly_owned(const TrafficMap& map,
                                 const core::ServiceKey& key,
                                 const std::string& uid);

[[nodiscard]] OwnerReference owner_reference(const InferenceService& service);

/// Step 7 of a pass: absent when the service may write `map` (or there is none), else the error
/// that freezes it.
[[nodiscard]] std::optional<core::Problem> write_refusal(const InferenceService& service,
                                                         const TrafficMap* map);

/// With a plan, before each write (contract 9.2): absent when UID, generation and plan of the
/// service are still those that `used` had; `live` is null when the service is gone. Without a
/// plan: absent.
[[nodiscard]] std::optional<core::Problem> stale_snapshot(const InferenceService& used,
                                                          const InferenceService* live);

/// What a map that is no longer wanted needs.
struct Reap {
    enum class Action : std::uint8_t { Nothing, Delete, Fail };
    Action action = Action::Nothing;
    std::string uid;  ///< preconditions of the delete
    std::string resource_version;
    std::string error;  ///< for Fail
};

/// The service is there but not routed, or is being deleted (contract 9.3).
[[nodiscard]] Reap reap(const InferenceService& service, const TrafficMap* map);

/// The service is authoritatively absent (contract 9.4).
[[nodiscard]] Reap reap_without_source(const core::ServiceKey& key, const TrafficMap* map);

/// What of the stored map may start the probe history of a home again: exact ownership,
/// `spec.service`, cluster, canonical endpoint and digest match (contract/observer.md 9.3).
[[nodiscard]] std::optional<core::RestoredProbe> restorable_probe(const InferenceService& service,
                                                                  const TrafficMap* map,
                                                                  const std::string& cluster,
                                                                  const std::string& endpoint,
                                                                  const std::string& policy_digest);

}  // namespace ome::routing
