#include "publisher.hpp"

#include "publisher_state.hpp"
#include "subject.hpp"
#include <ome/core/deadline.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t most_conflicts = 5;
constexpr core::Duration conflict_pause = 10ms;

// What may be with the store at once, as for the routing controller.
constexpr std::size_t most_writing = 256;

// A hostname is free that was not.
bool makes_room_for_others(const routing::PublishedObject* before,
                           const routing::PublishedObject* after) {
    const auto* old =
        before == nullptr ? nullptr : std::get_if<routing::HttpRouteSpec>(&before->spec);
    const auto* now =
        after == nullptr ? nullptr : std::get_if<routing::HttpRouteSpec>(&after->spec);
    return old != nullptr && (now == nullptr || old->hostnames != now->hostnames);
}

}  // namespace

Track& Publisher::State::track(const core::ServiceKey& key) {
    return tracks.try_emplace(key, key).first->second;
}

Track* Publisher::State::find(const core::ServiceKey& key) {
    const auto found = tracks.find(key);
    return found == tracks.end() ? nullptr : &found->second;
}

void Publisher::State::mark(Track& track) {
    if (track.in_flight > 0) {
        track.again = true;
    } else if (!track.queued) {
        track.queued = true;
        queue.push_back(&track);
    }
}

void Publisher::State::mark(const core::ServiceKey& key) {
    if (Track* found = find(key)) {
        mark(*found);
    }
}

void Publisher::State::mark_waiting() {
    for (const core::ServiceKey& key : std::exchange(waiting, {})) {
        mark(key);
    }
}

void Publisher::State::wake_at(Track& track, core::SteadyTime at) {
    if (track.timer && *track.timer <= at) {
        return;
    }
    cancel_timer(track);
    track.timer = at;
    timers.emplace(at, track.key);
}

void Publisher::State::cancel_timer(Track& track) {
    if (track.timer) {
        timers.erase({*track.timer, track.key});
        track.timer.reset();
    }
}

void Publisher::State::take_due(core::SteadyTime now) {
    while (!timers.empty() && timers.begin()->first <= now) {
        Track& due = tracks.at(timers.begin()->second);
        cancel_timer(due);
        if (due.unresolved) {
            due.ask_at = now;
        }
        mark(due);
    }
}

void Publisher::State::forget(Track& track) {
    cancel_timer(track);
    release(track);
    waiting.erase(track.key);
    behind.erase(track.key);
    tracks.erase(core::ServiceKey(track.key));
}

// Those behind it decide on what can be seen now.
void Publisher::State::release(const Track& track) {
    if (reservations.release(track.key)) {
        for (const core::ServiceKey& key : std::exchange(behind, {})) {
            mark(key);
        }
    }
}

void Publisher::State::hear_map(const core::ServiceKey& key,
                                std::shared_ptr<const routing::TrafficMap> map) {
    const auto before = world.map(key);
    const auto journal = [](const auto& one) {
        return one == nullptr ? std::nullopt : one->status.publisher;
    };
    const bool journal_changed = journal(before) != journal(map);
    unreadable_maps.erase(key);
    if (map == nullptr) {
        // After a finalization it has none.
        if (Track* found = find(key); found != nullptr && before != nullptr) {
            found->claims = routing::standing_claims(*before);
        }
        world.erase_map(key);
        mark(key);
    } else {
        world.put(std::move(map));
        Track& found = track(key);
        found.claims.clear();
        found.mapless_since.reset();
        found.removal_told = false;
        mark(found);
    }
    if (journal_changed) {
        mark_waiting();
    }
}

void Publisher::State::hear_service(std::shared_ptr<const routing::InferenceService> service) {
    const std::size_t legacy = world.legacy_services();
    const core::ServiceKey key = service->key;
    world.put(std::move(service));
    mark(key);
    if (world.legacy_services() != legacy) {
        mark_waiting();
    }
}

void Publisher::State::hear_object(const news::ObjectIs& told) {
    const routing::ObjectKey key = told.object->key();
    hear_object_gone(key);
    world.put(*told.object);
    if (const auto source = routing::source_of(told.object->meta)) {
        mark(track(*source));  // its map may be gone
    }
}

void Publisher::State::hear_object_gone(const routing::ObjectKey& key) {
    if (const routing::PublishedObject* before = world.find(key)) {
        if (const auto source = routing::source_of(before->meta)) {
            mark(*source);
        }
        world.erase(key);
    }
    mark_waiting();
}

void Publisher::State::hear_addresses(const news::AddressesAre& told) {
    Track* found = find(told.source);
    if (found == nullptr) {
        return;
    }
    world.put_addresses(told.source, told.addresses);
    found->asking = false;
    found->answered = true;
    mark(*found);
}

Publisher::Publisher(routing::PublicationSettings settings, WhyFrozen why_frozen)
    : state_(std::make_unique<State>(std::move(settings), std::move(why_frozen))) {}

Publisher::~Publisher() = default;

void Publisher::hear(const StoreNews& told, const core::Now& now) {
    State& state = *state_;
    if (const auto* service = std::get_if<news::ServiceIs>(&told)) {
        state.hear_service(service->service);
    } else if (const auto* gone = std::get_if<news::ServiceGone>(&told)) {
        state.world.erase_service(gone->key);
        state.mark(gone->key);
        state.mark_waiting();
    } else if (const auto* map = std::get_if<news::MapIs>(&told)) {
        hear_map(map->map->meta.key, map->map, now);
    } else if (const auto* lost = std::get_if<news::MapGone>(&told)) {
        hear_map(lost->key, nullptr, now);
    } else if (const auto* unreadable = std::get_if<news::MapUnreadable>(&told)) {
        state.unreadable_maps.insert(unreadable->key);
    } else if (const auto* object = std::get_if<news::ObjectIs>(&told)) {
        state.hear_object(*object);
    } else if (const auto* vanished = std::get_if<news::ObjectGone>(&told)) {
        state.hear_object_gone(vanished->key);
    } else if (const auto* kind = std::get_if<news::KindUnreadable>(&told)) {
        state.world.set_unreadable(kind->kind, kind->problem, kind->missing);
        for (auto& [key, track] : state.tracks) {
            state.mark(track);
        }
    } else if (const auto* addresses = std::get_if<news::AddressesAre>(&told)) {
        state.hear_addresses(*addresses);
    } else if (std::holds_alternative<news::Listed>(told)) {
        state.listed = true;
    }
}

void Publisher::hear_map(const core::ServiceKey& key,
                         std::shared_ptr<const routing::TrafficMap> map,
                         const core::Now& /*now*/) {
    state_->hear_map(key, std::move(map));
}

void Publisher::State::take_result(Track& track, const PublicationResult& result) {
    if (!result.object) {
        hear_map(track.key, result.map);
        return;
    }
    const bool makes_room = makes_room_for_others(world.find(*result.object), result.stored.get());
    if (result.stored != nullptr) {
        world.put(*result.stored);
    } else {
        world.erase(*result.object);
    }
    if (makes_room) {
        mark_waiting();
    }
}

void Publisher::State::fail(Track& track, const PublicationResult& result, const core::Now& now) {
    ++totals.failures;
    track.retry_at = core::later(now.steady, backoff_after(track.failures++));
    wake_at(track, track.retry_at);
    const auto map = world.map(track.key);
    track.failed_generation = map == nullptr ? 0 : map->meta.generation;
    const std::string what =
        result.object ? fmt::format("{} {} {}",
                                    track.doing[*result.object],
                                    routing::spoken(result.object->kind),
                                    routing::path_of(*result.object))
                      : fmt::format("write TrafficMap {}/{}", track.key.ns, track.key.name);
    track.memory.failure = routing::PublicationMemory::Failure{
        track.failing, {fmt::format("{}: {}", what, result.problem.message), result.problem.field}};
}

void Publisher::hear(const PublicationResult& result, const core::Now& now) {
    State& state = *state_;
    Track* track = state.find(result.source);
    if (track == nullptr || track->in_flight == 0) {
        return;
    }
    --state.writing;
    const bool last = --track->in_flight == 0;
    bool again = false;
    // What does not succeed lets others go on; a route is alone in its step, so none is on its way.
    switch (result.outcome) {
        case StoreResult::Outcome::Done:
            state.take_result(*track, result);
            again = true;
            break;
        case StoreResult::Outcome::Conflict:
            ++state.totals.conflicts;
            state.take_result(*track, result);
            state.release(*track);
            state.wake_at(*track,
                          core::later(now.steady,
                                      ++track->conflicts < most_conflicts
                                          ? conflict_pause
                                          : backoff_after(track->failures++)));
            break;
        case StoreResult::Outcome::Failed:
            state.fail(*track, result, now);
            state.release(*track);
            again = result.object.has_value();
            break;
    }
    track->again = track->again || again;
    if (last) {
        track->doing.clear();
        if (std::exchange(track->again, false)) {
            state.mark(*track);
        }
    }
}

void Publisher::start_over() {
    auto fresh = std::make_unique<State>(state_->settings, state_->why_frozen);
    fresh->totals = state_->totals;
    state_ = std::move(fresh);
}

void Publisher::count_on(const PublisherCounts& totals) {
    state_->totals = totals;
}

const PublisherCounts& Publisher::totals() const {
    return state_->totals;
}

void Publisher::retry() {
    for (auto& [key, track] : state_->tracks) {
        if (std::exchange(track.failures, 0U) > 0) {
            track.memory.failure.reset();
            state_->mark(track);
        }
    }
}

Work Publisher::work(const core::Now& now, std::size_t most) {
    State& state = *state_;
    Work out;
    if (!state.listed) {
        return out;
    }
    state.take_due(now.steady);
    for (std::size_t done = 0; done < most && !state.queue.empty(); ++done) {
        if (state.writing >= most_writing) {
            return out;
        }
        Track* track = state.queue.front();
        state.queue.pop_front();
        track->queued = false;
        state.pass(*track, now, out);
    }
    out.more = !state.queue.empty() && state.writing < most_writing;
    return out;
}

std::optional<core::SteadyTime> Publisher::next_wakeup() const {
    return state_->timers.empty() ? std::nullopt : std::optional(state_->timers.begin()->first);
}

PublisherCounts Publisher::counts() const {
    PublisherCounts counts = state_->totals;
    counts.queued = state_->queue.size();
    counts.writing = state_->writing;
    for (const auto& [key, track] : state_->tracks) {
        const auto map = state_->world.map(key);
        const routing::Condition* condition =
            map == nullptr ? nullptr : routing::find_condition(map->status, "Published");
        if (condition != nullptr) {
            ++counts.maps[condition->reason];
        }
        counts.refused += track.objection.empty() ? 0U : 1U;
    }
    return counts;
}

}  // namespace ome::controller
