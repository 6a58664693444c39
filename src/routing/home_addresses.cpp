#include <ome/core/address_policy.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/home_addresses.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ome::routing {
namespace {

std::string comparable(std::string host) {
    if (host.ends_with('.')) {
        host.pop_back();
    }
    std::transform(host.begin(), host.end(), host.begin(), [](char c) {
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    });
    return host;
}

std::string path(const core::ServiceKey& key) {
    return key.ns + "/" + key.name;
}

class Resolution {
public:
    Resolution(const std::string& cluster,
               const core::ServiceKey& service,
               const std::string& host,
               const WorkloadCluster* workload)
        : cluster_(cluster), service_(service), host_(host), workload_(workload) {}

    core::Result<std::vector<std::string>> run() {
        if (workload_ == nullptr) {
            return problem("workload cluster is not connected");
        }
        const auto route = workload_->routes.find(service_);
        if (route == workload_->routes.end() || !route->second) {
            return problem(fmt::format(
                "read serving HTTPRoute {} on cluster {}: {}",
                path(service_),
                core::go_quote(cluster_),
                route == workload_->routes.end() ? "not found" : route->second.error().message));
        }
        const auto parent = parent_of(*route->second);
        if (!parent) {
            return parent.error();
        }
        return addresses_of({parent->ns.value_or(service_.ns), parent->name});
    }

private:
    [[nodiscard]] core::Problem problem(const std::string& why) const {
        return {fmt::format(
            "resolve backend addresses for cluster {}: {}", core::go_quote(cluster_), why)};
    }

    [[nodiscard]] core::Problem route_problem(const std::string& why) const {
        return problem(fmt::format("HTTPRoute {} {}", path(service_), why));
    }

    [[nodiscard]] core::Result<GatewayParent> parent_of(const ServingRoute& route) const {
        if (route.parents.empty()) {
            return route_problem("has no parentRefs");
        }
        std::vector<std::size_t> matches;
        for (std::size_t i = 0; i < route.hostnames.size(); ++i) {
            if (comparable(route.hostnames[i]) == comparable(host_)) {
                matches.push_back(i);
            }
        }
        if (matches.empty()) {
            return route_problem(
                fmt::format("does not publish hostname {}", core::go_quote(host_)));
        }
        if (route.parents.size() == 1) {
            return route.parents.front();
        }
        if (route.parents.size() != route.hostnames.size()) {
            return route_problem(
                fmt::format("has {} parentRefs and {} hostnames; backend parent is ambiguous",
                            route.parents.size(),
                            route.hostnames.size()));
        }
        if (matches.size() > 1) {
            return route_problem(
                fmt::format("publishes hostname {} for multiple parents", core::go_quote(host_)));
        }
        return route.parents[matches.front()];
    }

    [[nodiscard]] core::Result<std::vector<std::string>> addresses_of(
        const core::ServiceKey& gateway) const {
        const auto found = workload_->gateways.find(gateway);
        if (found == workload_->gateways.end() || !found->second) {
            return problem(fmt::format(
                "read serving Gateway {} on cluster {}: {}",
                path(gateway),
                core::go_quote(cluster_),
                found == workload_->gateways.end() ? "not found" : found->second.error().message));
        }
        std::set<std::pair<bool, std::string>> sorted;
        for (const GatewayAddress& address : *found->second) {
            const bool counts = !address.type || *address.type == "IPAddress";
            if (const auto ip = core::parse_address(address.value); ip && counts) {
                sorted.emplace(ip->v6, address.value);
            }
        }
        if (sorted.empty()) {
            return problem(
                fmt::format("serving Gateway {} on cluster {} has no IP status addresses",
                            path(gateway),
                            core::go_quote(cluster_)));
        }
        std::vector<std::string> addresses;
        for (const auto& [v6, address] : sorted) {
            addresses.push_back(address);
        }
        return addresses;
    }

    const std::string& cluster_;
    const core::ServiceKey& service_;
    const std::string& host_;
    const WorkloadCluster* workload_;
};

}  // namespace

core::Result<std::vector<std::string>> resolve_addresses(const std::string& cluster,
                                                         const core::ServiceKey& service,
                                                         const std::string& host,
                                                         const WorkloadCluster* workload) {
    return Resolution(cluster, service, host, workload).run();
}

}  // namespace ome::routing
