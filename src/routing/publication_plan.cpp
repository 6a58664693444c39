// The order of validation is part of the contract: publisher-cli.md 1.6.
#include "host_template.hpp"
#include <ome/core/address_policy.hpp>
#include <ome/core/dns_name.hpp>
#include <ome/core/duration.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/core/text.hpp>
#include <ome/core/utf8.hpp>
#include <ome/routing/publication_plan.hpp>
#include <ome/routing/publication_world.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ome::routing {
namespace {

constexpr std::size_t most_entries = 16;
constexpr std::int64_t largest_weight = 1'000'000;
constexpr std::int64_t largest_port = 65535;

using Refusal = std::optional<core::Problem>;

std::string trimmed(std::string_view text) {
    return std::string(core::trimmed(text));
}

std::string name_of(std::string_view kind, const core::ServiceKey& key) {
    return fmt::format("{} {}/{}", kind, key.ns, key.name);
}

Refusal bad_hostname(std::string_view what, std::string_view host, bool wildcard) {
    const std::string before = fmt::format("{}: hostname {}", what, core::go_quote(host));
    if (core::parse_address(host)) {
        return core::Problem{before + " must not be an IP address"};
    }
    const std::string_view name = wildcard && host.starts_with("*.") ? host.substr(2) : host;
    if (!core::is_dns_subdomain(name)) {
        return core::Problem{fmt::format("{} is invalid: it {}", before, core::dns_subdomain_rule)};
    }
    return std::nullopt;
}

class Planner {
public:
    Planner(const TrafficMap& map,
            const InferenceService& service,
            const PublicationSettings& settings)
        : map_(map), service_(service), settings_(settings) {}

    core::Result<PublicationPlan> run() {
        plan_.source = service_.key;
        for (const auto check :
             {&Planner::check_source, &Planner::check_legacy, &Planner::check_identity}) {
            if (auto refusal = (this->*check)()) {
                return *std::move(refusal);
            }
        }
        plan_.route = route_key(service_.key, settings_.route_namespace);
        if (auto refusal = check_route()) {
            return *std::move(refusal);
        }
        plan_.withdrawn = true;
        if (!is_configured(settings_)) {
            return plan_;
        }
        if (auto refusal = render_host()) {
            return *std::move(refusal);
        }
        if (plan_.hostname.empty()) {
            return plan_;
        }
        plan_.withdrawn = false;
        for (const auto check : {&Planner::check_host,
                                 &Planner::check_port,
                                 &Planner::take_gateway,
                                 &Planner::check_authorities,
                                 &Planner::check_count,
                                 &Planner::take_entries}) {
            if (auto refusal = (this->*check)()) {
                return *std::move(refusal);
            }
        }
        return plan_;
    }

private:
    Refusal check_source() {
        const auto& [ns, name] = service_.key;
        if (!core::is_dns_label(ns)) {
            return core::Problem{fmt::format(
                "source namespace {} is invalid: it {}", core::go_quote(ns), core::dns_label_rule)};
        }
        if (!core::is_dns_subdomain(name)) {
            return core::Problem{fmt::format("source name {} is invalid: it {}",
                                             core::go_quote(name),
                                             core::dns_subdomain_rule)};
        }
        if (!core::is_label_value(name)) {
            return core::Problem{
                fmt::format("source name {} cannot be used as a label value: it {}",
                            core::go_quote(name),
                            core::label_value_rule)};
        }
        return std::nullopt;
    }

    Refusal check_legacy() {
        if (!has_legacy_finalizer(service_)) {
            return std::nullopt;
        }
        return core::Problem{
            fmt::format("{} still has legacy endpoint finalizer {}; complete its cleanup before "
                        "publishing its TrafficMap",
                        name_of("InferenceService", service_.key),
                        core::go_quote(legacy_finalizer)),
            "metadata.finalizers"};
    }

    Refusal check_identity() {
        if (map_.meta.key == service_.key && map_.spec.service == service_.key.name) {
            return std::nullopt;
        }
        return core::Problem{fmt::format("{} does not identify {}",
                                         name_of("TrafficMap", map_.meta.key),
                                         name_of("InferenceService", service_.key))};
    }

    Refusal check_route() {
        if (core::is_dns_label(plan_.route.ns)) {
            return std::nullopt;
        }
        return core::Problem{fmt::format("route namespace {} is invalid: it {}",
                                         core::go_quote(plan_.route.ns),
                                         core::dns_label_rule),
                             "endpoint.routeNamespace"};
    }

    Refusal render_host() {
        plan_.hostname = trimmed(service_.global_host.value_or(""));
        if (!plan_.hostname.empty()) {
            return std::nullopt;
        }
        const std::string source = trimmed(settings_.host_template);
        const auto parsed = HostTemplate::parse(source);
        if (!parsed) {
            return template_problem("parse", source, parsed.error());
        }
        const auto rendered = parsed->render({service_.key.name, service_.key.ns});
        if (!rendered) {
            return template_problem("render", source, rendered.error());
        }
        plan_.hostname = trimmed(*rendered);
        return std::nullopt;
    }

    static core::Problem template_problem(std::string_view step,
                                          const std::string& source,
                                          const core::Problem& why) {
        return {
            fmt::format("{} globalHostTemplate {}: {}", step, core::go_quote(source), why.message),
            "endpoint.globalHostTemplate"};
    }

    Refusal check_host() { return bad_hostname("global hostname", plan_.hostname, true); }

    Refusal check_port() {
        if (settings_.backend_port <= largest_port) {
            return std::nullopt;
        }
        return core::Problem{
            fmt::format("Gateway API backend port {} is invalid: it must be 1 to {}",
                        settings_.backend_port,
                        largest_port),
            "endpoint.backendPort"};
    }

    Refusal take_gateway() {
        const std::string& text = settings_.gateway;
        const auto problem =
            [](std::string_view what, std::string_view value, std::string_view rule) {
                return core::Problem{
                    fmt::format(
                        "Gateway API global gateway {} {} {}", what, core::go_quote(value), rule),
                    "endpoint.globalGateway"};
            };
        if (trimmed(text) != text) {
            return problem("reference", text, "is not canonical");
        }
        const std::size_t slash = text.find('/');
        if (slash != text.npos && text.find('/', slash + 1) != text.npos) {
            return problem("reference", text, "must be a name or namespace/name");
        }
        if (slash != text.npos) {
            plan_.gateway.ns = text.substr(0, slash);
            if (!core::is_dns_label(*plan_.gateway.ns)) {
                return problem("namespace",
                               *plan_.gateway.ns,
                               fmt::format("is invalid: it {}", core::dns_label_rule));
            }
        }
        plan_.gateway.name = slash == text.npos ? text : text.substr(slash + 1);
        if (!core::is_dns_subdomain(plan_.gateway.name)) {
            return problem("name",
                           plan_.gateway.name,
                           fmt::format("is invalid: it {}", core::dns_subdomain_rule));
        }
        return std::nullopt;
    }

    Refusal check_authorities() {
        if (!settings_.backend_tls || settings_.authorities == "System") {
            return std::nullopt;
        }
        return core::Problem{
            fmt::format("Gateway API backend TLS well-known CA certificates {} are unsupported",
                        core::go_quote(settings_.authorities)),
            "endpoint.gatewayBackend.tls.wellKnownCACertificates"};
    }

    Refusal check_count() {
        const std::size_t count = map_.spec.entries.size();
        if (count <= most_entries) {
            return std::nullopt;
        }
        return core::Problem{
            fmt::format("TrafficMap has {} entries, Gateway API HTTPRoute rules support at most {} "
                        "backendRefs",
                        count,
                        most_entries),
            "spec.entries"};
    }

    Refusal take_entries() {
        std::set<std::string_view> clusters;
        for (const Entry& entry : map_.spec.entries) {
            if (auto refusal = check_cluster(entry.cluster)) {
                return refusal;
            }
            if (!clusters.insert(entry.cluster).second) {
                return core::Problem{
                    fmt::format("TrafficMap contains more than one entry for cluster {}",
                                core::go_quote(entry.cluster))};
            }
            if (auto refusal = take_entry(entry)) {
                return refusal;
            }
        }
        std::sort(plan_.homes.begin(), plan_.homes.end(), [](const auto& a, const auto& b) {
            return a.cluster < b.cluster;
        });
        return std::nullopt;
    }

    static Refusal check_cluster(const std::string& cluster) {
        if (cluster.empty()) {
            return core::Problem{"TrafficMap entry cluster must not be empty"};
        }
        if (core::is_dns_subdomain(cluster) && core::is_label_value(cluster)) {
            return std::nullopt;
        }
        return core::Problem{
            fmt::format("TrafficMap entry cluster {} is invalid: it {}, and at most 63 in all",
                        core::go_quote(cluster),
                        core::dns_subdomain_rule)};
    }

    Refusal take_entry(const Entry& entry) {
        const std::string named = fmt::format("TrafficMap entry {}", core::go_quote(entry.cluster));
        HomeBackend home{.cluster = entry.cluster,
                         .hostname = core::host_name(entry.endpoint),
                         .weight = entry.weight,
                         .service = backend_name(service_.key, entry.cluster)};
        if (home.hostname.empty()) {
            return core::Problem{named + " has no valid endpoint"};
        }
        if (home.weight < 0 || home.weight > largest_weight) {
            return core::Problem{fmt::format(
                "{} weight {} must be between 0 and {}", named, home.weight, largest_weight)};
        }
        if (auto refusal = bad_hostname(named + " backend hostname", home.hostname, false)) {
            return refusal;
        }
        plan_.homes.push_back(std::move(home));
        return std::nullopt;
    }

    const TrafficMap& map_;
    const InferenceService& service_;
    const PublicationSettings& settings_;
    PublicationPlan plan_;
};

}  // namespace

PublicationSettings publication_settings(const core::RoutingSettings& routing,
                                         const core::GatewaySettings& gateway) {
    PublicationSettings settings{
        .active = routing.enabled.value_or(false),
        .host_template = gateway.global_host_template.value_or(""),
        .gateway = gateway.global_gateway.value_or(""),
        .route_namespace = trimmed(gateway.route_namespace.value_or("")),
        .backend_port = gateway.backend_port.value_or(0),
        .rewrite_hostname = gateway.rewrite_hostname.value_or(false),
        .backend_tls = gateway.tls_enabled.value_or(false),
        .authorities = gateway.well_known_ca_certificates.value_or(""),
        .endpoint_slices = gateway.slices_enabled.value_or(false),
        .backend_type = gateway.service_type == core::headless_type ? BackendType::Headless
                                                                    : BackendType::ExternalName,
        .resync_interval = core::parse_duration(routing.publisher.resync_interval.value_or("0s"))
                               .value_or(core::Duration::zero())};
    const auto refresh = core::parse_duration(gateway.address_refresh_interval.value_or(""));
    if (settings.endpoint_slices && refresh) {
        settings.resync_interval = std::min(settings.resync_interval, *refresh);
    }
    if (!settings.active) {
        settings.resync_interval = core::Duration::zero();
    }
    return settings;
}

bool is_configured(const PublicationSettings& settings) {
    return !trimmed(settings.gateway).empty() && settings.backend_port > 0;
}

bool is_needed(ObjectKind kind, const PublicationSettings& settings) {
    return (kind != ObjectKind::BackendTlsPolicy || settings.backend_tls) &&
           (kind != ObjectKind::EndpointSlice || settings.endpoint_slices);
}

core::Result<PublicationPlan> plan_publication(const TrafficMap& map,
                                               const InferenceService& service,
                                               const PublicationSettings& settings) {
    return Planner(map, service, settings).run();
}

core::ServiceKey gateway_of(const GatewayParent& parent, const std::string& route_namespace) {
    return {parent.ns.value_or(route_namespace), parent.name};
}

}  // namespace ome::routing
