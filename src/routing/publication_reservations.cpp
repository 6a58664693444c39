#include <ome/routing/publication_reservations.hpp>

#include <algorithm>
#include <utility>

namespace ome::routing {

std::set<PublicationReservations::Only> PublicationReservations::taken_by(
    const PublicationStep& step) {
    std::set<Only> all;
    if (step.status && step.status->publisher) {
        for (const std::string& target : step.status->publisher->claimed_targets) {
            all.emplace(target, core::ServiceKey{});
        }
    }
    if (step.hostname) {
        all.emplace(step.hostname->name, step.hostname->gateway);
    }
    return all;
}

bool PublicationReservations::take(const core::ServiceKey& map, const PublicationStep& step) {
    std::set<Only> wanted = taken_by(step);
    const bool free = std::all_of(wanted.begin(), wanted.end(), [&](const Only& one) {
        const auto holder = holders_.find(one);
        return holder == holders_.end() || holder->second == map;
    });
    if (!free || wanted.empty()) {
        return free;
    }
    for (const Only& one : wanted) {
        holders_.emplace(one, map);
    }
    held_[map].merge(wanted);
    return true;
}

bool PublicationReservations::release(const core::ServiceKey& map) {
    const auto held = held_.find(map);
    if (held == held_.end()) {
        return false;
    }
    for (const Only& one : held->second) {
        holders_.erase(one);
    }
    held_.erase(held);
    return true;
}

}  // namespace ome::routing
