// The objects of the Gateway API publisher as values (contract/publisher-cli.md 1.4): as they are
// to be, and as they were observed. Nothing of an object but what is here is ever written by us.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/routing/traffic_map.hpp>

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ome::routing {

enum class ObjectKind : std::uint8_t { HttpRoute, Service, EndpointSlice, BackendTlsPolicy };
inline constexpr std::array object_kinds{ObjectKind::HttpRoute,
                                         ObjectKind::Service,
                                         ObjectKind::EndpointSlice,
                                         ObjectKind::BackendTlsPolicy};

struct ObjectKey {
    ObjectKind kind = ObjectKind::HttpRoute;
    std::string ns;
    std::string name;

    friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

/// The Gateway that a route hangs on.
struct GatewayParent {
    std::optional<std::string> ns = {};  ///< absent: the route's own
    std::string name;

    friend bool operator==(const GatewayParent&, const GatewayParent&) = default;
};

struct HttpRouteSpec {
    struct Backend {
        std::string service;
        std::string ns;
        std::int64_t port = 0;
        std::int64_t weight = 0;                           ///< always written, also 0
        std::optional<std::string> rewrite_hostname = {};  ///< the Host header for this home
        friend bool operator==(const Backend&, const Backend&) = default;
    };
    std::vector<GatewayParent> parents;
    std::vector<std::string> hostnames;
    std::vector<Backend> backends;  ///< of the one rule, which matches the prefix `/`

    friend bool operator==(const HttpRouteSpec&, const HttpRouteSpec&) = default;
};

struct ServiceSpec {
    std::string external_name;  ///< empty: headless, its addresses are in EndpointSlices
    std::int64_t port = 0;

    friend bool operator==(const ServiceSpec&, const ServiceSpec&) = default;
};

struct EndpointSliceSpec {
    bool v6 = false;
    std::vector<std::string> addresses;  ///< one endpoint each
    std::int64_t port = 0;

    friend bool operator==(const EndpointSliceSpec&, const EndpointSliceSpec&) = default;
};

struct BackendTlsPolicySpec {
    std::string service;
    std::string authorities;  ///< `System`
    std::string hostname;     ///< what the home's certificate must be for

    friend bool operator==(const BackendTlsPolicySpec&, const BackendTlsPolicySpec&) = default;
};

/// In the order of ObjectKind.
using ObjectSpec =
    std::variant<HttpRouteSpec, ServiceSpec, EndpointSliceSpec, BackendTlsPolicySpec>;

/// What a gateway says of a route, for one of its parents.
struct RouteParentStatus {
    std::string controller;
    GatewayParent parent;
    std::vector<Condition> conditions;

    friend bool operator==(const RouteParentStatus&, const RouteParentStatus&) = default;
};

struct PublishedObject {
    ObjectMeta meta;
    ObjectSpec spec;
    /// Observed: the spec has parts that `spec` cannot hold (a second rule, a timeout).
    bool foreign_parts = false;
    std::vector<RouteParentStatus> route_status = {};

    [[nodiscard]] ObjectKind kind() const { return static_cast<ObjectKind>(spec.index()); }
    [[nodiscard]] ObjectKey key() const { return {kind(), meta.key.ns, meta.key.name}; }
    [[nodiscard]] bool terminating() const { return meta.deletion_timestamp.has_value(); }

    friend bool operator==(const PublishedObject&, const PublishedObject&) = default;
};

/// `HTTPRoute`, `Service`, ...
[[nodiscard]] std::string_view to_string(ObjectKind kind);
/// As messages call it: `global HTTPRoute`, `global backend Service`, ...
[[nodiscard]] std::string_view spoken(ObjectKind kind);
[[nodiscard]] std::string path_of(const ObjectKey& key);  ///< `namespace/name`

// Ownership is three labels, and nothing else (contract 1.4).
inline constexpr std::string_view managed_by_label = "ome.io/managed-by";
inline constexpr std::string_view source_name_label = "ome.io/placement-endpoint-isvc";
inline constexpr std::string_view source_namespace_label =
    "ome.io/placement-endpoint-isvc-namespace";
inline constexpr std::string_view cluster_label = "ome.io/placement-cluster";
inline constexpr std::string_view manager = "placement-endpoint";

using Labels = std::map<std::string, std::string>;

[[nodiscard]] Labels source_labels(const core::ServiceKey& source);
[[nodiscard]] bool belongs_to(const ObjectMeta& meta, const core::ServiceKey& source);
/// The source that the labels name; absent for an object that is nobody's or somebody else's.
[[nodiscard]] std::optional<core::ServiceKey> source_of(const ObjectMeta& meta);

/// Forgets what no decision looks at: annotations and owners, and of an object that is not a
/// publisher's everything but who it is and, of a route, its hostnames and Gateways. For those who
/// keep many objects in memory.
void drop_unused(PublishedObject& observed);

/// Whether `observed` is what `desired` asks for: the spec is equal and has nothing else in it, and
/// every desired label is there. Foreign labels, annotations and finalizers do not count.
[[nodiscard]] bool satisfies(const PublishedObject& observed, const PublishedObject& desired);

/// What gateways have against a route: `Accepted` or `ResolvedRefs` is False. Empty: nothing, or
/// nobody has said anything yet.
[[nodiscard]] std::string gateway_objection(const PublishedObject& route);

}  // namespace ome::routing
