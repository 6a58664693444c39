// From a TrafficMap to the route that is to be (contract/publisher-cli.md 1.2 to 1.6): the plan,
// the order in which it is validated, and the names of its objects.
#pragma once

#include <ome/core/gateway_settings.hpp>
#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/published_object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ome::routing {

enum class BackendType : std::uint8_t {
    ExternalName,
    Headless,  ///< ours: many gateways refuse ExternalName
};

struct PublicationSettings {
    bool active = false;    ///< routing is on; otherwise only what is left is taken away
    bool cleans_up = true;  ///< after maps that are gone; not in a dry run
    std::string host_template;
    std::string gateway;          ///< as written
    std::string route_namespace;  ///< empty: the service's own
    std::int64_t backend_port = 0;
    bool rewrite_hostname = false;
    bool backend_tls = false;
    std::string authorities;
    bool endpoint_slices = false;
    BackendType backend_type = BackendType::ExternalName;
    /// The publisher's, or the refresh of addresses where that is shorter.
    core::Duration resync_interval{};
};

/// Of settings that a start has accepted.
[[nodiscard]] PublicationSettings publication_settings(const core::RoutingSettings& routing,
                                                       const core::GatewaySettings& gateway);

/// There is a gateway and a port; without them every publication is withdrawn.
[[nodiscard]] bool is_configured(const PublicationSettings& settings);

/// Whether a publication takes objects of this kind.
[[nodiscard]] bool is_needed(ObjectKind kind, const PublicationSettings& settings);

struct HomeBackend {
    std::string cluster;
    std::string hostname;
    std::int64_t weight = 0;
    std::string service;  ///< name of its Service and BackendTLSPolicy
};

struct PublicationPlan {
    core::ServiceKey source;
    ObjectKey route;
    bool withdrawn = false;  ///< no route is to be; what follows is empty then
    std::string hostname = {};
    GatewayParent gateway = {};
    std::vector<HomeBackend> homes = {};  ///< by cluster
};

/// The problem is that of InvalidPlan.
[[nodiscard]] core::Result<PublicationPlan> plan_publication(const TrafficMap& map,
                                                             const InferenceService& service,
                                                             const PublicationSettings& settings);

/// The namespace that a gateway without one is looked for in is the route's.
[[nodiscard]] core::ServiceKey gateway_of(const GatewayParent& parent,
                                          const std::string& route_namespace);

// Names.
[[nodiscard]] ObjectKey route_key(const core::ServiceKey& source, std::string_view route_namespace);
/// At most 63 characters that begin with a letter.
[[nodiscard]] std::string bounded_name(std::string name);
[[nodiscard]] std::string backend_name(const core::ServiceKey& source, std::string_view cluster);

/// `v1:httproute:<namespace>/<name>`.
[[nodiscard]] std::string claim_of(const ObjectKey& route);
[[nodiscard]] core::Result<ObjectKey> route_of_claim(const std::string& claim);
/// The routes of a journal, in order of the claims; a claim that cannot be read spoils all.
[[nodiscard]] core::Result<std::vector<ObjectKey>> routes_of_claims(
    const std::vector<std::string>& claims);

inline constexpr std::size_t most_claims = 128;

}  // namespace ome::routing
