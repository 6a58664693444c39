#include "reconciler.hpp"

#include "reconciler_state.hpp"
#include <ome/core/deadline.hpp>

#include <algorithm>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t most_conflicts = 5;
constexpr core::Duration conflict_pause = 10ms;

double seconds(core::Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

Reconciler::State::State(ReconcilerSettings chosen, const core::Now& now)
    : settings(std::move(chosen)), started(now.steady) {}

Reconciler::Reconciler(ReconcilerSettings settings, const core::Now& start)
    : state_(std::make_unique<State>(std::move(settings), start)) {}

Reconciler::~Reconciler() = default;

Subject& Reconciler::State::subject(const core::ServiceKey& key) {
    return subjects.try_emplace(key, key).first->second;
}

Subject* Reconciler::State::find(const core::ServiceKey& key) {
    const auto found = subjects.find(key);
    return found == subjects.end() ? nullptr : &found->second;
}

void Reconciler::State::forget_if_empty(Subject& subject) {
    if (subject.service == nullptr && subject.map == nullptr && !subject.map_unreadable &&
        !subject.queued && !subject.writing && !subject.sent && !subject.timer &&
        !to_declare.contains(subject.key)) {
        subjects.erase(core::ServiceKey(subject.key));
    }
}

void Reconciler::State::hear_service(const news::ServiceIs& told, core::SteadyTime now) {
    Subject& subject = this->subject(told.service->key);
    if (subject.service != nullptr && subject.service->uid != told.service->uid) {
        subject.answered = false;
        subject.readings.clear();
    }
    subject.service = told.service;
    subject.absent = false;
    mark(subject, now);
}

void Reconciler::State::tell_deleted(const core::ServiceKey& key) {
    ++totals.deleted;
    notices.push_back(
        {Notice::Level::Info,
         settings.dry_run ? "dry run: trafficmap would be deleted" : "trafficmap deleted",
         {{"isvc", name_of(key)}}});
}

void Reconciler::State::hear_map(const core::ServiceKey& key,
                                 std::shared_ptr<const routing::TrafficMap> map,
                                 core::SteadyTime now) {
    Subject& subject = this->subject(key);
    // In a dry run it was somebody else.
    if (map == nullptr && subject.map != nullptr && !settings.dry_run) {
        tell_deleted(key);
    }
    subject.map = std::move(map);
    subject.map_unreadable.reset();
    mark(subject, now);
}

void Reconciler::hear(const StoreNews& told, const core::Now& now) {
    State& state = *state_;
    const core::SteadyTime at = now.steady;
    state.held_back.hear(told, now.wall);
    if (const auto* service = std::get_if<news::ServiceIs>(&told)) {
        state.hear_service(*service, at);
    } else if (const auto* gone = std::get_if<news::ServiceGone>(&told)) {
        Subject& subject = state.subject(gone->key);
        subject.service.reset();
        subject.absent = true;
        state.mark(subject, at);
    } else if (const auto* map = std::get_if<news::MapIs>(&told)) {
        state.hear_map(map->map->meta.key, map->map, at);
    } else if (const auto* lost = std::get_if<news::MapGone>(&told)) {
        state.hear_map(lost->key, nullptr, at);
    } else if (const auto* unreadable = std::get_if<news::MapUnreadable>(&told)) {
        Subject& subject = state.subject(unreadable->key);
        subject.map_unreadable = unreadable->problem;
        state.mark(subject, at);
    } else if (std::holds_alternative<news::Listed>(told)) {
        for (auto& [key, subject] : state.subjects) {
            state.want_as_admitted(subject);
        }
        state.listed = true;
        state.started = at;
    }
}

// Not before it is written. Stamps alone are no news, nor are conditions.
void Reconciler::State::tell_generated(const Subject& subject, const routing::TrafficMap& stored) {
    const bool changed = subject.creating || subject.written_over == nullptr ||
                         subject.written_over->spec != stored.spec;
    if (subject.times_alone || !changed) {
        return;
    }
    notices.push_back(
        {Notice::Level::Info,
         settings.dry_run ? "dry run: trafficmap would be written" : "trafficmap generated",
         {{"isvc", name_of(subject.key)},
          {"op", subject.creating ? "created" : "updated"},
          {"mode", stored.spec.mode},
          {"homes", static_cast<std::int64_t>(stored.spec.entries.size())}}});
}

void Reconciler::State::count_written(const Subject& subject) {
    if (subject.creating) {
        ++totals.created;
    } else if (subject.times_alone) {
        ++totals.times_alone;
    } else if (subject.map != nullptr) {
        ++totals.updated;
    }
}

void Reconciler::hear(const StoreResult& result, const core::Now& now) {
    State& state = *state_;
    Subject* subject = state.find(result.key);
    if (subject == nullptr || !subject->writing) {
        return;
    }
    subject->writing = false;
    --state.writing;
    state.writing_stamps -= subject->times_alone ? 1U : 0U;
    bool again = std::exchange(subject->marked_while_writing, false);
    switch (result.outcome) {
        case StoreResult::Outcome::Done:
            if (result.map != nullptr) {
                state.tell_generated(*subject, *result.map);
                state.tell_changes(*subject, *result.map, now);
            }
            subject->written_over.reset();
            subject->map = result.map;
            subject->conflicts = 0;
            subject->failures = 0;
            if (result.map == nullptr) {
                state.tell_deleted(result.key);
                again = true;
                break;
            }
            state.count_written(*subject);
            if (subject->polled) {
                subject->fallback_homes = routing::fallback_homes(result.map->spec);
            }
            if (subject->reading_since) {
                state.write_seconds.add(seconds(now.steady - *subject->reading_since));
                subject->reading_since.reset();
            }
            if (!again) {
                state.sleep_until_next(*subject, now);
            }
            break;
        case StoreResult::Outcome::Conflict:
            ++state.totals.conflicts;
            subject->map = result.map;
            subject->map_unreadable.reset();
            state.wake_at(*subject,
                          core::later(now.steady,
                                      ++subject->conflicts < most_conflicts
                                          ? conflict_pause
                                          : backoff_after(subject->failures++)));
            return;
        case StoreResult::Outcome::Failed:
            ++state.totals.write_failures;
            if (!result.told) {
                state.notices.push_back(
                    {Notice::Level::Error,
                     "TrafficMap not written",
                     {{"isvc", name_of(result.key)}, {"error", result.problem.message}}});
            }
            state.wake_at(*subject, core::later(now.steady, backoff_after(subject->failures++)));
            return;
    }
    if (again) {
        state.mark(*subject, now.steady);
    }
}

Work Reconciler::work(const core::Now& now, std::size_t most) {
    State& state = *state_;
    Work out;
    out.notices = std::exchange(state.notices, {});
    out.store = std::exchange(state.events, {});
    if (!state.listed) {
        return out;
    }
    state.watch_silence(now);
    state.take_due(now.steady);
    for (std::size_t done = 0; done < most; ++done) {
        Subject* subject = state.take_marked();
        if (subject == nullptr) {
            return out;
        }
        ++state.totals.passes;
        state.pass(*subject, now, out);
        state.forget_if_empty(*subject);
    }
    out.more =
        (!state.urgent.empty() || !state.soon.empty()) && state.writing < State::most_writing;
    return out;
}

std::optional<core::SteadyTime> Reconciler::next_wakeup() const {
    std::optional<core::SteadyTime> at;
    if (!state_->timers.empty()) {
        at = state_->timers.begin()->first;
    }
    if (state_->listed && !state_->was_silent) {
        const core::SteadyTime silent_at =
            core::later(state_->heard.value_or(state_->started), observer_patience);
        at = at ? std::min(*at, silent_at) : silent_at;
    }
    return at;
}

// Tickets go on: an answer to what the old lead declared is not taken for one to the new lead's.
void Reconciler::start_over(const core::Now& now) {
    auto fresh = std::make_unique<State>(state_->settings, now);
    fresh->totals = state_->totals;
    fresh->write_seconds = state_->write_seconds;
    fresh->last_ticket = state_->last_ticket;
    state_ = std::move(fresh);
}

void Reconciler::count_on(const ReconcilerCounts& totals,
                          const telemetry::Histogram& write_seconds) {
    state_->totals = totals;
    state_->write_seconds = write_seconds;
}

const ReconcilerCounts& Reconciler::totals() const {
    return state_->totals;
}

void Reconciler::retry(const core::Now& now) {
    for (auto& [key, subject] : state_->subjects) {
        if (std::exchange(subject.failures, 0U) > 0 || subject.lapse_tried) {
            subject.lapse_tried.reset();
            state_->mark(subject, now.steady);
        }
    }
}

bool Reconciler::knows_everything() const {
    return state_->listed;
}

bool Reconciler::observer_silent(const core::Now& now) const {
    return state_->hearing(now) == Hearing::Silent;
}

std::optional<core::SteadyTime> Reconciler::last_heard() const {
    return state_->heard;
}

const telemetry::Histogram& Reconciler::write_seconds() const {
    return state_->write_seconds;
}

ReconcilerCounts Reconciler::counts(const core::Now& now) const {
    ReconcilerCounts counts = state_->totals;
    for (const auto& [key, subject] : state_->subjects) {
        counts.services += subject.service != nullptr ? 1U : 0U;
        counts.maps += subject.map != nullptr ? 1U : 0U;
    }
    counts.queued = state_->urgent.size() + state_->soon.size();
    for (const auto* queue : {&state_->urgent, &state_->soon}) {
        if (!queue->empty()) {
            counts.oldest = std::max(counts.oldest, now.steady - queue->front()->queued_at);
        }
    }
    counts.writing = state_->writing;
    counts.undeclared = state_->to_declare.size();
    return counts;
}

std::vector<MapStatus> Reconciler::statuses() const {
    std::vector<MapStatus> rows;
    for (const auto& [key, subject] : state_->subjects) {
        if (subject.map == nullptr && subject.frozen.empty()) {
            continue;
        }
        MapStatus row{.key = key, .frozen = subject.frozen};
        row.fallback_homes = subject.fallback_homes;
        if (subject.map != nullptr) {
            row.mode = subject.map->spec.mode;
            row.homes = subject.map->spec.entries.size();
            for (const routing::Entry& entry : subject.map->spec.entries) {
                row.gated += entry.probe && entry.probe->gated ? 1U : 0U;
            }
            for (const routing::Condition& condition : subject.map->status.conditions) {
                if (condition.type == "Routable") {
                    row.routable = condition.status + " " + condition.reason;
                } else if (condition.type == "Published") {
                    row.published = condition.status + " " + condition.reason;
                }
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<std::shared_ptr<const routing::TrafficMap>> Reconciler::maps() const {
    std::vector<std::shared_ptr<const routing::TrafficMap>> all;
    for (const auto& [key, subject] : state_->subjects) {
        if (subject.map != nullptr) {
            all.push_back(subject.map);
        }
    }
    return all;
}

}  // namespace ome::controller
