#include "why_problems.hpp"

#include "freshness.hpp"
#include "map_lag.hpp"
#include "why_publication.hpp"
#include <ome/routing/ownership.hpp>
#include <ome/routing/slips.hpp>
#include <ome/routing/stored_evidence.hpp>
#include <ome/routing/unaddressable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::kubectl {
namespace {

/// What is wrong beyond single clusters.
class Problems {
public:
    Problems(const WhyFacts& facts, const json::value& object) : facts_(facts), object_(object) {}

    std::vector<std::string> find_all(const core::RoutingSettings& installation) {
        if (facts_.service_known) {
            add_service(installation);
        }
        if (auto problem = route_problem(facts_, object_)) {
            out_.push_back(*std::move(problem));
        }
        add_strangers();
        return std::move(out_);
    }

private:
    void add_service(const core::RoutingSettings& installation) {
        const routing::TrafficMap& map = *facts_.map;
        const auto frozen = frozen_reason(facts_.service, &map, installation);
        if (frozen) {
            out_.push_back(
                fmt::format("the map is frozen, its last weights stay: {}", clean(*frozen)));
        } else if (freshness_of(map.spec.observed_isvc_generation, facts_.service.generation) ==
                   Freshness::Stale) {
            out_.push_back(fmt::format(
                "the map is made from generation {} of the service, which is at {}: has the "
                "controller stopped, or does the configuration freeze the map (see --config)?",
                map.spec.observed_isvc_generation,
                facts_.service.generation));
        }
        for (std::string& lag : drain_lags(facts_, frozen.has_value())) {
            out_.push_back(std::move(lag));
        }
        for (std::string& lag : drains_left_behind(facts_, frozen.has_value())) {
            out_.push_back(std::move(lag));
        }
        if (std::string lag = home_lag(facts_); !lag.empty() && !frozen && routed(installation)) {
            out_.push_back(std::move(lag));
        }
        for (const routing::Unaddressable& one : routing::unaddressable(facts_.service)) {
            out_.push_back(clean(routing::sentence(one)));
        }
    }

    // A service that is not routed is not to have a map.
    [[nodiscard]] bool routed(const core::RoutingSettings& installation) const {
        const auto admitted = routing::admit(facts_.service, installation);
        return admitted && *admitted;
    }

    // Drains of clusters that are no homes hold nothing.
    void add_strangers() {
        for (const routing::Drain& drain : facts_.drains) {
            const auto& entries = facts_.map->spec.entries;
            const bool there = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
                return entry.cluster == drain.cluster;
            });
            if (!there && candidate_of(facts_.service, drain.cluster) == nullptr) {
                out_.push_back(fmt::format(
                    "drain {} names cluster {}, which is no home of the service: is it misspelt?",
                    clean(drain.id),
                    clean(drain.cluster)));
            }
        }
    }

    const WhyFacts& facts_;
    const json::value& object_;
    std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> problems_of(const WhyFacts& facts,
                                     const json::value& object,
                                     const core::RoutingSettings& installation) {
    return Problems(facts, object).find_all(installation);
}

std::string why_unrouted(const routing::InferenceService& service,
                         const core::RoutingSettings& installation,
                         const ClusterError& error) {
    if (error.what != Failure::NotFound) {
        return fmt::format("the TrafficMap cannot be read: {}", words_in_full(error));
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

std::optional<std::string> frozen_reason(const routing::InferenceService& service,
                                         const routing::TrafficMap* map,
                                         const core::RoutingSettings& installation) {
    if (service.deleting) {
        return std::nullopt;
    }
    const auto admitted = routing::admit(service, installation);
    if (!admitted) {
        return routing::with_slips(admitted.error(), service);
    }
    if (!*admitted) {
        return std::nullopt;
    }
    const auto refusal = routing::write_refusal(service, map);
    return refusal ? std::optional(refusal->message) : std::nullopt;
}

}  // namespace ome::kubectl
