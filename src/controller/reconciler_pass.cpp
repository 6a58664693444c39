// One pass over one key: contract/trafficmap.md 9.1, without its waits.
#include "reconciler_state.hpp"
#include <ome/core/deadline.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/ownership.hpp>
#include <ome/routing/shadow.hpp>
#include <ome/routing/slips.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view frozen_reason = "RoutingFrozen";

// Nobody waits for stamps: they take turns, so that a change of weights never queues behind a
// fleet's.
constexpr std::size_t most_stamps_writing = 8;
constexpr core::Duration stamps_pause = 250ms;

Precondition state_of(const std::shared_ptr<const routing::TrafficMap>& map) {
    return map == nullptr ? Precondition{}
                          : Precondition{map->meta.uid, map->meta.resource_version};
}

// contract/observer.md 2: a pass refuses its whole input.
std::optional<std::string> duplicated_cluster(const routing::InferenceService& service,
                                              const core::Policies& policies) {
    if (!policies.probe && !policies.capacity) {
        return std::nullopt;
    }
    std::set<std::string> clusters;
    for (const routing::Home& home : routing::serving_homes(service)) {
        if (!clusters.insert(home.cluster).second) {
            const std::string_view target =
                policies.probe ? "probes: probe target" : "capacity: capacity target";
            return fmt::format("reconcile endpoint {} cluster {} is duplicated",
                               target,
                               core::go_quote(home.cluster));
        }
    }
    return std::nullopt;
}

core::SteadyTime on_steady_clock(core::WallTime at, const core::Now& now) {
    return core::later(now.steady, at - now.wall);
}

}  // namespace

void Reconciler::State::pass(Subject& subject, const core::Now& now, Work& out) {
    if (subject.service != nullptr) {
        lapse_drains(subject, now, out);
        pass_service(subject, now, out);
    } else if (subject.absent) {
        pass_absent(subject, now, out);
    }
}

void Reconciler::State::pass_absent(Subject& subject, const core::Now& now, Work& out) {
    want(subject, std::nullopt);
    subject.fallback_homes.reset();
    thaw(subject);
    if (!subject.map_unreadable) {
        reap(subject, routing::reap_without_source(subject.key, subject.map.get()), now, out);
    }
}

void Reconciler::State::pass_unrouted(Subject& subject, const core::Now& now, Work& out) {
    want(subject, std::nullopt);
    subject.fallback_homes.reset();
    if (subject.map_unreadable) {
        thaw(subject);
        return;
    }
    reap(subject, routing::reap(*subject.service, subject.map.get()), now, out);
}

void Reconciler::State::reap(Subject& subject,
                             const routing::Reap& wanted,
                             const core::Now& now,
                             Work& out) {
    if (wanted.action == routing::Reap::Action::Fail) {
        freeze(subject, wanted.error, now, out);
        return;
    }
    thaw(subject);
    if (wanted.action == routing::Reap::Action::Delete) {
        subject.writing = true;
        subject.creating = false;
        subject.times_alone = false;
        ++writing;
        out.store.emplace_back(MapDelete{subject.key, {wanted.uid, wanted.resource_version}});
    }
}

void Reconciler::State::pass_service(Subject& subject, const core::Now& now, Work& out) {
    const routing::InferenceService& service = *subject.service;
    if (service.deleting) {
        pass_unrouted(subject, now, out);
        return;
    }
    auto admitted = routing::admit(service, settings.installation);
    if (admitted && !*admitted) {
        pass_unrouted(subject, now, out);
        return;
    }
    std::optional<std::string> refusal;
    if (!admitted) {
        refusal = routing::with_slips(admitted.error(), service);
    } else if (subject.map_unreadable) {
        refusal = subject.map_unreadable->message;
    } else if (const auto foreign = routing::write_refusal(service, subject.map.get())) {
        refusal = foreign->message;
    } else {
        refusal = duplicated_cluster(service, routing::observed_policies(**admitted));
    }
    if (refusal) {
        want(subject, suspended_declaration(service));
        freeze(subject, *refusal, now, out);
        return;
    }
    pass_routed(
        subject, std::make_shared<const routing::RoutedService>(**std::move(admitted)), now, out);
}

void Reconciler::State::pass_routed(Subject& subject,
                                    std::shared_ptr<const routing::RoutedService> routed,
                                    const core::Now& now,
                                    Work& out) {
    want(subject, wanted_declaration(*subject.service, *routed));
    tell_unplaced(subject, *routed, now, out);
    tell_unaddressable(subject, now, out);
    if (subject.refused) {
        if (std::exchange(subject.refusal_seen, !subject.refusal_seen)) {
            to_declare.insert(subject.key);
        }
        freeze(subject,
               routing::with_slips(*subject.refused, *subject.service, "spec.routing"),
               now,
               out);
        return;
    }
    subject.polled = routed->policies.capacity.has_value();
    if (!subject.polled) {
        subject.fallback_homes.reset();
    }
    const routing::Observations seen = observations(evidence_of(subject, *routed, now), now.wall);
    tell_shadow(subject, *routed, seen, now, out);
    routing::Plan plan = routing::build_plan(*subject.service, *routed, seen);
    MapWrite next{.key = subject.key,
                  .precondition = state_of(subject.map),
                  .service = subject.service,
                  .routed = routed,
                  .spec = std::move(plan.spec),
                  .verdict = std::move(plan.verdict),
                  .now = {now.wall.seconds, 0}};
    thaw(subject);
    subject.creating = subject.map == nullptr;
    subject.times_alone = false;
    if (!subject.creating) {
        const auto difference = routing::difference(subject.map->spec, next.spec, routed->policies);
        subject.times_alone = difference == routing::Difference::TimesAlone;
        const bool later = subject.times_alone && !times_may_be_written(subject, *routed, now);
        if (difference == routing::Difference::None) {
            subject.times_due.reset();
        }
        if (difference == routing::Difference::None || later) {
            next.spec = subject.map->spec;
            subject.times_alone = false;
            if (!status_differs(*subject.map, next)) {
                finish_without_write(subject, now);
                return;
            }
        }
    }
    write(subject, std::move(next), out);
}

void Reconciler::State::finish_without_write(Subject& subject, const core::Now& now) {
    subject.reading_since.reset();
    if (subject.polled) {
        subject.fallback_homes = routing::fallback_homes(subject.map->spec);
    }
    sleep_until_next(subject, now);
}

void Reconciler::State::write(Subject& subject, MapWrite next, Work& out) {
    subject.writing = true;
    subject.written_over = subject.map;
    ++writing;
    writing_stamps += subject.times_alone ? 1U : 0U;
    const bool spec_changes = subject.creating || next.spec != subject.map->spec;
    if (spec_changes) {
        subject.times_due.reset();  // the stamps go along
    }
    out.store.emplace_back(std::move(next));
}

bool Reconciler::State::times_may_be_written(Subject& subject,
                                             const routing::RoutedService& routed,
                                             const core::Now& now) {
    if (subject.times_due && *subject.times_due <= now.steady &&
        writing_stamps >= most_stamps_writing) {
        subject.times_due = core::later(now.steady, stamps_pause);
    }
    if (subject.times_due) {
        return *subject.times_due <= now.steady;
    }
    const core::Duration period =
        routed.policies.probe ? routed.policies.probe->period : core::Duration::zero();
    subject.times_due =
        next_slot(subject.key, std::max(period, settings.probe_time_interval), now.steady);
    return false;
}

void Reconciler::State::sleep_until_next(Subject& subject, const core::Now& now) {
    if (subject.times_due) {
        wake_at(subject, *subject.times_due);
    }
    if (const auto change = subject.readings.next_change(now.wall)) {
        wake_at(subject, on_steady_clock(*change, now));
    }
}

void Reconciler::State::freeze(Subject& subject,
                               const std::string& why,
                               const core::Now& now,
                               Work& out) {
    ++totals.pass_errors;
    wake_at(subject, core::later(now.steady, backoff_after(subject.failures++)));
    subject.reading_since.reset();
    if (subject.frozen == why) {
        return;
    }
    subject.frozen = why;
    out.notices.push_back({Notice::Level::Error,
                           "TrafficMap frozen",
                           {{"isvc", name_of(subject.key)}, {"error", why}}});
    out.store.emplace_back(EventRecord{.key = subject.key,
                                       .service_uid = subject.service ? subject.service->uid : "",
                                       .warning = true,
                                       .reason = std::string(frozen_reason),
                                       .message = why,
                                       .at = now.wall});
}

void Reconciler::State::thaw(Subject& subject) {
    if (!subject.frozen.empty()) {
        notices.push_back({Notice::Level::Info,
                           "TrafficMap follows its service again",
                           {{"isvc", name_of(subject.key)}}});
        subject.frozen.clear();
        subject.failures = 0;
    }
}

Evidence Reconciler::State::evidence_of(const Subject& subject,
                                        const routing::RoutedService& routed,
                                        const core::Now& now) const {
    return {.service = *subject.service,
            .routed = routed,
            .stored = subject.map.get(),
            .readings = subject.readings,
            .hearing = hearing(now),
            .answered = subject.answered};
}

}  // namespace ome::controller
