// What people ask for besides the rhythm: a check now, and what the last checks gave.
#include "fleet_state.hpp"

#include <algorithm>

namespace ome::core {

ExtraAttempts Fleet::State::request_attempts(Service& service, const Now& now) {
    ExtraAttempts answer;
    answer.suspended = service.suspended;
    if (service.extra_at) {
        answer.retry_after = later(*service.extra_at, min_period) - now.steady;
    }
    if (answer.suspended || answer.retry_after > Duration::zero()) {
        return answer;
    }
    answer.retry_after = Duration::zero();
    for (const Home& home : service.homes) {
        if (service.capacity) {
            request_attempt(home, home.poll, Kind::Poll, answer);
        }
        if (service.probe) {
            request_attempt(home, home.probe, Kind::Probe, answer);
        }
    }
    if (answer.started > 0) {
        service.extra_at = now.steady;
    }
    return answer;
}

void Fleet::State::request_attempt(const Home& home, Slot slot, Kind kind, ExtraAttempts& answer) {
    if (const std::string_view reason = why_not_now(slot); !reason.empty()) {
        answer.skipped.push_back({home.cluster, kind, std::string(reason)});
        return;
    }
    track(slot).extra = true;
    line.push(track(slot).service, slot);
    ++answer.started;
}

std::string_view Fleet::State::why_not_now(Slot slot) const {
    if (slot == no_slot) {
        return "the endpoint cannot be used";
    }
    if (!track(slot).joins) {
        return "the policy's path does not join to the endpoint";
    }
    if (track(slot).token != 0) {
        return "an attempt is in flight";
    }
    return line.waiting(slot) ? "an attempt waits for its turn already" : "";
}

std::vector<HomeHistory> Fleet::State::history(const Service& service,
                                               const HistoryPart& part) const {
    std::vector<HomeHistory> found;
    for (std::size_t at = part.from; at < service.homes.size() && found.size() < part.limit; ++at) {
        const Home& home = service.homes[at];
        if (!part.cluster.empty() && home.cluster != part.cluster) {
            continue;
        }
        HomeHistory& one = found.emplace_back(HomeHistory{home.cluster, {}});
        for (const Slot slot : slots_of(home)) {
            const auto records =
                track(slot).past.newest_first(slot == home.poll ? Kind::Poll : Kind::Probe);
            one.attempts.insert(one.attempts.end(), records.begin(), records.end());
        }
        std::stable_sort(one.attempts.begin(),
                         one.attempts.end(),
                         [](const auto& a, const auto& b) { return a.at > b.at; });
    }
    return found;
}

}  // namespace ome::core
