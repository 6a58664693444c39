// What the parts of the reconciler share: the subjects, the queue, and the passes.
#pragma once

#include "held_back.hpp"
#include "reconciler.hpp"
#include "subject.hpp"
#include <ome/routing/ownership.hpp>

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace ome::controller {

/// As logs and messages name it: `demo/chat`.
[[nodiscard]] inline std::string name_of(const core::ServiceKey& key) {
    return key.ns + "/" + key.name;
}

struct Reconciler::State {
    State(ReconcilerSettings chosen, const core::Now& now);

    // Queue (reconciler_queue.cpp).

    /// What may be with the store at once: enough that two batches of the folder store are full
    /// (one being flushed, one waiting), few enough that an urgent write does not wait behind a
    /// whole fleet.
    static constexpr std::size_t most_writing = 512;

    enum class Urgency : std::uint8_t { Now, Soon };
    Subject& subject(const core::ServiceKey& key);
    [[nodiscard]] Subject* find(const core::ServiceKey& key);
    void mark(Subject& subject, core::SteadyTime now, Urgency urgency = Urgency::Now);
    void mark_all(core::SteadyTime now);
    void wake_at(Subject& subject, core::SteadyTime at);
    void cancel_timer(Subject& subject);
    void take_due(core::SteadyTime now);
    void watch_silence(const core::Now& now);
    [[nodiscard]] Subject* take_marked();
    void forget_if_empty(Subject& subject);

    // Store (reconciler.cpp).
    void hear_service(const news::ServiceIs& told, core::SteadyTime now);
    void hear_map(const core::ServiceKey& key,
                  std::shared_ptr<const routing::TrafficMap> map,
                  core::SteadyTime now);
    void tell_deleted(const core::ServiceKey& key);
    void tell_generated(const Subject& subject, const routing::TrafficMap& stored);
    void count_written(const Subject& subject);

    // Events (reconciler_events.cpp).
    void tell_changes(const Subject& subject,
                      const routing::TrafficMap& stored,
                      const core::Now& now);

    // Passes (reconciler_pass.cpp).
    void pass(Subject& subject, const core::Now& now, Work& out);
    void pass_absent(Subject& subject, const core::Now& now, Work& out);
    void pass_unrouted(Subject& subject, const core::Now& now, Work& out);
    void pass_service(Subject& subject, const core::Now& now, Work& out);
    void pass_routed(Subject& subject,
                     std::shared_ptr<const routing::RoutedService> routed,
                     const core::Now& now,
                     Work& out);
    void reap(Subject& subject, const routing::Reap& wanted, const core::Now& now, Work& out);
    void freeze(Subject& subject, const std::string& why, const core::Now& now, Work& out);
    void thaw(Subject& subject);
    void write(Subject& subject, MapWrite write, Work& out);
    void tell_unplaced(Subject& subject,
                       const routing::RoutedService& routed,
                       const core::Now& now,
                       Work& out);
    void tell_shadow(Subject& subject,
                     const routing::RoutedService& routed,
                     const routing::Observations& seen,
                     const core::Now& now,
                     Work& out);
    [[nodiscard]] core::Result<routing::Explanation> explain_known(const core::ServiceKey& key,
                                                                   const core::Now& now);
    void tell_unaddressable(Subject& subject, const core::Now& now, Work& out);
    void tell_without_effect(const Subject& subject,
                             std::string_view event,
                             std::string_view reason,
                             const std::vector<std::string>& sentences,
                             const core::Now& now,
                             Work& out) const;
    void finish_without_write(Subject& subject, const core::Now& now);
    [[nodiscard]] bool times_may_be_written(Subject& subject,
                                            const routing::RoutedService& routed,
                                            const core::Now& now);
    void sleep_until_next(Subject& subject, const core::Now& now);
    [[nodiscard]] Evidence evidence_of(const Subject& subject,
                                       const routing::RoutedService& routed,
                                       const core::Now& now) const;

    // Drains (reconciler_drains.cpp).
    void tell_lapsed(Subject& subject, Work& out) const;
    void lapse_drains(Subject& subject, const core::Now& now, Work& out);
    void complain_of_expiries(Subject& subject,
                              const core::Problem& problem,
                              const core::Now& now,
                              Work& out);

    // Observer (reconciler_observer.cpp).
    void want(Subject& subject, std::optional<core::ServiceDeclaration> declaration);
    void want_as_admitted(Subject& subject);
    [[nodiscard]] Hearing hearing(const core::Now& now) const;
    void take_answer(Subject& subject, const wire::ServiceAnswer& answer, const core::Now& now);
    [[nodiscard]] DeclarationRequest make_request(Subject& subject);

    ReconcilerSettings settings;
    core::SteadyTime started;
    std::map<core::ServiceKey, Subject> subjects;
    std::deque<Subject*> urgent;
    std::deque<Subject*> soon;
    std::set<std::pair<core::SteadyTime, core::ServiceKey>> timers;
    HeldBack held_back;
    bool listed = false;

    std::optional<core::SteadyTime> heard;
    bool was_silent = false;
    bool syncing = false;
    std::set<core::ServiceKey> to_declare;
    std::uint64_t last_ticket = 0;

    std::size_t writing = 0;
    std::size_t writing_stamps = 0;  ///< of these, stamps alone
    std::vector<Notice> notices;
    std::vector<StoreRequest> events;  ///< of what has been written; go out with the next work
    ReconcilerCounts totals;
    telemetry::Histogram write_seconds{telemetry::latency_bounds()};
};

}  // namespace ome::controller
