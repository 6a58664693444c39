#include "why_report.hpp"

#include "freshness.hpp"
#include "members.hpp"
#include "why_cluster.hpp"
#include "why_facts.hpp"
#include "why_problems.hpp"
#include "why_publication.hpp"
#include <ome/core/text.hpp>
#include <ome/routing/shadow.hpp>
#include <ome/routing/stored_evidence.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::kubectl {
namespace {

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

std::string table_words(const routing::TrafficMap& map, const WhyFacts& facts) {
    if (!facts.service_known) {
        return fmt::format("generation {}, made from generation {} of the service",
                           map.meta.generation,
                           map.spec.observed_isvc_generation);
    }
    const routing::InferenceService& service = facts.service;
    const Freshness fresh = freshness_of(map.spec.observed_isvc_generation, service.generation);
    return fmt::format("generation {}, made from generation {} of the service ({})",
                       map.meta.generation,
                       map.spec.observed_isvc_generation,
                       fresh == Freshness::Stale
                           ? fmt::format("Stale: the service is at {}", service.generation)
                           : std::string(to_string(fresh)));
}

std::string published_words(const json::value& object, bool nothing, core::WallTime now) {
    const ConditionView view = condition_view(object, "Published", now);
    const json::value* gateway = find(object, {"status", "gatewayRef"});
    return fmt::format(
        "{} {} ({}){}{}",
        view.status,
        view.reason,
        to_string(view.freshness),
        gateway != nullptr ? clean(fmt::format(", route {} {}/{}",
                                               text_at(*gateway, {"kind"}),
                                               text_at(*gateway, {"namespace"}).empty()
                                                   ? text_at(object, {"metadata", "namespace"})
                                                   : text_at(*gateway, {"namespace"}),
                                               text_at(*gateway, {"name"})))
                           : std::string(),
        nothing ? "; nothing is published: no gateway, port or global hostname" : "");
}

std::string traffic_words(const routing::TrafficMap& map) {
    const auto& entries = map.spec.entries;
    const auto serving = std::count_if(
        entries.begin(), entries.end(), [](const auto& entry) { return entry.weight > 0; });
    return fmt::format("{} of {} {} traffic",
                       serving,
                       core::counted(entries.size(), "home", "homes"),
                       serving == 1 ? "gets" : "get");
}

// Whoever asks why a cluster gets no traffic need not know that the map leaves it out.
void take_others(const WhyFacts& facts, WhyReport& report) {
    if (!facts.service.status) {
        return;
    }
    for (const routing::Candidate& candidate : facts.service.status->candidates) {
        const auto& known = report.clusters;
        if (std::none_of(known.begin(), known.end(), [&candidate](const ClusterReason& one) {
                return one.cluster == candidate.cluster;
            })) {
            report.clusters.push_back(reason_without_entry(facts, candidate.cluster));
        }
    }
}

void take_clusters(const WhyFacts& facts, const std::string& only, WhyReport& report) {
    std::int64_t sum = 0;
    for (const routing::Entry& entry : facts.map->spec.entries) {
        sum += entry.weight;
    }
    for (const routing::Entry& entry : facts.map->spec.entries) {
        if (only.empty() || entry.cluster == only) {
            report.clusters.push_back(reason_of(facts, entry, sum));
        }
    }
    if (only.empty()) {
        take_others(facts, report);
    } else if (report.clusters.empty()) {
        report.clusters.push_back(
            facts.service_known ? reason_without_entry(facts, only)
                                : ClusterReason{.cluster = only,
                                                .reason = "NotAHome",
                                                .why = "the map in force has no entry for it"});
    }
}

// The problem says what is wrong with it.
core::Result<routing::InferenceService> read_service(const Answer<json::value>& answer) {
    if (!answer) {
        const ClusterError& error = answer.error();
        return core::Problem{clean(error.detail.empty() ? words_in_full(error) : error.detail)};
    }
    auto read = wire::read_inference_service(*answer);
    if (!read) {
        return core::Problem{"the InferenceService cannot be understood: " +
                             clean(read.error().message)};
    }
    return *std::move(read);
}

// Of a service that is not known.
std::string why_unknown(const Answer<json::value>& service, bool mapped, const std::string& what) {
    if (!service && service.error().what == Failure::NotFound) {
        return "there is no InferenceService, and its map is not deleted yet";
    }
    return mapped ? "the last good state is in force, because " + what : what;
}

}  // namespace

WhyReport why_report(const core::ServiceKey& key,
                     const Answer<json::value>& service,
                     const Answer<json::value>& map,
                     const std::string& cluster,
                     const std::optional<core::RoutingSettings>& installation,
                     const std::string& place_flag,
                     core::WallTime now) {
    WhyReport report{.key = key, .collected_at = now};
    const core::RoutingSettings settings =
        installation ? *installation : routing::assumed_installation();
    auto read = read_service(service);
    routing::InferenceService unknown;
    unknown.key = key;
    WhyFacts facts = facts_of(read ? *read : std::move(unknown), now);
    facts.service_known = read.has_value();
    if (!read) {
        report.problems.push_back(why_unknown(service, map.has_value(), read.error().message));
    }
    facts.place_flag = place_flag;
    report.shadow = routing::is_shadowed(facts.service);
    if (!map && !facts.service_known) {
        return report;
    }
    if (!map) {
        report.problems.push_back(why_unrouted(facts.service, settings, map.error()));
        if (!cluster.empty()) {
            report.clusters.push_back(reason_without_entry(facts, cluster));
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
    facts.map = *std::move(read_map);
    report.routable = condition_words(*map, "Routable");
    report.traffic = traffic_words(*facts.map);
    report.table = table_words(*facts.map, facts);
    report.published = published_words(*map, nothing_to_publish(*facts.map), now);
    if (facts.service_known) {
        facts.frozen = frozen_reason(facts.service, &*facts.map, settings).has_value();
        take_explanation(facts, settings);
    }
    const auto problems = problems_of(facts, *map, settings);
    report.problems.insert(report.problems.end(), problems.begin(), problems.end());
    take_clusters(facts, cluster, report);
    return report;
}

}  // namespace ome::kubectl
