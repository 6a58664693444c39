#include "dry_run.hpp"

#include <utility>

namespace ome::controller {

std::string_view to_string(DryRun::State state) {
    switch (state) {
        case DryRun::State::Equal:
            return "equal";
        case DryRun::State::Different:
            return "different";
        case DryRun::State::Missing:
            return "missing";
        case DryRun::State::Surplus:
            return "surplus";
    }
    return "unknown";
}

// Nothing to say of a map that is not there and need not be.
void DryRun::settle(const core::ServiceKey& key, Known& known) {
    known.state = State::Equal;
    known.mismatches.clear();
    if (known.live == nullptr) {
        maps_.erase(core::ServiceKey(key));
    }
}

void DryRun::hear(const StoreNews& news) {
    if (const auto* is = std::get_if<news::MapIs>(&news)) {
        Known& known = maps_[is->map->meta.key];
        known.live = is->map;
        settle(is->map->meta.key, known);
    } else if (const auto* gone = std::get_if<news::MapGone>(&news)) {
        const auto found = maps_.find(gone->key);
        if (found != maps_.end()) {
            found->second.live = nullptr;
            settle(gone->key, found->second);
        }
    } else if (const auto* without = std::get_if<news::ServiceGone>(&news)) {
        // One that is there goes with its owner.
        const auto found = maps_.find(without->key);
        if (found != maps_.end() && found->second.live == nullptr) {
            maps_.erase(found);
        }
    }
}

StoreResult DryRun::take(const MapWrite& write) {
    Known& known = maps_[write.key];
    routing::TrafficMap wanted;
    MapWrite as_if = write;
    if (known.live != nullptr) {
        wanted = *known.live;
        as_if.precondition = {known.live->meta.uid, known.live->meta.resource_version};
    } else {
        wanted.meta.key = write.key;
        as_if.precondition = {};
    }
    apply_write(wanted, as_if);
    if (known.live == nullptr) {
        known.state = State::Missing;
        known.mismatches.clear();
        wanted.meta.uid = "not created";
    } else {
        known.mismatches = routing::mismatches(*known.live, wanted, write.routed->policies);
        known.state = known.mismatches.empty() ? State::Equal : State::Different;
    }
    return {.key = write.key,
            .outcome = StoreResult::Outcome::Done,
            .map = std::make_shared<const routing::TrafficMap>(std::move(wanted))};
}

StoreResult DryRun::take(const MapDelete& remove) {
    const auto found = maps_.find(remove.key);
    if (found != maps_.end()) {
        found->second.mismatches.clear();
        if (found->second.live != nullptr) {
            found->second.state = State::Surplus;
        } else {
            settle(remove.key, found->second);
        }
    }
    return {.key = remove.key, .outcome = StoreResult::Outcome::Done};
}

std::vector<DryRun::Row> DryRun::rows() const {
    std::vector<Row> rows;
    rows.reserve(maps_.size());
    for (const auto& [key, known] : maps_) {
        rows.push_back({key, known.state, known.mismatches});
    }
    return rows;
}

}  // namespace ome::controller
