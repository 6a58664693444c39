#include "render.hpp"

#include "generations.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/ownership.hpp>
#include <ome/routing/shadow.hpp>
#include <ome/routing/unrouted.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::controller {
namespace {

constexpr std::int64_t generation_of_a_new_map = 1;

bool is_of_owner(const core::ServiceReading& reading, const routing::InferenceService& service) {
    return reading.owner_uid.empty() || service.uid.empty() || reading.owner_uid == service.uid;
}

const core::HomeReading* find_home(const core::ServiceReading* reading,
                                   const routing::InferenceService& service,
                                   const std::string& cluster) {
    if (reading == nullptr || !is_of_owner(*reading, service)) {
        return nullptr;
    }
    const auto home = std::find_if(
        reading->homes.begin(), reading->homes.end(), [&cluster](const core::HomeReading& one) {
            return one.cluster == cluster;
        });
    return home == reading->homes.end() ? nullptr : &*home;
}

// What a reading written by hand leaves out counts as matching.
core::HomeReading completed(core::HomeReading reading,
                            const routing::Home& home,
                            const core::Policies& policies) {
    if (reading.endpoint.empty()) {
        reading.endpoint = home.endpoint;
    }
    if (reading.capacity && policies.capacity && reading.capacity->policy_digest.empty()) {
        reading.capacity->policy_digest = policies.capacity->digest;
    }
    if (reading.probe && policies.probe && reading.probe->policy_digest.empty()) {
        reading.probe->policy_digest = policies.probe->digest;
    }
    return reading;
}

std::optional<routing::ProbeObservation> restored(const routing::InferenceService& service,
                                                  const routing::TrafficMap* stored,
                                                  const routing::Home& home,
                                                  const core::Policies& policies) {
    if (!policies.probe) {
        return std::nullopt;
    }
    const std::optional<core::RestoredProbe> probe = routing::restorable_probe(
        service, stored, home.cluster, home.endpoint, policies.probe->digest);
    if (!probe) {
        return std::nullopt;
    }
    return routing::ProbeObservation{
        .state = {.policy_digest = probe->policy_digest,
                  .result = probe->result,
                  .gated = probe->gated,
                  .last_probe_time = probe->last_probe_time,
                  .consecutive_failures = probe->consecutive_failures,
                  .message = probe->message},
        .conclusive = probe->gated || probe->result != core::ProbeResult::Unknown,
    };
}

// Why a whole reading of a home is not used; empty: it is one of ours.
std::string mismatch(const core::HomeReading& reading,
                     const core::ServiceReading& all,
                     const routing::InferenceService& service,
                     const std::vector<routing::Home>& homes) {
    if (!is_of_owner(all, service)) {
        return fmt::format("ownerUID is {}, expected {}",
                           core::go_quote(all.owner_uid),
                           core::go_quote(service.uid));
    }
    if (&reading != find_home(&all, service, reading.cluster)) {
        return fmt::format("cluster {} is there more than once, the first one counts",
                           core::go_quote(reading.cluster));
    }
    std::vector<std::string> names;
    for (const routing::Home& home : homes) {
        if (home.cluster == reading.cluster) {
            return {};
        }
        names.push_back(core::go_quote(home.cluster));
    }
    return names.empty() ? fmt::format("cluster is {}, expected none: the service has no homes now",
                                       core::go_quote(reading.cluster))
                         : fmt::format("cluster is {}, expected one of its homes: {}",
                                       core::go_quote(reading.cluster),
                                       fmt::join(names, ", "));
}

// `homes` as serving_homes() gives them.
std::vector<core::Problem> unused_of(const core::ServiceReading& all,
                                     const routing::InferenceService& service,
                                     const core::Policies& policies,
                                     const std::vector<routing::Home>& homes) {
    std::vector<core::Problem> unused;
    for (const core::HomeReading& reading : all.homes) {
        if (std::string why = mismatch(reading, all, service, homes); !why.empty()) {
            unused.push_back(
                {fmt::format("the reading of {} is not used: {}", reading.cluster, why),
                 reading.cluster});
            continue;
        }
        const auto home = std::find_if(homes.begin(), homes.end(), [&reading](const auto& one) {
            return one.cluster == reading.cluster;
        });
        const core::HomeReading whole = completed(reading, *home, policies);
        for (const core::Problem& part : routing::unused_parts(whole, home->endpoint, policies)) {
            const std::string of = part.field == "endpoint"
                                       ? std::string()
                                       : part.field.substr(0, part.field.find('.')) + " in ";
            unused.push_back(
                {fmt::format(
                     "{}the reading of {} is not used: {}", of, reading.cluster, part.message),
                 reading.cluster});
        }
    }
    return unused;
}

routing::Observations observations_of(const routing::InferenceService& service,
                                      const core::Policies& policies,
                                      const std::vector<routing::Home>& homes,
                                      const RenderInput& input) {
    routing::Observations observations;
    for (const routing::Home& home : homes) {
        const core::HomeReading* found = find_home(input.reading, service, home.cluster);
        std::optional<core::HomeReading> reading;
        if (found != nullptr) {
            reading = completed(*found, home, policies);
        }
        routing::HomeObservation observation =
            routing::project(reading ? &*reading : nullptr, home.endpoint, policies, input.now);
        if (!observation.probe) {
            observation.probe = restored(service, input.stored, home, policies);
        }
        observations.emplace(home.cluster, std::move(observation));
    }
    return observations;
}

routing::TrafficMap new_map(const routing::InferenceService& service) {
    routing::TrafficMap map;
    map.meta.key = service.key;
    map.meta.owner_references.push_back(routing::owner_reference(service));
    return map;
}

// Spec first, then the conditions of what is stored then.
routing::TrafficMap written(const routing::InferenceService& service,
                            const routing::RoutedService& routed,
                            routing::Plan plan,
                            const RenderInput& input) {
    routing::TrafficMap map = input.stored ? *input.stored : new_map(service);
    std::int64_t generation = generation_of_a_new_map;
    if (input.stored == nullptr) {
        map.spec = std::move(plan.spec);
    } else {
        if (routing::difference(map.spec, plan.spec, routed.policies) !=
            routing::Difference::None) {
            map.spec = std::move(plan.spec);
            ++map.meta.generation;
        }
        generation = map.meta.generation;
    }
    map.status.source_uid = service.uid;
    map.status.conditions = routing::merged_conditions(
        map.status.conditions,
        routing::routing_conditions(
            map.spec, generation, plan.verdict, routed, map.status.conditions, input.now));
    return map;
}

}  // namespace

core::Result<Rendered> render(const routing::InferenceService& service, const RenderInput& input) {
    core::Result<std::optional<routing::RoutedService>> admitted =
        routing::admit(service, input.installation);
    if (!admitted) {
        return admitted.error();
    }
    if (!*admitted) {
        return core::Problem{"is not routed: " +
                             routing::why_not_routed(service, input.installation)};
    }
    if (const auto refusal = routing::write_refusal(service, input.stored)) {
        return *refusal;
    }
    Rendered rendered{{}, *std::move(*admitted), {}};
    const core::Policies& policies = routing::observed_policies(rendered.routed);
    const std::vector<routing::Home> homes = routing::serving_homes(service);
    rendered.observations = observations_of(service, policies, homes, input);
    if (input.reading != nullptr) {
        rendered.unused = unused_of(*input.reading, service, policies, homes);
    }
    rendered.map =
        written(service,
                rendered.routed,
                routing::build_plan(service, homes, rendered.routed, rendered.observations),
                input);
    return rendered;
}

void complete_as_stored(routing::InferenceService& service, const routing::TrafficMap* stored) {
    if (service.uid.empty()) {
        service.uid = wire::derived_uid(service.key);
    }
    if (service.generation == 0) {
        constexpr std::int64_t first = 1;
        const std::int64_t seen = stored != nullptr ? stored->spec.observed_isvc_generation : 0;
        service.generation = std::max(seen, first);
    }
}

core::RoutingSettings chart_installation() {
    const core::ObserverLimits limits = core::chart_limits();
    core::RoutingSettings installation;
    installation.enabled = true;
    installation.observer = {
        .max_concurrent_reconciles = limits.max_concurrent_reconciles,
        .max_concurrent_requests = limits.max_concurrent_requests,
        .max_response_bytes = limits.max_response_bytes,
        .min_period = core::format_duration(limits.min_period),
        .max_samples = limits.max_samples,
    };
    return installation;
}

}  // namespace ome::controller
