// The life of an attempt: due, waiting, taken, concluded (contract/observer.md 11).
#include "fleet_state.hpp"

#include <algorithm>
#include <utility>

namespace ome::core {
namespace {

// The wall clock is slewed all the time; a step is more than that. Smaller differences are
// corrected where a window's expiry is looked at.
constexpr Duration clock_step = std::chrono::milliseconds(100);

// After this many in a row the home is judged after all (design.md D22).
constexpr std::uint8_t stalls_forgiven = 2;

Duration distance(const Now& now) {
    return now.wall - (WallTime{} + now.steady.time_since_epoch());
}

AttemptResult count_probe(AttemptTotals& totals, ProbeResult result) {
    switch (result) {
        case ProbeResult::Passing:
            ++totals.probes_passing;
            return AttemptResult::Passing;
        case ProbeResult::Failing:
            ++totals.probes_failing;
            return AttemptResult::Failing;
        case ProbeResult::Unknown:
            break;
    }
    ++totals.probes_unknown;
    return AttemptResult::Unknown;
}

// An attempt moves one of the two: a probe the gate, a poll the ceiling.
AttemptChange change_of(const Standing& before, const Standing& after) {
    switch (effects_of(before, after)) {
        case GateClosed:
            return AttemptChange::GateClosed;
        case GateLifted:
            return AttemptChange::GateLifted;
        case CeilingLost:
            return AttemptChange::CeilingLost;
        case CeilingBack:
            return AttemptChange::CeilingKnown;
        case CeilingMoved:
            return AttemptChange::CeilingMoved;
        default:
            return AttemptChange::None;
    }
}

SteadyTime on_steady_clock(WallTime at, const Now& now) {
    return later(now.steady, at - now.wall);
}

}  // namespace

void Fleet::State::gather(const Now& now) {
    follow_wall_clock(now);
    while (const auto key = deadlines.pop_due(now.steady)) {
        const Slot slot = *key / 2;
        if (*key == attempt_key(slot)) {
            fall_due(slot, now);
        } else {
            expire(slot, now);
        }
    }
    refresh_times(now);
}

// Expiries are armed as steady deadlines; a step of the wall clock makes all of them wrong at once.
void Fleet::State::follow_wall_clock(const Now& now) {
    const Duration current = distance(now);
    const Duration known = clock_distance.value_or(current);
    if (clock_distance && std::max(current, known) - std::min(current, known) <= clock_step) {
        return;
    }
    clock_distance = current;
    for (Slot slot = 0; slot < tracks.size(); ++slot) {
        if (std::holds_alternative<CapacityWindow>(track(slot).history)) {
            expire(slot, now);
        }
    }
}

void Fleet::State::fall_due(Slot slot, const Now& now) {
    Track& one = track(slot);
    if (one.token != 0) {
        one.excused = true;  // one that was asked for is in flight; finish() arms this one again
        return;
    }
    if (one.joins) {
        if (!std::exchange(one.extra, false)) {
            line.push(one.service, slot);
        }
        return;
    }
    AttemptOutcome outcome;
    outcome.fault = Fault::InvalidUrl;
    const Kind kind = std::holds_alternative<ProbeGate>(one.history) ? Kind::Probe : Kind::Poll;
    const Result<RequestTarget> target = core::target_of(service_of(one), home_of(one), kind);
    outcome.text = target ? std::string() : target.error().message;
    one.schedule.advance(now.steady);
    arm_attempt(slot);
    conclude(slot, outcome, now);
}

// The deadline moves when the attempt starts: slots that passed in the waiting line are skipped.
std::optional<Attempt> Fleet::State::take(const Now& now) {
    const std::optional<Slot> slot = line.pop();
    if (!slot) {
        return std::nullopt;
    }
    Track& one = track(*slot);
    one.taken = one.schedule;
    one.token = ++last_token;
    ++totals.in_flight;
    const Service& service = service_of(one);
    const bool poll = std::holds_alternative<CapacityWindow>(one.history);
    const auto& plan = poll ? service.poll_plan : service.probe_plan;
    if (one.extra) {
        return Attempt{one.token, *slot, plan, now.steady, true};
    }
    one.schedule.advance(now.steady);
    const bool excused = std::exchange(one.excused, false);
    return Attempt{one.token, *slot, plan, one.taken.due(), one.taken.first() || excused};
}

bool Fleet::State::finish(const Attempt& attempt, AttemptOutcome outcome, const Now& now) {
    if (attempt.slot >= tracks.size() || attempt.token == 0 ||
        track(attempt.slot).token != attempt.token) {
        return false;
    }
    Track& one = track(attempt.slot);
    one.token = 0;
    --totals.in_flight;
    const bool extra = std::exchange(one.extra, false);
    if (one.stage == Track::Stage::Leaving) {
        one.stage = Track::Stage::Free;
        free_slots.push_back(attempt.slot);
        ++totals.attempts.superseded;
        return false;
    }
    const bool counts = !abandon(one, outcome, extra);
    if (counts) {
        one.stalls = 0;
        note_facts(attempt.slot, outcome);
        conclude(attempt.slot, outcome, now);
    }
    arm_attempt(attempt.slot);
    return counts;
}

// Whether the attempt is as if it had never been taken: due at once, and nothing else. One that was
// asked for is not tried again.
bool Fleet::State::abandon(Track& one, AttemptOutcome& outcome, bool extra) {
    if (std::exchange(one.discard, false)) {
        ++totals.attempts.superseded;
    } else if (outcome.fault == Fault::Cancelled) {
        ++totals.attempts.cancelled;
    } else if (outcome.fault == Fault::Stalled && one.stalls < stalls_forgiven) {
        ++one.stalls;
        ++totals.attempts.stalled;
    } else {
        if (outcome.fault == Fault::Stalled) {
            outcome.fault = Fault::Unreachable;
            outcome.text = deadline_text;
        }
        return false;
    }
    one.schedule = one.taken;
    one.excused = one.excused || !extra;
    return true;
}

// What an answer does not tell stays as it was last seen; plain HTTP tells of no certificate, but a
// change of the endpoint is another identity.
void Fleet::State::note_facts(Slot slot, const AttemptOutcome& outcome) {
    if (outcome.certificate_expiry) {
        facts[slot].certificate_expiry = outcome.certificate_expiry->seconds;
    }
    if (outcome.clock_skew) {
        facts[slot].clock_skew = *outcome.clock_skew;
    }
}

void Fleet::State::conclude(Slot slot, const AttemptOutcome& outcome, const Now& now) {
    track(slot).refused = outcome.fault == Fault::Refused && outcome.text == refused_address_text;
    if (std::holds_alternative<CapacityWindow>(track(slot).history)) {
        conclude_poll(slot, outcome, now);
    } else {
        conclude_probe(slot, outcome, now);
    }
}

void Fleet::State::conclude_poll(Slot slot, const AttemptOutcome& outcome, const Now& now) {
    Track& one = track(slot);
    Service& service = service_of(one);
    const auto verdict = judge_poll(*service.capacity, outcome, now.wall);
    if (!verdict) {
        return;
    }
    const Standing before = standing(home_of(one));
    auto& window = std::get<CapacityWindow>(one.history);
    const auto* report = std::get_if<CapacityReport>(&*verdict);
    ++(report != nullptr ? totals.attempts.polls_accepted : totals.attempts.polls_failed);
    const bool changed = report != nullptr ? window.accept(*report, now.wall)
                                           : window.fail(std::get<std::string>(*verdict));
    one.last_attempt = now.wall;
    one.past.add({now.wall,
                  Kind::Poll,
                  report != nullptr ? AttemptResult::Accepted : AttemptResult::Failed,
                  outcome.status,
                  outcome.phases,
                  told_fault(outcome),
                  report != nullptr ? std::string() : window.reason(),
                  change_of(before, standing(home_of(one))),
                  report != nullptr ? std::optional(report->servable) : std::nullopt,
                  window.ceiling()});
    arm_expiry(slot, now);
    settle(one, changed, before, now);
}

void Fleet::State::conclude_probe(Slot slot, const AttemptOutcome& outcome, const Now& now) {
    Track& one = track(slot);
    auto verdict = judge_probe(*service_of(one).probe, outcome);
    if (!verdict) {
        return;
    }
    AttemptRecord record{now.wall,
                         Kind::Probe,
                         count_probe(totals.attempts, verdict->result),
                         outcome.status,
                         outcome.phases,
                         told_fault(outcome),
                         verdict->message};
    const Standing before = standing(home_of(one));
    const bool changed = std::get<ProbeGate>(one.history).apply(std::move(*verdict), now.wall);
    record.change = change_of(before, standing(home_of(one)));
    one.past.add(record);
    settle(one, changed, before, now);
}

void Fleet::State::expire(Slot slot, const Now& now) {
    Track& one = track(slot);
    const Standing before = standing(home_of(one));
    if (std::get<CapacityWindow>(one.history).expire(now.wall)) {
        settle(one, true, before, now);
    }
    arm_expiry(slot, now);
}

void Fleet::State::settle(Track& one, bool changed, const Standing& before, const Now& now) {
    recount(one);
    if (changed) {
        announce(service_of(one), home_of(one), before, now);
    } else {
        note_times(service_of(one), home_of(one));
    }
}

void Fleet::State::arm_attempt(Slot slot) {
    const Track& one = track(slot);
    if (one.token == 0 && !service_of(one).suspended) {
        deadlines.arm(attempt_key(slot), one.schedule.due());
    }
}

void Fleet::State::arm_expiry(Slot slot, const Now& now) {
    if (const auto at = std::get<CapacityWindow>(track(slot).history).next_change()) {
        deadlines.arm(expiry_key(slot), on_steady_clock(*at, now));
    } else {
        deadlines.disarm(expiry_key(slot));
    }
}

void Fleet::State::recount(Track& one) {
    const auto* window = std::get_if<CapacityWindow>(&one.history);
    const auto* gate = std::get_if<ProbeGate>(&one.history);
    const bool fallback = window != nullptr && !window->ceiling();
    const bool gated = gate != nullptr && gate->gated();
    totals.fallback += std::size_t{fallback} - std::size_t{one.counted_fallback};
    totals.gated += std::size_t{gated} - std::size_t{one.counted_gated};
    totals.refused += std::size_t{one.refused} - std::size_t{one.counted_refused};
    one.counted_fallback = fallback;
    one.counted_gated = gated;
    one.counted_refused = one.refused;
}

std::optional<SteadyTime> Fleet::State::next_wakeup() const {
    const std::optional<SteadyTime> deadline = deadlines.next();
    const std::optional<SteadyTime> refresh = refreshes.next();
    if (deadline && refresh) {
        return std::min(*deadline, *refresh);
    }
    return deadline ? deadline : refresh;
}

}  // namespace ome::core
