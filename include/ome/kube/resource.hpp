// Where objects are at an API server.
#pragma once

#include <string>
#include <string_view>

namespace ome::kube {

/// A type of objects. `plural` as in the URL; group empty: the core group.
struct Resource {
    std::string_view group;
    std::string_view version;
    std::string_view plural;
    std::string_view kind;

    /// `ome.io/v1beta1`, or `v1`.
    [[nodiscard]] std::string api_version() const;
};

inline constexpr Resource inference_services{
    "ome.io", "v1beta1", "inferenceservices", "InferenceService"};
inline constexpr Resource traffic_maps{"ome.io", "v1beta1", "trafficmaps", "TrafficMap"};
inline constexpr Resource http_routes{"gateway.networking.k8s.io", "v1", "httproutes", "HTTPRoute"};
inline constexpr Resource gateways{"gateway.networking.k8s.io", "v1", "gateways", "Gateway"};
inline constexpr Resource backend_tls_policies{
    "gateway.networking.k8s.io", "v1", "backendtlspolicies", "BackendTLSPolicy"};
inline constexpr Resource services{"", "v1", "services", "Service"};
inline constexpr Resource endpoint_slices{
    "discovery.k8s.io", "v1", "endpointslices", "EndpointSlice"};
inline constexpr Resource events{"", "v1", "events", "Event"};
inline constexpr Resource config_maps{"", "v1", "configmaps", "ConfigMap"};
inline constexpr Resource namespaces{"", "v1", "namespaces", "Namespace"};
inline constexpr Resource leases{"coordination.k8s.io", "v1", "leases", "Lease"};
inline constexpr Resource custom_resource_definitions{
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition"};

/// All objects of a type; `ns` empty: of every namespace, or of a type that has none.
[[nodiscard]] std::string collection_path(const Resource& resource, std::string_view ns);

/// One object; `ns` empty: of a type without namespaces. `subresource`: `status`, or empty.
[[nodiscard]] std::string object_path(const Resource& resource,
                                      std::string_view ns,
                                      std::string_view name,
                                      std::string_view subresource = {});

/// A value for a query or a part of a path: everything but letters, digits and `-._~` is escaped.
[[nodiscard]] std::string url_escaped(std::string_view text);

}  // namespace ome::kube
