#include "workload_files.hpp"

#include <ome/core/dns_name.hpp>
#include <ome/net/small_file.hpp>
#include <ome/routing/home_addresses.hpp>
#include <ome/wire/published_object_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <optional>

namespace ome::controller {
namespace {

namespace json = boost::json;

std::string text_in(const json::value& document, const char* parent, const char* name) {
    const json::object* object = document.if_object();
    const json::value* inside = object == nullptr ? nullptr : object->if_contains(parent);
    if (name != nullptr && inside != nullptr) {
        const json::object* members = inside->if_object();
        inside = members == nullptr ? nullptr : members->if_contains(name);
    }
    return inside != nullptr && inside->is_string() ? std::string(inside->get_string())
                                                    : std::string();
}

routing::WorkloadCluster cluster_of(const std::vector<json::value>& documents) {
    routing::WorkloadCluster cluster;
    for (const json::value& document : documents) {
        const core::ServiceKey key{text_in(document, "metadata", "namespace"),
                                   text_in(document, "metadata", "name")};
        const std::string kind = text_in(document, "kind", nullptr);
        if (kind == "HTTPRoute") {
            cluster.routes.emplace(key, wire::read_serving_route(document));
        } else if (kind == "Gateway") {
            cluster.gateways.emplace(key, wire::read_gateway_addresses(document));
        }
    }
    return cluster;
}

// Absent: there is no file, or it cannot be used.
std::optional<routing::WorkloadCluster> read_cluster(const std::string& folder,
                                                     const std::string& cluster) {
    if (!core::is_dns_subdomain(cluster)) {
        return std::nullopt;  // the name makes a path
    }
    const auto file = net::read_small_file(fmt::format("{}/{}.yaml", folder, cluster));
    if (!file) {
        return std::nullopt;
    }
    const auto documents = wire::read_documents(file->bytes);
    return documents ? std::optional(cluster_of(*documents)) : std::nullopt;
}

}  // namespace

routing::HomeAddresses addresses_of(const std::string& folder, const AddressQuery& query) {
    routing::HomeAddresses addresses;
    for (const auto& [cluster, host] : query.hosts) {
        const auto workload = read_cluster(folder, cluster);
        addresses.emplace(cluster,
                          routing::resolve_addresses(
                              cluster, query.source, host, workload ? &*workload : nullptr));
    }
    return addresses;
}

}  // namespace ome::controller
