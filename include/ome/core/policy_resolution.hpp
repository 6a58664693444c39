// From settings to the policies that are in force (contract/observer.md 10), and their digests.
#pragma once

#include <ome/core/policy.hpp>
#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>

#include <optional>
#include <string>

namespace ome::core {

/// The operator's block, or the service's own in its place; absent: off. `service` is null for an
/// InferenceService without `spec.routing`.
[[nodiscard]] Result<std::optional<ProbePolicy>> resolve_probe(
    const RoutingSettings& installation, const ServiceRoutingSettings* service);
[[nodiscard]] Result<std::optional<CapacityPolicy>> resolve_capacity(
    const RoutingSettings& installation, const ServiceRoutingSettings* service);

struct Policies {
    std::optional<ProbePolicy> probe;
    std::optional<CapacityPolicy> capacity;
};

/// In the order of a pass, with its prefixes: `validate routing policy: `, `resolve probe policy:
/// `, `resolve capacity policy: `. (A pass reads the drain annotation between the first and the
/// second.)
[[nodiscard]] Result<Policies> resolve_policies(const RoutingSettings& installation,
                                                const ServiceRoutingSettings* service);

/// A block of the local API (design.md section 4): the rules of 13.3 without `routing.`, and a path
/// is required.
[[nodiscard]] Result<ProbePolicy> declared_probe(const ProbeSettings& probe,
                                                 const ObserverLimits& limits);
[[nodiscard]] Result<CapacityPolicy> declared_capacity(const CapacitySettings& capacity,
                                                       const ObserverLimits& limits);

/// Without a check: what the settings say, zero where they say nothing, digest included. For
/// comparing settings and for tests.
[[nodiscard]] ProbePolicy unchecked_policy(const ProbeSettings& probe);
[[nodiscard]] CapacityPolicy unchecked_policy(const CapacitySettings& capacity);

/// The compact JSON that a digest is taken of; the digest is `sha256:` and 64 hex digits. Both look
/// at every setting and not at the member `digest`.
[[nodiscard]] std::string canonical_payload(const ProbePolicy& policy);
[[nodiscard]] std::string canonical_payload(const CapacityPolicy& policy);
[[nodiscard]] std::string digest_of(const ProbePolicy& policy);
[[nodiscard]] std::string digest_of(const CapacityPolicy& policy);

}  // namespace ome::core
