#include "observed.hpp"

#include <ome/core/endpoint.hpp>
#include <ome/routing/ownership.hpp>
#include <ome/routing/shadow.hpp>

#include <algorithm>

namespace ome::controller {
namespace {

constexpr std::string_view no_report = "no capacity report yet";

// As far as it can be compared with what the observer tells, which masks userinfo.
std::string identity_of(const std::string& endpoint) {
    const auto canonical = core::canonicalize(endpoint);
    return core::mask_userinfo(canonical ? canonical->canonical : endpoint);
}

// Mostly they are spelled alike, and canonicalizing is a fifth of a pass.
bool same_endpoint(const std::string& left, const std::string& right) {
    return left == right || identity_of(left) == identity_of(right);
}

// An observer that tells no digest leaves nothing to compare.
template <typename Reading, typename Policy>
bool is_about(const std::optional<Reading>& reading, const std::optional<Policy>& policy) {
    return !reading || reading->policy_digest.empty() ||
           (policy && reading->policy_digest == policy->digest);
}

bool is_about(const core::HomeReading& reading, const core::ServiceDeclaration& declared) {
    const auto home =
        std::find_if(declared.homes.begin(), declared.homes.end(), [&](const auto& candidate) {
            return candidate.cluster == reading.cluster;
        });
    return home != declared.homes.end() && same_endpoint(home->endpoint, reading.endpoint) &&
           is_about(reading.capacity, declared.capacity) && is_about(reading.probe, declared.probe);
}

template <typename Policy>
bool same_policy(const std::optional<Policy>& left, const std::optional<Policy>& right) {
    return left.has_value() == right.has_value() && (!left || left->digest == right->digest);
}

const routing::Entry* stored_entry(const Evidence& evidence, const routing::Home& home) {
    const routing::TrafficMap* map = evidence.stored;
    if (map == nullptr ||
        !routing::exactly_owned(*map, evidence.service.key, evidence.service.uid)) {
        return nullptr;
    }
    const auto found =
        std::find_if(map->spec.entries.begin(), map->spec.entries.end(), [&](const auto& entry) {
            return entry.cluster == home.cluster;
        });
    return found != map->spec.entries.end() && same_endpoint(found->endpoint, home.endpoint)
               ? &*found
               : nullptr;
}

const core::Policies& observed(const Evidence& evidence) {
    return routing::observed_policies(evidence.routed);
}

// Until the observer has told of the service, the map's own fields stand: a restart of ours changes
// nothing by itself.
routing::CapacityObservation stored_capacity(const Evidence& evidence, const routing::Home& home) {
    if (const routing::Entry* entry = stored_entry(evidence, home); entry != nullptr) {
        if (entry->capacity.reported) {
            return {entry->capacity.reported, {}};
        }
        if (!entry->capacity.fallback_reason.empty()) {
            return {std::nullopt, entry->capacity.fallback_reason};
        }
    }
    return {std::nullopt, std::string(no_report)};
}

std::optional<routing::ProbeObservation> stored_probe(const Evidence& evidence,
                                                      const routing::Home& home) {
    const auto restored = routing::restorable_probe(evidence.service,
                                                    evidence.stored,
                                                    home.cluster,
                                                    home.endpoint,
                                                    observed(evidence).probe->digest);
    if (!restored) {
        return std::nullopt;
    }
    routing::ProbeObservation probe;
    probe.state = {.policy_digest = restored->policy_digest,
                   .result = restored->result,
                   .gated = restored->gated,
                   .last_probe_time = restored->last_probe_time,
                   .consecutive_failures = restored->consecutive_failures,
                   .message = restored->message};
    probe.conclusive = restored->gated || restored->consecutive_failures > 0 ||
                       restored->result != core::ProbeResult::Unknown;
    return probe;
}

routing::HomeObservation observe(const Evidence& evidence,
                                 const routing::Home& home,
                                 core::WallTime now) {
    const core::Policies& policies = observed(evidence);
    const HomeSeen* seen = evidence.readings.find(home.cluster);
    routing::HomeObservation observation =
        routing::project(seen != nullptr ? &seen->reading : nullptr, home.endpoint, policies, now);
    if (policies.probe && (seen == nullptr || !seen->probe_known)) {
        observation.probe = stored_probe(evidence, home);
    } else if (observation.probe && observation.probe->state.gated) {
        observation.probe->gated_since = seen->gated_since;
    }
    if (!policies.capacity) {
        return observation;
    }
    if (evidence.hearing == Hearing::Silent) {
        observation.capacity = {std::nullopt, std::string(routing::observer_silent_reason)};
    } else if ((seen == nullptr || !seen->capacity_known) && !evidence.answered) {
        observation.capacity = stored_capacity(evidence, home);
    }
    return observation;
}

std::optional<core::RestoredProbe> as_restored(const HomeSeen* seen,
                                               const std::string& endpoint,
                                               const core::ProbePolicy& policy) {
    if (seen == nullptr || !seen->probe_known || !seen->reading.probe ||
        seen->reading.probe->policy_digest != policy.digest ||
        !same_endpoint(seen->reading.endpoint, endpoint)) {
        return std::nullopt;
    }
    const core::ProbeReading& probe = *seen->reading.probe;
    return core::RestoredProbe{.policy_digest = probe.policy_digest,
                               .gated = probe.gated,
                               .consecutive_failures = probe.consecutive_failures,
                               .result = probe.result,
                               .message = probe.message,
                               .last_probe_time = probe.last_probe_time};
}

// Stored stamps are whole seconds, readings are not: of two within a second the reading counts.
bool is_newer(const core::RestoredProbe& stored, const core::RestoredProbe& read) {
    if (!stored.last_probe_time || !read.last_probe_time) {
        return stored.last_probe_time.has_value();
    }
    return stored.last_probe_time->seconds > read.last_probe_time->seconds;
}

// Of what the gate was before only a reading of the same identity tells.
std::optional<core::WallTime> gated_since(const HomeSeen* before, const core::HomeReading& now) {
    if (before == nullptr || !before->probe_known || !now.probe || !now.probe->gated ||
        !same_endpoint(before->reading.endpoint, now.endpoint)) {
        return std::nullopt;
    }
    const std::optional<core::ProbeReading>& probe = before->reading.probe;
    if (probe && probe->policy_digest != now.probe->policy_digest) {
        return std::nullopt;
    }
    return probe && probe->gated ? before->gated_since : now.probe->last_probe_time;
}

HomeSeen seen_after(const HomeSeen* before,
                    const core::HomeReading& reading,
                    std::uint64_t revision) {
    return {.reading = reading, .revision = revision, .gated_since = gated_since(before, reading)};
}

}  // namespace

void Readings::replace(const std::vector<core::HomeReading>& homes, std::uint64_t revision) {
    std::vector<HomeSeen> all;
    for (const core::HomeReading& home : homes) {
        const HomeSeen* before = find(home.cluster);
        const bool newer = before != nullptr && before->revision > revision;
        all.push_back(newer ? *before : seen_after(before, home, revision));
    }
    homes_ = std::move(all);
}

void Readings::merge(const std::vector<core::HomeReading>& homes,
                     std::uint64_t revision,
                     const core::ServiceDeclaration& declared) {
    for (const core::HomeReading& home : homes) {
        if (!declared.suspended && !is_about(home, declared)) {
            continue;
        }
        const auto found = std::find_if(homes_.begin(), homes_.end(), [&](const HomeSeen& seen) {
            return seen.reading.cluster == home.cluster;
        });
        if (found == homes_.end()) {
            homes_.push_back(seen_after(nullptr, home, revision));
        } else {
            *found = seen_after(&*found, home, revision);
        }
    }
}

void Readings::forget_revisions() {
    for (HomeSeen& seen : homes_) {
        seen.revision = 0;
    }
}

void Readings::drop(const std::vector<std::string>& clusters) {
    std::erase_if(homes_, [&](const HomeSeen& seen) {
        return std::find(clusters.begin(), clusters.end(), seen.reading.cluster) != clusters.end();
    });
}

void Readings::keep_for(const core::ServiceDeclaration& before,
                        const core::ServiceDeclaration& now) {
    if (before.owner_uid != now.owner_uid) {
        homes_.clear();
        return;
    }
    if (now.suspended || before.suspended) {
        return;  // histories are kept; which homes they are of is told when it resumes
    }
    const auto endpoint_in = [](const core::ServiceDeclaration& declaration,
                                const std::string& cluster) {
        const auto found = std::find_if(declaration.homes.begin(),
                                        declaration.homes.end(),
                                        [&](const auto& home) { return home.cluster == cluster; });
        return found == declaration.homes.end() ? std::optional<std::string>()
                                                : std::optional(identity_of(found->endpoint));
    };
    std::erase_if(homes_, [&](const HomeSeen& seen) {
        const auto endpoint = endpoint_in(now, seen.reading.cluster);
        return !endpoint || endpoint != endpoint_in(before, seen.reading.cluster);
    });
    for (HomeSeen& seen : homes_) {
        seen.capacity_known = seen.capacity_known && same_policy(before.capacity, now.capacity);
        seen.probe_known = seen.probe_known && same_policy(before.probe, now.probe);
    }
}

const HomeSeen* Readings::find(std::string_view cluster) const {
    const auto found = std::find_if(homes_.begin(), homes_.end(), [&](const HomeSeen& seen) {
        return seen.reading.cluster == cluster;
    });
    return found == homes_.end() ? nullptr : &*found;
}

std::optional<core::WallTime> Readings::next_change(core::WallTime now) const {
    std::optional<core::WallTime> next;
    for (const HomeSeen& seen : homes_) {
        const auto change = routing::next_change(seen.reading, now);
        if (change && (!next || *change < *next)) {
            next = change;
        }
    }
    return next;
}

routing::Observations observations(const Evidence& evidence, core::WallTime now) {
    routing::Observations all;
    for (const routing::Home& home : routing::serving_homes(evidence.service)) {
        all.emplace(home.cluster, observe(evidence, home, now));
    }
    return all;
}

std::optional<core::ServiceDeclaration> wanted_declaration(const routing::InferenceService& service,
                                                           const routing::RoutedService& routed) {
    const core::Policies& policies = routing::observed_policies(routed);
    if (!policies.capacity && !policies.probe) {
        return std::nullopt;
    }
    core::ServiceDeclaration declaration;
    declaration.key = service.key;
    declaration.owner_uid = service.uid;
    declaration.capacity = policies.capacity;
    declaration.probe = policies.probe;
    for (const routing::Home& home : routing::serving_homes(service)) {
        declaration.homes.push_back({home.cluster, home.endpoint, std::nullopt});
    }
    return declaration.homes.empty() ? std::nullopt : std::optional(std::move(declaration));
}

core::ServiceDeclaration suspended_declaration(const routing::InferenceService& service) {
    core::ServiceDeclaration declaration;
    declaration.key = service.key;
    declaration.owner_uid = service.uid;
    declaration.suspended = true;
    return declaration;
}

bool same_declaration(const core::ServiceDeclaration& left, const core::ServiceDeclaration& right) {
    if (left.owner_uid != right.owner_uid || left.suspended != right.suspended) {
        return false;
    }
    return left.suspended ||
           (same_policy(left.capacity, right.capacity) && same_policy(left.probe, right.probe) &&
            std::equal(left.homes.begin(),
                       left.homes.end(),
                       right.homes.begin(),
                       right.homes.end(),
                       [](const core::HomeDeclaration& one, const core::HomeDeclaration& other) {
                           return one.cluster == other.cluster && one.endpoint == other.endpoint;
                       }));
}

void add_restored(core::ServiceDeclaration& declaration,
                  const routing::InferenceService& service,
                  const routing::TrafficMap* stored,
                  const Readings& readings) {
    if (!declaration.probe) {
        return;
    }
    for (core::HomeDeclaration& home : declaration.homes) {
        home.restored = routing::restorable_probe(
            service, stored, home.cluster, home.endpoint, declaration.probe->digest);
        auto read = as_restored(readings.find(home.cluster), home.endpoint, *declaration.probe);
        if (read && (!home.restored || !is_newer(*home.restored, *read))) {
            home.restored = std::move(read);
        }
    }
}

}  // namespace ome::controller
