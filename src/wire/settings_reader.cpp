#include "settings_reader.hpp"

namespace ome::wire {
namespace {

// What the rules ask for (contract/observer.md 13); reading takes more and leaves it to them.
constexpr Range limit{1, any_int64.most};
constexpr Range count{1, Range{}.most};
constexpr Range status{100, 599};
constexpr Range port{1, 65535};

core::ObserverSettings read_observer(Members block) {
    core::ObserverSettings settings{
        .max_concurrent_reconciles = block.integer("maxConcurrentReconciles", any_int64, limit),
        .max_concurrent_requests = block.integer("maxConcurrentRequests", any_int64, limit),
        .max_response_bytes = block.integer("maxResponseBytes", any_int64, limit),
        .min_period = block.duration("minPeriod"),
        .max_samples = block.integer("maxSamples", any_int64, limit),
    };
    block.report_unknown();
    return settings;
}

core::PublisherSettings read_publisher(Members block) {
    core::PublisherSettings settings{
        .name = block.text("name"),
        .resync_interval = block.duration("resyncInterval"),
        .options = block.texts("options"),
    };
    block.report_unknown();
    return settings;
}

std::optional<core::Options> read_publisher_options(Members block) {
    std::optional<core::Options> options = block.texts("options");
    block.report_unknown();
    return options;
}

}  // namespace

core::ProbeSettings read_probe(Members block, Disabling disabling) {
    core::ProbeSettings settings{
        .disabled = disabling == Disabling::Yes ? block.flag("disabled") : std::nullopt,
        .path = block.text("path"),
        .method = block.text("method"),
        .accept_statuses = block.integers("acceptStatuses", status),
        .gate_statuses = block.integers("gateStatuses", status),
        .period = block.duration("period"),
        .timeout = block.duration("timeout"),
        .failure_threshold = block.integer("failureThreshold", {}, count),
        .success_threshold = block.integer("successThreshold", {}, count),
        .all_failed_policy = block.text("allFailedPolicy"),
    };
    block.report_unknown();
    return settings;
}

core::CapacitySettings read_capacity(Members block, Disabling disabling) {
    core::CapacitySettings settings{
        .disabled = disabling == Disabling::Yes ? block.flag("disabled") : std::nullopt,
        .path = block.text("path"),
        .method = block.text("method"),
        .format = block.text("format"),
        .options = block.texts("options"),
        .period = block.duration("period"),
        .timeout = block.duration("timeout"),
        .samples = block.integer("samples", {}, count),
        .quorum = block.integer("quorum", {}, count),
        .max_age = block.duration("maxAge"),
    };
    block.report_unknown();
    return settings;
}

core::RoutingSettings read_routing(Members routing) {
    core::RoutingSettings settings;
    settings.enabled = routing.flag("enabled");
    if (std::optional<Members> observer = routing.members("observer")) {
        settings.observer = read_observer(std::move(*observer));
    }
    if (std::optional<Members> probe = routing.members("probe")) {
        settings.probe = read_probe(std::move(*probe), Disabling::No);
    }
    if (std::optional<Members> capacity = routing.members("capacity")) {
        settings.capacity = read_capacity(std::move(*capacity), Disabling::No);
    }
    if (std::optional<Members> publisher = routing.members("publisher")) {
        settings.publisher = read_publisher(std::move(*publisher));
    }
    routing.report_unknown();
    return settings;
}

core::GatewaySettings read_gateway(Members endpoint) {
    core::GatewaySettings settings{
        .global_host_template = endpoint.text("globalHostTemplate"),
        .global_gateway = endpoint.text("globalGateway"),
        .route_namespace = endpoint.text("routeNamespace"),
        .backend_port = endpoint.integer("backendPort", any_int64, port)};
    if (std::optional<Members> backend = endpoint.members("gatewayBackend")) {
        settings.rewrite_hostname = backend->flag("rewriteHostname");
        settings.service_type = backend->text("serviceType");
        if (std::optional<Members> tls = backend->members("tls")) {
            settings.tls_enabled = tls->flag("enabled");
            settings.well_known_ca_certificates = tls->text("wellKnownCACertificates");
            tls->report_unknown();
        }
        if (std::optional<Members> slices = backend->members("endpointSlices")) {
            settings.slices_enabled = slices->flag("enabled");
            settings.address_refresh_interval = slices->duration("addressRefreshInterval");
            slices->report_unknown();
        }
        backend->report_unknown();
    }
    endpoint.report_unknown();
    return settings;
}

core::ServiceRoutingSettings service_routing_of(Members routing) {
    core::ServiceRoutingSettings settings;
    settings.enabled = routing.flag("enabled");
    settings.capacity_factors = routing.quantities("capacityFactors").value_or(core::Options{});
    if (std::optional<Members> probe = routing.members("probe")) {
        settings.probe = read_probe(std::move(*probe), Disabling::Yes);
    }
    if (std::optional<Members> capacity = routing.members("capacity")) {
        settings.capacity = read_capacity(std::move(*capacity), Disabling::Yes);
    }
    if (std::optional<Members> publisher = routing.members("publisher")) {
        settings.publisher_options = read_publisher_options(std::move(*publisher));
    }
    routing.report_unknown();
    return settings;
}

}  // namespace ome::wire
