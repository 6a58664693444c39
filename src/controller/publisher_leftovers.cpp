// What was published of a map that is gone: nothing of it outlives the map. A map that goes as it
// should takes everything along before (routing/route_removal.hpp); this is for one whose file was
// removed by hand, or whose finalizer somebody took off.
#include "publisher_state.hpp"
#include <ome/core/deadline.hpp>

#include <fmt/format.h>

namespace ome::controller {
namespace {

// Editors take a file away for a moment, and the routing controller makes a map anew in no more.
constexpr core::Duration renewal_patience = std::chrono::seconds(1);

}  // namespace

// Empty: it will be there again, and the route that still is goes on with it.
std::string Publisher::State::why_not_made_again(const core::ServiceKey& key) const {
    const auto service = world.service(key);
    if (service == nullptr) {
        return "the service is gone, too";
    }
    if (!routing::is_published_at_all(*service, settings)) {
        return "the service is not routed";
    }
    const std::string frozen = why_frozen ? why_frozen(key) : std::string();
    return frozen.empty() ? frozen : "no map is made, the service is frozen: " + frozen;
}

// Labels alone do not say whose an object is: another controller may have the maps of other
// namespaces, and a service's route may be older than maps are. It takes a map that was seen, or a
// service that would have one.
bool Publisher::State::may_take_away(const Track& track) const {
    if (!track.claims.empty()) {
        return true;
    }
    const auto service = world.service(track.key);
    return service != nullptr && !routing::has_legacy_finalizer(*service) &&
           routing::is_published_at_all(*service, settings);
}

void Publisher::State::take_leftovers(Track& track, const core::Now& now, Work& out) {
    track.objection.clear();
    const bool left = !track.claims.empty() || !world.owned_by(track.key).empty();
    const bool known = !track.claims.empty() || world.service(track.key) != nullptr;
    if (!settings.cleans_up || !left || !known) {
        forget(track);
        return;
    }
    if (!may_take_away(track)) {
        return;  // until the service changes
    }
    track.mapless_since = track.mapless_since.value_or(now.steady);
    const core::SteadyTime patient_until = core::later(*track.mapless_since, renewal_patience);
    if (now.steady < patient_until) {
        wake_at(track, patient_until);
        return;
    }
    const std::string why = why_not_made_again(track.key);
    if (why.empty() || unreadable_maps.contains(track.key)) {
        if (settings.resync_interval > core::Duration::zero()) {
            wake_at(track, core::later(now.steady, settings.resync_interval));
        }
        return;
    }
    take_away(track, why, now, out);
}

void Publisher::State::take_away(Track& track,
                                 const std::string& why,
                                 const core::Now& now,
                                 Work& out) {
    if (track.memory.failure && now.steady >= track.retry_at) {
        track.memory.failure.reset();
    }
    routing::PublicationStep step =
        routing::removal_without_map(track.key, track.claims, world, settings, track.memory);
    if (step.idle() && !step.verdict) {
        forget(track);
        return;
    }
    if (!std::exchange(track.removal_told, true)) {
        tell(track,
             Notice::Level::Warn,
             "TrafficMap is gone, what was published of it is taken away",
             "MapGone",
             fmt::format("the map is gone and what was published of it is taken away: {}", why),
             now,
             out);
    }
    if (!step.idle()) {
        step.verdict.reset();
        submit(track, nullptr, std::move(step), now, out);
        return;
    }
    const std::string waits = step.verdict->why.message;
    if (std::exchange(track.told, waits) != waits) {
        tell(track,
             Notice::Level::Error,
             std::string(routing::failure_line(routing::Publication::Finalizing)),
             std::string(routing::reason_of(routing::Publication::Finalizing)),
             waits,
             now,
             out);
    }
    settle(track, std::move(step), now);
}

}  // namespace ome::controller
