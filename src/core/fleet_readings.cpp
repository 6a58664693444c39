// What is shown of the homes, and when a change of it is announced (design.md section 4).
#include "fleet_state.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace ome::core {
namespace {

// Bounds what one gather() announces of times, so that a service with very many homes holds up no
// attempt; the rest follows with the next one.
constexpr std::size_t homes_refreshed_at_once = 256;

Duration shortest_period(const Service& service) {
    const Duration poll = service.capacity ? service.capacity->period : Duration::max();
    const Duration probe = service.probe ? service.probe->period : Duration::max();
    return std::min(poll, probe);
}

bool contains(const std::vector<std::string>& clusters, const std::string& cluster) {
    return std::find(clusters.begin(), clusters.end(), cluster) != clusters.end();
}

}  // namespace

std::uint8_t effects_of(const Standing& before, const Standing& after) {
    int effects = 0;
    if (before.gated != after.gated) {
        effects |= after.gated ? GateClosed : GateLifted;
    }
    if (before.ceiling != after.ceiling) {
        effects |= !after.ceiling ? CeilingLost : !before.ceiling ? CeilingBack : CeilingMoved;
    }
    return static_cast<std::uint8_t>(effects);
}

HomeReading Fleet::State::read_home(const Service& service,
                                    const Home& home,
                                    const Now& now) const {
    HomeReading reading{home.cluster,
                        home.endpoint,
                        read_capacity(service, home, now),
                        read_probe(service, home, now)};
    read_facts(home, reading);
    return reading;
}

void Fleet::State::read_facts(const Home& home, HomeReading& reading) const {
    for (const Slot slot : slots_of(home)) {
        const Facts& one = facts[slot];
        const WallTime expiry{one.certificate_expiry, 0};
        if (one.certificate_expiry != 0 &&
            (!reading.certificate_expiry || expiry < *reading.certificate_expiry)) {
            reading.certificate_expiry = expiry;
        }
        if (one.clock_skew != Facts::no_skew) {
            reading.clock_skew = one.clock_skew;
        }
    }
}

FleetExtremes Fleet::State::extremes() const {
    FleetExtremes found;
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    for (const Facts& one : facts) {
        if (one.certificate_expiry != 0) {
            earliest = std::min(earliest, one.certificate_expiry);
            found.earliest_expiry = WallTime{earliest, 0};
        }
        if (one.clock_skew != Facts::no_skew &&
            (!found.largest_skew || std::abs(one.clock_skew) > std::abs(*found.largest_skew))) {
            found.largest_skew = one.clock_skew;
        }
    }
    return found;
}

std::optional<CapacityReading> Fleet::State::read_capacity(const Service& service,
                                                           const Home& home,
                                                           const Now& now) const {
    if (!service.capacity) {
        return std::nullopt;
    }
    CapacityReading reading;
    reading.policy_digest = service.capacity->digest;
    if (!home.usable) {
        reading.fallback_reason = "capacity target is invalid: " + home.detail;
        return reading;
    }
    const Track& one = track(home.poll);
    show(std::get<CapacityWindow>(one.history), reading);
    reading.last_attempt_time = one.last_attempt;
    reading.next_attempt_time = next_attempt_time(service, one, now);
    return reading;
}

std::optional<ProbeReading> Fleet::State::read_probe(const Service& service,
                                                     const Home& home,
                                                     const Now& now) const {
    if (home.probe == no_slot) {
        return std::nullopt;
    }
    const Track& one = track(home.probe);
    const auto& gate = std::get<ProbeGate>(one.history);
    if (!gate.known()) {
        return std::nullopt;
    }
    ProbeReading reading;
    reading.policy_digest = service.probe->digest;
    show(gate, reading);
    reading.next_attempt_time = next_attempt_time(service, one, now);
    return reading;
}

// Nothing is planned for a suspended service.
std::optional<WallTime> Fleet::State::next_attempt_time(const Service& service,
                                                        const Track& one,
                                                        const Now& now) const {
    if (service.suspended) {
        return std::nullopt;
    }
    return now.wall + (one.schedule.due() - now.steady);
}

ServiceReading Fleet::State::read_service(Service& service,
                                          const std::vector<std::string>* clusters,
                                          const Now& now) {
    ServiceReading reading{*service.key, service.owner_uid, service.suspended, {}};
    reading.homes.reserve(clusters == nullptr ? service.homes.size() : clusters->size());
    for (const Home& home : service.homes) {
        if (clusters != nullptr && !contains(*clusters, home.cluster)) {
            continue;
        }
        if (home.poll != no_slot) {
            expire(home.poll, now);
        }
        reading.homes.push_back(read_home(service, home, now));
    }
    return reading;
}

Standing Fleet::State::standing(const Home& home) const {
    Standing found;
    if (home.poll != no_slot) {
        found.ceiling = std::get<CapacityWindow>(track(home.poll).history).ceiling();
    }
    if (home.probe != no_slot) {
        found.gated = std::get<ProbeGate>(track(home.probe).history).gated();
    }
    return found;
}

void Fleet::State::announce(Service& service, Home& home, const Standing& before, const Now& now) {
    if (std::exchange(home.times_changed, false)) {
        --service.times_changed;
    }
    changes.push_back({*service.key,
                       effects_of(before, standing(home)),
                       before.ceiling,
                       read_home(service, home, now)});
}

bool Fleet::State::is_well(const Home& home) const {
    return (home.poll == no_slot ||
            std::get<CapacityWindow>(track(home.poll).history).ceiling().has_value()) &&
           (home.probe == no_slot ||
            std::get<ProbeGate>(track(home.probe).history).result() == ProbeResult::Passing);
}

// A trouble that lasts is told now and then, whoever follows.
void Fleet::State::note_times(Service& service, Home& home) {
    if (!times_wanted && is_well(home)) {
        return;
    }
    if (std::exchange(home.times_changed, true)) {
        return;
    }
    // A refresh in progress arms the next one itself.
    if (service.times_changed++ == 0 && service.refreshed == 0) {
        refreshes.arm(service.index, service.refresh_at);
    }
}

void Fleet::State::refresh_times(const Now& now) {
    std::size_t left = homes_refreshed_at_once;
    while (left > 0) {
        const auto index = refreshes.pop_due(now.steady);
        if (!index) {
            return;
        }
        left -= refresh_service(*by_index[*index], left, now);
    }
}

// Returns how many homes were looked at, at least 1.
std::size_t Fleet::State::refresh_service(Service& service, std::size_t at_most, const Now& now) {
    if (service.refreshed == 0) {
        service.refresh_at = later(now.steady, shortest_period(service));
    }
    const std::size_t from = service.refreshed;
    const std::size_t to = std::min(from + at_most, service.homes.size());
    for (std::size_t at = from; at < to; ++at) {
        Home& home = service.homes[at];
        if (home.times_changed) {
            announce(service, home, standing(home), now);
        }
    }
    service.refreshed = to == service.homes.size() ? 0 : to;
    if (service.refreshed != 0) {
        refreshes.arm(service.index, now.steady);
    } else if (service.times_changed > 0) {
        refreshes.arm(service.index, service.refresh_at);
    }
    return std::max<std::size_t>(to - from, 1);
}

}  // namespace ome::core
