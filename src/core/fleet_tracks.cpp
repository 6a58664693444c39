// Where a history begins and where it ends: slots, request plans, rhythms.
#include "fleet_state.hpp"

#include <utility>

namespace ome::core {
namespace {

std::uint64_t hash_of(const Service& service,
                      const Home& home,
                      std::string_view digest,
                      Kind kind) {
    return identity_hash({service.owner_uid,
                          service.key->ns,
                          service.key->name,
                          home.cluster,
                          home.canonical(),
                          digest,
                          to_string(kind)});
}

}  // namespace

Result<RequestTarget> target_of(const Service& service, const Home& home, Kind kind) {
    const Result<Endpoint> endpoint = canonicalize(home.canonical());
    if (!endpoint) {
        return endpoint.error();
    }
    return join(*endpoint, kind == Kind::Poll ? service.capacity->path : service.probe->path);
}

const Home* Fleet::State::home_of(const Attempt& attempt) const {
    if (attempt.slot >= tracks.size()) {
        return nullptr;
    }
    const Track& one = track(attempt.slot);
    return one.token == attempt.token && one.stage == Track::Stage::Live ? &home_of(one) : nullptr;
}

Slot Fleet::State::move_track(Slot& from, std::uint32_t home) {
    const Slot slot = std::exchange(from, no_slot);
    if (slot != no_slot) {
        track(slot).home = home;
    }
    return slot;
}

Slot Fleet::State::start_poll(Service& service, std::uint32_t place, const Now& now) {
    const CapacityPolicy& policy = *service.capacity;
    const Slot slot = new_slot(service, place);
    track(slot).history.emplace<CapacityWindow>(window_rules(policy));
    begin(slot, Kind::Poll, policy, std::nullopt, now);
    return slot;
}

Slot Fleet::State::start_probe(Service& service,
                               std::uint32_t place,
                               const std::optional<RestoredProbe>& saved,
                               const Now& now) {
    const ProbePolicy& policy = *service.probe;
    const Slot slot = new_slot(service, place);
    std::optional<SteadyTime> due;
    if (saved && restorable(*saved, policy)) {
        track(slot).history.emplace<ProbeGate>(gate_rules(policy), *saved);
        due = restored_due(saved->last_probe_time, policy.period, now);
    } else {
        track(slot).history.emplace<ProbeGate>(gate_rules(policy));
    }
    begin(slot, Kind::Probe, policy, due, now);
    return slot;
}

// `due`: where a stored rhythm goes on; otherwise at once, and then on a phase of its own.
template <typename Policy>
void Fleet::State::begin(
    Slot slot, Kind kind, const Policy& policy, std::optional<SteadyTime> due, const Now& now) {
    Track& fresh = track(slot);
    const Service& service = service_of(fresh);
    const Home& home = home_of(fresh);
    const std::uint64_t hash = hash_of(service, home, policy.digest, kind);
    const Duration offset = spread_offset(min_period, policy.period, hash);
    fresh.schedule = due ? Schedule::steady(*due, policy.period)
                         : Schedule::spread(now.steady, offset, policy.period);
    fresh.joins = core::target_of(service, home, kind).has_value();
    recount(fresh);
    arm_attempt(slot);
}

Slot Fleet::State::new_slot(const Service& service, std::uint32_t home) {
    if (free_slots.empty()) {
        free_slots.push_back(static_cast<Slot>(tracks.size()));
        tracks.emplace_back();
        facts.emplace_back();
    }
    const Slot slot = free_slots.back();
    free_slots.pop_back();
    Track& fresh = track(slot);
    fresh = Track{};
    fresh.service = service.index;
    fresh.home = home;
    fresh.stage = Track::Stage::Live;
    ++totals.observations;
    return slot;
}

void Fleet::State::release(Slot slot, Dropped& dropped) {
    Track& gone = track(slot);
    deadlines.disarm(attempt_key(slot));
    deadlines.disarm(expiry_key(slot));
    line.remove(slot);
    gone.extra = false;
    gone.history.emplace<std::monostate>();
    gone.refused = false;
    recount(gone);
    gone.past = {};
    facts[slot] = {};
    gone.stage = gone.token == 0 ? Track::Stage::Free : Track::Stage::Leaving;
    --totals.observations;
    dropped.released.push_back(slot);
}

// Only now: a slot that the caller is about to be told to clean up must not have a new tenant yet.
void Fleet::State::free_released(const Dropped& dropped) {
    for (const Slot slot : dropped.released) {
        if (track(slot).stage == Track::Stage::Free) {
            free_slots.push_back(slot);
        }
    }
}

}  // namespace ome::core
