#include <ome/core/configuration_changes.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>

namespace ome::core {
namespace {

std::string text_of(bool value) {
    return value ? "true" : "false";
}
std::string text_of(std::int64_t value) {
    return std::to_string(value);
}
std::string text_of(const std::string& value) {
    return value.empty() ? "\"\"" : value;
}
std::string text_of(const std::vector<std::int64_t>& values) {
    return fmt::format("[{}]", fmt::join(values, ", "));
}
std::string text_of(const Options& options) {
    std::vector<std::string> pairs;
    for (const auto& [name, value] : options) {
        pairs.push_back(fmt::format("{}: {}", name, value));
    }
    return fmt::format("{{{}}}", fmt::join(pairs, ", "));
}

class Members {
public:
    void add(const RoutingSettings& routing) {
        add("routing.enabled", routing.enabled);
        add(routing.observer);
        add(routing.probe);
        add(routing.capacity);
        add("routing.publisher.name", routing.publisher.name);
        add("routing.publisher.resyncInterval", routing.publisher.resync_interval);
        add("routing.publisher.options", routing.publisher.options);
    }

    void add(const GatewaySettings& gateway) {
        add("endpoint.globalHostTemplate", gateway.global_host_template);
        add("endpoint.globalGateway", gateway.global_gateway);
        add("endpoint.routeNamespace", gateway.route_namespace);
        add("endpoint.backendPort", gateway.backend_port);
        add("endpoint.gatewayBackend.rewriteHostname", gateway.rewrite_hostname);
        add("endpoint.gatewayBackend.tls.enabled", gateway.tls_enabled);
        add("endpoint.gatewayBackend.tls.wellKnownCACertificates",
            gateway.well_known_ca_certificates);
        add("endpoint.gatewayBackend.endpointSlices.enabled", gateway.slices_enabled);
        add("endpoint.gatewayBackend.endpointSlices.addressRefreshInterval",
            gateway.address_refresh_interval);
        add("endpoint.gatewayBackend.serviceType", gateway.service_type);
    }

    [[nodiscard]] std::map<std::string, std::string> take() { return std::move(members_); }

private:
    template <typename Value>
    void add(const char* path, const std::optional<Value>& value) {
        if (value) {
            members_.emplace(path, text_of(*value));
        }
    }

    void add(const ObserverSettings& observer) {
        add("routing.observer.maxConcurrentReconciles", observer.max_concurrent_reconciles);
        add("routing.observer.maxConcurrentRequests", observer.max_concurrent_requests);
        add("routing.observer.maxResponseBytes", observer.max_response_bytes);
        add("routing.observer.minPeriod", observer.min_period);
        add("routing.observer.maxSamples", observer.max_samples);
    }

    void add(const ProbeSettings& probe) {
        add("routing.probe.path", probe.path);
        add("routing.probe.method", probe.method);
        add("routing.probe.acceptStatuses", probe.accept_statuses);
        add("routing.probe.gateStatuses", probe.gate_statuses);
        add("routing.probe.period", probe.period);
        add("routing.probe.timeout", probe.timeout);
        add("routing.probe.failureThreshold", probe.failure_threshold);
        add("routing.probe.successThreshold", probe.success_threshold);
        add("routing.probe.allFailedPolicy", probe.all_failed_policy);
    }

    void add(const CapacitySettings& capacity) {
        add("routing.capacity.path", capacity.path);
        add("routing.capacity.method", capacity.method);
        add("routing.capacity.format", capacity.format);
        add("routing.capacity.options", capacity.options);
        add("routing.capacity.period", capacity.period);
        add("routing.capacity.timeout", capacity.timeout);
        add("routing.capacity.samples", capacity.samples);
        add("routing.capacity.quorum", capacity.quorum);
        add("routing.capacity.maxAge", capacity.max_age);
    }

    std::map<std::string, std::string> members_;
};

std::string shown(const std::map<std::string, std::string>& members, const std::string& path) {
    const auto found = members.find(path);
    return found == members.end() ? "(not set)" : found->second;
}

}  // namespace

std::map<std::string, std::string> configured_members(const Configuration& all) {
    Members members;
    members.add(all.routing);
    members.add(all.gateway);
    return members.take();
}

std::vector<std::string> configuration_changes(const Configuration& before,
                                               const Configuration& after) {
    const auto old = configured_members(before);
    const auto fresh = configured_members(after);
    std::set<std::string> paths;
    for (const auto* members : {&old, &fresh}) {
        for (const auto& [path, value] : *members) {
            paths.insert(path);
        }
    }
    std::vector<std::string> changes;
    for (const std::string& path : paths) {
        std::string was = shown(old, path);
        std::string is = shown(fresh, path);
        if (was != is) {
            changes.push_back(fmt::format("{}: {} -> {}", path, was, is));
        }
    }
    return changes;
}

}  // namespace ome::core
