// One pass over one map: ask for the next step, and hand it to the store.
#include "publisher_state.hpp"
#include "subject.hpp"
#include <ome/core/deadline.hpp>
#include <ome/core/endpoint.hpp>

#include <fmt/format.h>

namespace ome::controller {
namespace {

using routing::Publication;

constexpr core::Duration renewal_patience = std::chrono::seconds(1);
constexpr core::Duration gateway_patience = std::chrono::seconds(5);

std::string name_of(const core::ServiceKey& key) {
    return key.ns + "/" + key.name;
}

bool waits_for_others(const routing::Verdict& verdict) {
    return verdict.what == Publication::ClaimRejected ||
           verdict.what == Publication::LegacyLifecycleActive;
}

Precondition state_of(const routing::TrafficMap& map) {
    return {map.meta.uid, map.meta.resource_version};
}

std::map<std::string, std::string> hosts_of(const routing::TrafficMap& map) {
    std::map<std::string, std::string> hosts;
    for (const routing::Entry& entry : map.spec.entries) {
        hosts.emplace(entry.cluster, core::host_name(entry.endpoint));
    }
    return hosts;
}

}  // namespace

void Publisher::State::pass(Track& track, const core::Now& now, Work& out) {
    const auto map = world.map(track.key);
    if (map == nullptr) {
        release(track);
        take_leftovers(track, now, out);
        return;
    }
    // What is new of a map, a drain above all, does not wait for what was refused before.
    const bool renewed = map->meta.generation != track.failed_generation;
    if (track.memory.failure && (renewed || now.steady >= track.retry_at)) {
        track.memory.failure.reset();
    }
    if (!has_addresses(track, *map, now, out)) {
        release(track);
        return;
    }
    routing::PublicationStep step = routing::next_step(*map, world, settings, track.memory, now);
    // What is asked for at the moment is not missing yet.
    if (track.asking && step.status && step.verdict &&
        step.verdict->what == Publication::ApplyFailed) {
        release(track);
        return;
    }
    if (is_being_renewed(track, step, now.steady)) {
        release(track);
        return;
    }
    if (!step.idle() && !reservations.take(track.key, step)) {
        release(track);
        behind.insert(track.key);
        return;
    }
    speak(track, *map, step, now, out);
    if (step.idle()) {
        settle(track, std::move(step), now);
        release(track);
        look_at_gateway(track, now, out);
    } else {
        submit(track, map, std::move(step), now, out);
    }
}

// Asked for when the hosts change and once per resync; what is known already serves meanwhile.
bool Publisher::State::has_addresses(Track& track,
                                     const routing::TrafficMap& map,
                                     const core::Now& now,
                                     Work& out) {
    if (!settings.active || !settings.endpoint_slices || !routing::is_configured(settings) ||
        map.meta.deletion_timestamp) {
        return true;
    }
    auto hosts = hosts_of(map);
    if (!track.asking && (hosts != track.asked || now.steady >= track.ask_at)) {
        track.asked = hosts;
        track.asking = true;
        track.ask_at = core::later(now.steady, settings.resync_interval);
        out.store.emplace_back(AddressQuery{track.key, std::move(hosts)});
    }
    return track.answered;
}

// After a change of the service its map is stale until the routing controller has written it, which
// is a matter of milliseconds and nothing to tell people.
bool Publisher::State::is_being_renewed(Track& track,
                                        const routing::PublicationStep& step,
                                        core::SteadyTime now) {
    const bool stale = step.verdict && step.verdict->what == Publication::InvalidOwner;
    if (!stale) {
        track.stale_since.reset();
        return false;
    }
    if (step.verdict->why.message != track.stale_why) {  // the service has changed once more
        track.stale_why = step.verdict->why.message;
        track.stale_since.reset();
    }
    const core::SteadyTime until = core::later(track.stale_since.value_or(now), renewal_patience);
    track.stale_since = track.stale_since.value_or(now);
    if (now >= until) {
        return false;
    }
    wake_at(track, until);
    return true;
}

void Publisher::State::submit(Track& track,
                              const std::shared_ptr<const routing::TrafficMap>& map,
                              routing::PublicationStep step,
                              const core::Now& now,
                              Work& out) {
    const std::size_t before = out.store.size();
    if (step.failing == Publication::Finalizing && track.failing != Publication::Finalizing) {
        track.failures = 0;  // those were of something else
    }
    track.failing = step.failing;
    if (step.finalizer != routing::PublicationStep::Finalizer::Keep) {
        const bool held = step.finalizer == routing::PublicationStep::Finalizer::Add;
        out.store.emplace_back(MapFinalizerWrite{track.key, state_of(*map), held, map});
    }
    if (step.status) {
        ++totals.status_writes;
        out.store.emplace_back(
            MapStatusWrite{track.key, state_of(*map), *std::move(step.status), map});
    }
    for (const routing::ObjectKey& repaired : step.repairs) {
        ++totals.repairs;
        track.memory.drift.repaired(repaired, now.steady);
    }
    for (routing::ObjectWrite& write : step.writes) {
        ++totals.object_writes;
        track.doing[write.object.key()] = write.uid.empty() ? "create" : "update";
        out.store.emplace_back(ObjectWriteRequest{track.key, std::move(write)});
    }
    for (routing::ObjectDelete& remove : step.deletes) {
        ++totals.object_deletes;
        track.doing[remove.key] =
            step.failing == Publication::Finalizing ? "delete" : "delete stale";
        out.store.emplace_back(ObjectDeleteRequest{track.key, std::move(remove)});
    }
    track.in_flight = out.store.size() - before;
    writing += track.in_flight;
}

void Publisher::State::settle(Track& track, routing::PublicationStep step, const core::Now& now) {
    if (step.look_again) {
        wake_at(track, *step.look_again);
    }
    if (!step.verdict) {
        return;
    }
    const routing::Verdict& verdict = *step.verdict;
    if (waits_for_others(verdict)) {
        waiting.insert(track.key);
    }
    track.unresolved = verdict.what == Publication::ApplyFailed && !track.memory.failure;
    if (!routing::is_failure(verdict.what)) {
        track.failures = 0;
        track.conflicts = 0;
    }
    if (step.applied) {
        track.memory.applied = std::move(step.applied);
    }
    if (verdict.retry == routing::Retry::Backoff && !track.timer) {
        wake_at(track, core::later(now.steady, backoff_after(track.failures++)));
    } else if (verdict.retry == routing::Retry::Resync &&
               settings.resync_interval > core::Duration::zero()) {
        wake_at(track, core::later(now.steady, settings.resync_interval));
    }
}

void Publisher::State::tell(const Track& track,
                            Notice::Level level,
                            std::string event,
                            std::string reason,
                            const std::string& message,
                            const core::Now& now,
                            Work& out) const {
    const auto service = world.service(track.key);
    out.notices.push_back(
        {level,
         std::move(event),
         {{"trafficMap", name_of(track.key)}, {"reason", reason}, {"error", message}}});
    out.store.emplace_back(EventRecord{.key = track.key,
                                       .service_uid = service ? service->uid : "",
                                       .warning = true,
                                       .reason = std::move(reason),
                                       .message = message,
                                       .at = now.wall});
}

// Each thing once, until it changes.
void Publisher::State::speak(Track& track,
                             const routing::TrafficMap& map,
                             const routing::PublicationStep& step,
                             const core::Now& now,
                             Work& out) {
    if (!step.held_back.empty() && track.contested != map.meta.generation) {
        track.contested = map.meta.generation;
        const routing::ObjectKey& key = step.held_back.front();
        tell(track,
             Notice::Level::Warn,
             "published object is changed by others again and again",
             "PublicationContested",
             fmt::format("{} {} was put right {} times and is not as it should be again; it is put "
                         "right after a pause from now on",
                         routing::spoken(key.kind),
                         routing::path_of(key),
                         routing::DriftGuard::repairs_at_once),
             now,
             out);
    }
    if (!step.verdict || step.verdict->what == Publication::Transitioning) {
        return;
    }
    const Publication what = step.verdict->what;
    const std::string reason(routing::reason_of(what));
    const std::string why = reason_behind(track.key, *step.verdict);
    if (routing::is_failure(what) && why.empty()) {
        return;  // Finalizing, at its beginning
    }
    // Without what froze it: that goes a moment before the map is that of its service again.
    const std::string said = reason + step.verdict->why.message;
    if (track.told == said) {
        return;
    }
    const bool first = std::exchange(track.told, said).empty();
    // Of a stale map from which nothing would be published nobody has to do anything here.
    const bool idle = what == Publication::InvalidOwner && has_nothing_to_publish(map);
    if (routing::is_failure(what) && !idle) {
        tell(track,
             Notice::Level::Error,
             std::string(routing::failure_line(what)),
             reason,
             why,
             now,
             out);
    } else if (what != Publication::Withdrawn || !first) {
        out.notices.push_back({Notice::Level::Info,
                               "TrafficMap publication",
                               {{"trafficMap", name_of(track.key)}, {"reason", reason}}});
    }
}

// As far as can be told from a map that is not that of its service any more.
bool Publisher::State::has_nothing_to_publish(const routing::TrafficMap& map) const {
    if (!routing::is_configured(settings)) {
        return true;
    }
    const auto service = world.service(map.meta.key);
    if (service == nullptr) {
        return false;
    }
    const auto plan = routing::plan_publication(map, *service, settings);
    return plan && plan->withdrawn;
}

// A frozen map is not that of its service any more: what froze it is what people have to mend.
std::string Publisher::State::reason_behind(const core::ServiceKey& key,
                                            const routing::Verdict& verdict) const {
    const bool stale = verdict.what == Publication::InvalidOwner;
    const std::string frozen = stale && why_frozen ? why_frozen(key) : std::string();
    return frozen.empty() ? verdict.why.message
                          : fmt::format("{}; the map is frozen: {}", verdict.why.message, frozen);
}

// The gateway's own word on the route; it changes nothing of what `Published` means. Gateways
// follow every kind by itself and may see a route before its Services: what is over in a moment is
// nothing to tell people.
void Publisher::State::look_at_gateway(Track& track, const core::Now& now, Work& out) {
    const routing::PublishedObject* route =
        track.memory.applied ? world.find(track.memory.applied->plan.route) : nullptr;
    track.objection = route == nullptr ? std::string() : routing::gateway_objection(*route);
    if (track.objection.empty()) {
        track.objecting_since.reset();
        track.objection_told.clear();
        return;
    }
    track.objecting_since = track.objecting_since.value_or(now.steady);
    if (track.objection == track.objection_told) {
        return;
    }
    if (const auto until = core::later(*track.objecting_since, gateway_patience);
        now.steady < until) {
        wake_at(track, until);
        return;
    }
    track.objection_told = track.objection;
    tell(track,
         Notice::Level::Warn,
         "the gateway does not take the route",
         "RouteNotAccepted",
         track.objection,
         now,
         out);
}

}  // namespace ome::controller
