#include "why_report.hpp"

#include "acknowledgement.hpp"
#include "action_text.hpp"
#include "members.hpp"
#include <ome/core/text.hpp>
#include <ome/routing/drain_expiry.hpp>
#include <ome/routing/explanation.hpp>
#include <ome/routing/ownership.hpp>
#include <ome/routing/stored_evidence.hpp>
#include <ome/wire/drain_document.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ome::kubectl {
namespace {

using routing::ZeroWeight;

std::string clean(const std::string& text) {
    return core::sanitize_detail(text);
}

std::string ago(core::WallTime at, core::WallTime now) {
    return fmt::format("{} ago", age_text(now - at));
}

const routing::Candidate* candidate_of(const routing::InferenceService& service,
                                       const std::string& cluster) {
    if (service.status) {
        for (const routing::Candidate& candidate : service.status->candidates) {
            if (candidate.cluster == cluster) {
                return &candidate;
            }
        }
    }
    return nullptr;
}

/// Objects that could be read, and what follows from them.
struct Known {
    routing::InferenceService service;
    std::optional<routing::TrafficMap> map = {};
    std::map<std::string, std::string> explanations =
        {};  ///< by cluster, of the service as it is now
    std::map<std::string, std::int32_t> weights_now = {};  ///< by cluster, by the same computation
    std::vector<routing::Drain> drains = {};
    std::vector<routing::DrainExpiry> expiries = {};
    core::WallTime now = {};
};

/// The words for one entry of the map.
class EntryWords {
public:
    EntryWords(const Known& known, const routing::Entry& entry) : known_(known), entry_(entry) {}

    ClusterReason make(std::int64_t sum) {
        out_.cluster = entry_.cluster;
        out_.entry = true;
        out_.weight = entry_.weight;
        out_.share = sum > 0 ? static_cast<double>(entry_.weight) / static_cast<double>(sum) : 0;
        const routing::Candidate* candidate = candidate_of(known_.service, entry_.cluster);
        const bool withdrawn =
            candidate != nullptr && candidate->allocation && candidate->allocation->drain_requested;
        const ZeroWeight zero = routing::zero_weight(entry_, withdrawn);
        out_.reason = to_string(zero);
        explain(zero);
        add_evidence();
        const auto explanation = known_.explanations.find(entry_.cluster);
        if (explanation != known_.explanations.end()) {
            out_.explanation = explanation->second;
            compare_with_now();
        }
        return std::move(out_);
    }

private:
    void explain(ZeroWeight zero) {
        switch (zero) {
            case ZeroWeight::Serving:
                return;
            case ZeroWeight::Drained:
                return explain_drains();
            case ZeroWeight::NotReady:
                out_.why =
                    "no replica is ready there, or the service's copy there is not "
                    "IngressReady yet";
                out_.changes.push_back(fmt::format(
                    "a ready replica; on that cluster: kubectl get inferenceservice {} -n {}",
                    known_.service.key.name,
                    known_.service.key.ns));
                return;
            case ZeroWeight::ReportsNothing:
                out_.why =
                    "the cluster reports that it can serve nothing, although replicas are "
                    "ready";
                out_.changes.emplace_back(
                    "a capacity report above 0; see what the home's capacity path answers");
                return;
            case ZeroWeight::NotAdmitted:
                out_.why = "placement admitted no replica on the cluster";
                out_.changes.emplace_back(
                    "admittedReplicas above 0 in the service's status.placement.candidates");
                return;
            case ZeroWeight::Gated:
                return explain_gate();
            case ZeroWeight::Withdrawn:
                out_.why =
                    "the placement plan withdraws the service from the cluster "
                    "(allocation.drainRequested)";
                out_.changes.emplace_back("the end of the placement plan's move");
                return;
            case ZeroWeight::Unexplained:
                out_.why = "nothing in the entry says why";
                out_.changes.emplace_back("the next write of the map: it does not fit its entry");
                return;
        }
    }

    void explain_drains() {
        std::vector<std::string> named;
        for (const std::string& id : entry_.drain_refs) {
            named.push_back(fmt::format("{}{}", clean(id), about_drain(id)));
            out_.changes.push_back(fmt::format("kubectl ome traffic undrain {} -n {} --id {}",
                                               known_.service.key.name,
                                               known_.service.key.ns,
                                               shell_word(id)));
        }
        out_.why =
            fmt::format("a drain holds it at 0, whatever its capacity: {}", fmt::join(named, "; "));
    }

    // ` (planned maintenance), lapses in 2h`
    std::string about_drain(const std::string& id) {
        const auto drain = std::find_if(known_.drains.begin(),
                                        known_.drains.end(),
                                        [&id](const auto& one) { return one.id == id; });
        if (drain == known_.drains.end()) {
            return " (taken off; the map has not followed yet)";
        }
        const auto expiry = std::find_if(known_.expiries.begin(),
                                         known_.expiries.end(),
                                         [&](const auto& one) { return one.drain == *drain; });
        const std::string reason = fmt::format(" ({})", clean(drain->reason));
        if (expiry == known_.expiries.end()) {
            return reason;
        }
        return expiry->until > known_.now
                   ? fmt::format("{}, lapses in {}", reason, age_text(expiry->until - known_.now))
                   : fmt::format("{}, lapsed {}", reason, ago(expiry->until, known_.now));
    }

    void explain_gate() {
        const routing::EntryProbe& probe = *entry_.probe;
        out_.why = fmt::format("the probe gated the cluster after {} failures in a row{}",
                               probe.consecutive_failures,
                               probe.message.empty() ? "" : ": " + clean(probe.message));
        out_.changes.emplace_back(
            "enough passing probes in a row (successThreshold); try the probe's path on the "
            "endpoint");
    }

    void add_evidence() {
        const routing::EntryCapacity& capacity = entry_.capacity;
        out_.evidence.push_back(fmt::format(
            "allocated {}, ready {}, as placement reports", capacity.allocated, capacity.ready));
        if (capacity.reported) {
            out_.evidence.push_back(fmt::format("the cluster reports {}", *capacity.reported));
        } else if (!capacity.fallback_reason.empty()) {
            out_.evidence.push_back("no report: " + clean(capacity.fallback_reason));
        }
        if (entry_.probe) {
            const routing::EntryProbe& probe = *entry_.probe;
            out_.evidence.push_back(
                fmt::format("last probe {}{}{}",
                            core::to_string(probe.result),
                            probe.message.empty() ? "" : fmt::format(" ({})", clean(probe.message)),
                            probe.last_probe_time ? ", " + ago(*probe.last_probe_time, known_.now)
                                                  : ", at a time that is not recorded"));
        }
    }

    // The map may be behind.
    void compare_with_now() {
        const std::int32_t weight = known_.weights_now.at(entry_.cluster);
        if ((weight == 0) != (entry_.weight == 0)) {
            out_.changes.insert(
                out_.changes.begin(),
                fmt::format("by what the service says now the weight would be {}: the map has not "
                            "followed yet",
                            weight));
        }
    }

    const Known& known_;
    const routing::Entry& entry_;
    ClusterReason out_;
};

// A cluster that the map does not have.
ClusterReason without_entry(const routing::InferenceService& service, const std::string& cluster) {
    ClusterReason out{.cluster = cluster, .reason = "NotAHome"};
    const routing::Candidate* candidate = candidate_of(service, cluster);
    if (candidate == nullptr) {
        out.why = "the service's status.placement.candidates do not name the cluster";
        out.changes.emplace_back("placement choosing the cluster; or the name is misspelt");
    } else if (candidate->phase != "Admitted") {
        out.why = fmt::format("the cluster has not admitted the service: its phase is {}",
                              candidate->phase.empty() ? "not reported" : clean(candidate->phase));
        out.changes.emplace_back("the phase Admitted");
    } else if (candidate->endpoint.empty()) {
        out.why = "the cluster has admitted the service and reports no endpoint";
        out.changes.emplace_back("an endpoint in status.placement.candidates");
    } else {
        out.why = "the map has no entry for it";
        out.changes.emplace_back("the next write of the map");
    }
    return out;
}

std::string condition_words(const json::value& map, std::string_view type) {
    const json::array* conditions = array_at(map, {"status", "conditions"});
    if (conditions != nullptr) {
        for (const json::value& condition : *conditions) {
            if (text_at(condition, {"type"}) == type) {
                return fmt::format("{} {}: {}",
                                   clean(text_at(condition, {"status"})),
                                   clean(text_at(condition, {"reason"})),
                                   clean(text_at(condition, {"message"})));
            }
        }
    }
    return "Unknown: not recorded";
}

std::string table_words(const routing::TrafficMap& map, const routing::InferenceService& service) {
    const Freshness fresh = freshness_of(map.spec.observed_isvc_generation, service.generation);
    return fmt::format("generation {}, made from generation {} of the service ({})",
                       map.meta.generation,
                       map.spec.observed_isvc_generation,
                       fresh == Freshness::Stale
                           ? fmt::format("Stale: the service is at {}", service.generation)
                           : std::string(to_string(fresh)));
}

std::string published_words(const json::value& object, core::WallTime now) {
    const ConditionView view = condition_view(object, "Published", now);
    const json::value* gateway = find(object, {"status", "gatewayRef"});
    return fmt::format("{} {} ({}){}",
                       view.status,
                       view.reason,
                       to_string(view.freshness),
                       gateway != nullptr
                           ? clean(fmt::format(", route {} {}/{}",
                                               text_at(*gateway, {"kind"}),
                                               text_at(*gateway, {"namespace"}).empty()
                                                   ? text_at(object, {"metadata", "namespace"})
                                                   : text_at(*gateway, {"namespace"}),
                                               text_at(*gateway, {"name"})))
                           : std::string());
}

/// What is wrong beyond single clusters.
class Problems {
public:
    Problems(const Known& known, const json::value& object, WhyReport& report)
        : known_(known), object_(object), out_(report.problems) {}

    void find_all(const core::RoutingSettings& installation) {
        const routing::TrafficMap& map = *known_.map;
        if (const auto frozen = frozen_reason(known_.service, &map, installation)) {
            out_.push_back(
                fmt::format("the map is frozen, its last weights stay: {}", clean(*frozen)));
        } else if (freshness_of(map.spec.observed_isvc_generation, known_.service.generation) ==
                   Freshness::Stale) {
            out_.push_back(fmt::format(
                "the map is made from generation {} of the service, which is at {}: has the "
                "controller stopped?",
                map.spec.observed_isvc_generation,
                known_.service.generation));
        }
        add_publication();
        add_strangers();
    }

private:
    void add_publication() {
        const ConditionView published = condition_view(object_, "Published", known_.now);
        const std::int64_t route = known_.map->status.observed_traffic_map_generation;
        if (!published.recorded) {
            return;
        }
        if (published.status != "True") {
            out_.push_back(
                fmt::format("the route does not follow the map: Published is {} with reason {}{}",
                            published.status,
                            published.reason,
                            route > 0 ? fmt::format("; it has the weights of generation {}", route)
                                      : std::string()));
        } else if (route > 0 && route < known_.map->meta.generation) {
            out_.push_back(
                fmt::format("the route has the weights of generation {}, the map is at "
                            "{}",
                            route,
                            known_.map->meta.generation));
        }
    }

    // Drains of clusters that are no homes hold nothing.
    void add_strangers() {
        for (const routing::Drain& drain : known_.drains) {
            const auto& entries = known_.map->spec.entries;
            const bool there = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
                return entry.cluster == drain.cluster;
            });
            if (!there) {
                out_.push_back(fmt::format(
                    "drain {} names cluster {}, which is no home of the service: is it misspelt?",
                    clean(drain.id),
                    clean(drain.cluster)));
            }
        }
    }

    const Known& known_;
    const json::value& object_;
    std::vector<std::string>& out_;
};

// The problem says why there is no map, as far as the service tells.
std::string why_unrouted(const routing::InferenceService& service,
                         const core::RoutingSettings& installation,
                         const ClusterError& error) {
    if (error.what != Failure::NotFound) {
        return fmt::format("the TrafficMap cannot be read: {}", words_of(error));
    }
    if (service.deleting) {
        return "there is no TrafficMap: the service is being deleted";
    }
    if (!routing::eligible(service)) {
        return service.derived_copy
                   ? "there is no TrafficMap: this is a copy of a service, ask on its control plane"
                   : "there is no TrafficMap: the service has no spec.placement";
    }
    if (!routing::routing_enabled(installation, service.routing)) {
        return service.routing && !service.routing->enabled.value_or(true)
                   ? "there is no TrafficMap: spec.routing.enabled is false"
                   : "there is no TrafficMap: routing is off in the configuration";
    }
    if (const auto frozen = frozen_reason(service, nullptr, installation)) {
        return fmt::format("there is no TrafficMap, and none can be made: {}", clean(*frozen));
    }
    return "there is no TrafficMap: routing is off in the installation, or the controller does not "
           "run";
}

void take_explanation(Known& known, const core::RoutingSettings& installation) {
    const auto admitted = routing::admit(known.service, installation);
    if (!admitted || !*admitted) {
        return;
    }
    const routing::RoutedService routed = routing::with_stored_policies(**admitted, *known.map);
    const routing::Explanation explanation =
        routing::explain(known.service, routed, routing::stored_observations(*known.map));
    for (const routing::HomeExplanation& home : explanation.homes) {
        known.explanations[home.cluster] = home.text;
        known.weights_now[home.cluster] = home.weight;
    }
}

void take_clusters(const Known& known, const std::string& only, WhyReport& report) {
    std::int64_t sum = 0;
    for (const routing::Entry& entry : known.map->spec.entries) {
        sum += entry.weight;
    }
    for (const routing::Entry& entry : known.map->spec.entries) {
        if (only.empty() || entry.cluster == only) {
            report.clusters.push_back(EntryWords(known, entry).make(sum));
        }
    }
    if (!only.empty() && report.clusters.empty()) {
        report.clusters.push_back(without_entry(known.service, only));
    }
}

}  // namespace

std::optional<std::string> frozen_reason(const routing::InferenceService& service,
                                         const routing::TrafficMap* map,
                                         const core::RoutingSettings& installation) {
    if (service.deleting) {
        return std::nullopt;
    }
    const auto admitted = routing::admit(service, installation);
    if (!admitted) {
        return admitted.error().message;
    }
    if (!*admitted) {
        return std::nullopt;
    }
    const auto refusal = routing::write_refusal(service, map);
    return refusal ? std::optional(refusal->message) : std::nullopt;
}

WhyReport why_report(const json::value& service,
                     const Answer<json::value>& map,
                     const std::string& cluster,
                     const std::optional<core::RoutingSettings>& installation,
                     core::WallTime now) {
    WhyReport report{.key = {text_at(service, {"metadata", "namespace"}),
                             text_at(service, {"metadata", "name"})},
                     .collected_at = now};
    const core::RoutingSettings settings =
        installation ? *installation : routing::assumed_installation();
    auto read = wire::read_inference_service(service);
    if (!read) {
        report.problems.push_back("the InferenceService cannot be understood: " +
                                  clean(read.error().message));
        return report;
    }
    Known known{.service = *std::move(read), .now = now};
    if (auto drains = routing::parse_drains(known.service.drains)) {
        known.drains = *std::move(drains);
    }
    if (auto expiries = wire::read_drain_expiries(known.service.drain_expiries)) {
        known.expiries = *std::move(expiries);
    }
    if (!map) {
        report.problems.push_back(why_unrouted(known.service, settings, map.error()));
        if (!cluster.empty()) {
            report.clusters.push_back(without_entry(known.service, cluster));
            report.clusters.back().reason = "NotRouted";
        }
        return report;
    }
    auto read_map = wire::read_traffic_map(*map);
    if (!read_map) {
        report.problems.push_back("the TrafficMap cannot be understood: " +
                                  clean(read_map.error().message));
        return report;
    }
    known.map = *std::move(read_map);
    report.routable = condition_words(*map, "Routable");
    report.table = table_words(*known.map, known.service);
    report.published = published_words(*map, now);
    take_explanation(known, settings);
    Problems(known, *map, report).find_all(settings);
    take_clusters(known, cluster, report);
    return report;
}

}  // namespace ome::kubectl
