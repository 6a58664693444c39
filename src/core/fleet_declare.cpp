// What is observed: declarations, and which histories survive them (contract/observer.md 2, 14).
#include "fleet_state.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace ome::core {
namespace {

// Of what may be absent: optional or shared.
std::string_view digest_of(const auto& policy) {
    return policy ? std::string_view(policy->digest) : std::string_view();
}

template <typename Policy>
std::optional<Policy> copy_of(const std::shared_ptr<const Policy>& policy) {
    return policy ? std::optional(*policy) : std::nullopt;
}

/// Puts a policy in place, and the plan of its requests if it is another one.
template <typename Policy>
void put_in_place(std::shared_ptr<const Policy> policy,
                  Kind kind,
                  const ServiceKey& key,
                  std::shared_ptr<const Policy>& place,
                  std::shared_ptr<const RequestPlan>& plan) {
    if (policy == place) {
        return;
    }
    place = std::move(policy);
    plan = place ? std::make_shared<const RequestPlan>(
                       RequestPlan{kind, key, place->method, place->timeout, place->period})
                 : nullptr;
}

/// The last declaration of a service, for an owner that changed while it is suspended.
ServiceDeclaration as_declared(const Service& service) {
    ServiceDeclaration last{*service.key,
                            service.owner_uid,
                            true,
                            copy_of(service.capacity),
                            copy_of(service.probe),
                            {}};
    for (const Home& home : service.homes) {
        last.homes.push_back({home.cluster, home.endpoint, std::nullopt});
    }
    return last;
}

// An endpoint spelled as before needs no second look.
Home declared_home(const HomeDeclaration& wanted, const Home* before) {
    Home home{wanted.cluster, wanted.endpoint, {}};
    if (before != nullptr) {
        home.times_changed = before->times_changed;
        if (before->endpoint == wanted.endpoint) {
            home.detail = before->detail;
            home.usable = before->usable;
            return home;
        }
    }
    const Result<Endpoint> endpoint = canonicalize(wanted.endpoint);
    home.usable = endpoint.has_value();
    if (!endpoint) {
        home.detail = endpoint.error().message;
    } else if (endpoint->canonical != home.endpoint) {
        home.detail = endpoint->canonical;
    }
    return home;
}

Kept kept_by(const Service& service, const ServiceDeclaration& wanted) {
    const bool same_owner = service.owner_uid == wanted.owner_uid;
    return {same_owner && digest_of(service.capacity) == digest_of(wanted.capacity),
            same_owner && digest_of(service.probe) == digest_of(wanted.probe)};
}

bool another_identity(const Home& before, const Home& now) {
    return before.usable != now.usable || (now.usable && before.canonical() != now.canonical());
}

std::size_t invalid_targets(const Service& service) {
    if (!service.capacity) {
        return 0;
    }
    return static_cast<std::size_t>(std::count_if(
        service.homes.begin(), service.homes.end(), [](const Home& home) { return !home.usable; }));
}

}  // namespace

/// Puts the declaration in place, without homes; returns the homes there were.
std::vector<Home> Fleet::State::install(Service& service, const ServiceDeclaration& wanted) {
    service.owner_uid = wanted.owner_uid;
    put_in_place(capacity_policies.find(wanted.capacity),
                 Kind::Poll,
                 *service.key,
                 service.capacity,
                 service.poll_plan);
    put_in_place(probe_policies.find(wanted.probe),
                 Kind::Probe,
                 *service.key,
                 service.probe,
                 service.probe_plan);
    service.times_changed = 0;
    service.refreshed = 0;
    std::vector<Home> homes;
    homes.reserve(wanted.homes.size());
    service.homes.swap(homes);
    return homes;
}

Dropped Fleet::State::declare(const ServiceDeclaration& declaration, const Now& now) {
    Dropped dropped;
    const std::size_t known = services.size();
    Service& service = find_or_create(declaration.key);
    dropped.service_changed = services.size() != known ||
                              service.suspended != declaration.suspended ||
                              service.owner_uid != declaration.owner_uid;
    dropped.changed = dropped.service_changed;
    if (!declaration.suspended) {
        adopt(service, declaration, now, dropped);
        resume(service, now);
    } else {
        suspend(service, dropped);
        if (service.owner_uid != declaration.owner_uid) {
            ServiceDeclaration last = as_declared(service);
            last.owner_uid = declaration.owner_uid;
            adopt(service, last, now, dropped);
        }
    }
    free_released(dropped);
    return dropped;
}

Dropped Fleet::State::forget(const ServiceKey& key) {
    Dropped dropped;
    const auto found = services.find(key);
    if (found == services.end()) {
        return dropped;
    }
    dropped.changed = true;
    Service& service = found->second;
    totals.homes -= service.homes.size();
    totals.fallback -= invalid_targets(service);
    for (Home& home : service.homes) {
        release_home(home, dropped);
        dropped.forgotten.push_back(std::move(home.cluster));
    }
    free_released(dropped);
    refreshes.disarm(service.index);
    by_index[service.index] = nullptr;
    free_indexes.push_back(service.index);
    services.erase(found);
    return dropped;
}

Service& Fleet::State::find_or_create(const ServiceKey& key) {
    const auto [found, created] = services.try_emplace(key);
    if (!created) {
        return found->second;
    }
    Service& service = found->second;
    service.key = &found->first;
    if (free_indexes.empty()) {
        service.index = static_cast<WaitingLine::Service>(by_index.size());
        by_index.push_back(&service);
    } else {
        service.index = free_indexes.back();
        free_indexes.pop_back();
        by_index[service.index] = &service;
    }
    return service;
}

void Fleet::State::adopt(Service& service,
                         const ServiceDeclaration& wanted,
                         const Now& now,
                         Dropped& dropped) {
    const Kept kept = kept_by(service, wanted);
    totals.homes += wanted.homes.size() - service.homes.size();
    totals.fallback -= invalid_targets(service);
    std::vector<Home> old = install(service, wanted);
    std::unordered_map<std::string_view, Home*> leaving;
    for (Home& home : old) {
        leaving.emplace(home.cluster, &home);
    }
    for (const HomeDeclaration& home : wanted.homes) {
        const auto before = leaving.find(home.cluster);
        const bool spelled_anew =
            before == leaving.end() || before->second->endpoint != home.endpoint;
        dropped.changed = dropped.changed || spelled_anew;
        adopt_home(service, home, before == leaving.end() ? nullptr : before->second, kept, now);
        if (before != leaving.end()) {
            if (another_identity(*before->second, service.homes.back())) {
                dropped.moved.push_back(home.cluster);
            }
            leaving.erase(before);
        }
    }
    dropped.changed = dropped.changed || !kept.polls || !kept.probes || !leaving.empty();
    for (const Home& home : old) {
        if (leaving.contains(home.cluster)) {
            dropped.forgotten.push_back(home.cluster);
        }
        release_home(home, dropped);
    }
    totals.fallback += invalid_targets(service);
}

void Fleet::State::adopt_home(
    Service& service, const HomeDeclaration& wanted, Home* before, Kept kept, const Now& now) {
    const Standing was = before == nullptr ? Standing{} : standing(*before);
    const bool unchanged =
        before != nullptr && before->endpoint == wanted.endpoint && kept.polls && kept.probes;
    const auto place = static_cast<std::uint32_t>(service.homes.size());
    Home& home = service.homes.emplace_back(declared_home(wanted, before));
    service.times_changed += home.times_changed ? 1 : 0;
    if (before != nullptr && before->usable && home.usable &&
        before->canonical() == home.canonical()) {
        home.poll = kept.polls ? move_track(before->poll, place) : no_slot;
        home.probe = kept.probes ? move_track(before->probe, place) : no_slot;
    }
    if (home.usable && service.capacity && home.poll == no_slot) {
        home.poll = start_poll(service, place, now);
    }
    if (home.usable && service.probe && home.probe == no_slot) {
        home.probe = start_probe(service, place, wanted.restored, now);
    }
    if (!unchanged) {
        announce(service, home, was, now);
    }
}

// Deadlines rest and windows go on ageing: a ceiling must not outlive its evidence.
void Fleet::State::suspend(Service& service, Dropped& dropped) {
    if (std::exchange(service.suspended, true)) {
        return;
    }
    line.remove_service(service.index);
    for (const Home& home : service.homes) {
        for (const Slot slot : slots_of(home)) {
            deadlines.disarm(attempt_key(slot));
            track(slot).extra = track(slot).extra && track(slot).token != 0;
            if (track(slot).token != 0) {
                track(slot).discard = true;
                dropped.cancelled.push_back(slot);
            }
        }
    }
}

// Deadlines that passed meanwhile are due at once, and the rhythm stays.
void Fleet::State::resume(Service& service, const Now& now) {
    if (!std::exchange(service.suspended, false)) {
        return;
    }
    for (const Home& home : service.homes) {
        for (const Slot slot : slots_of(home)) {
            track(slot).excused = track(slot).schedule.due() <= now.steady;
            arm_attempt(slot);
        }
    }
}

void Fleet::State::release_home(const Home& home, Dropped& dropped) {
    for (const Slot slot : slots_of(home)) {
        release(slot, dropped);
    }
}

}  // namespace ome::core
