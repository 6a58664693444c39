// All services of one reactor, as a value: which attempt is due, which may start, what its result
// changed. No I/O, no clock, no thread: the reactor's loop asks, obeys, and reports back. The same
// code runs in `replay` and in tests under a fake clock.
//
// Rules: contract/observer.md 2 (identity), 8, 9 (window, gate), 11 (deadlines, overlap, tokens),
// 14 (what keeps a history); design.md D14 (spread), D20 (order), D22 (own stalls).
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/attempt_history.hpp>
#include <ome/core/declaration.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/core/reading.hpp>
#include <ome/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

/// A place for per-(home, kind) data of the I/O side: small, dense, reused after release.
using Slot = std::uint32_t;

/// What the requests of one kind have in common for all homes of a service, shared with attempts in
/// flight; another one as soon as the policy is another. What differs from home to home is asked
/// for, see Fleet::target_of().
struct RequestPlan {
    Kind kind = Kind::Poll;
    ServiceKey service;
    Method method = Method::Get;
    Duration timeout{};
    Duration period{};
};

/// An attempt that has been taken out of the waiting line and must be given back with finish().
struct Attempt {
    std::uint64_t token =
        0;  ///< unique in this fleet; results of superseded attempts are dropped by it
    Slot slot = 0;
    std::shared_ptr<const RequestPlan> plan;
    SteadyTime due;  ///< its deadline on the schedule; start - due is its lateness

    /// Counts neither as late nor in the advice: the first of its identity, the first after a
    /// suspension, one more after an abandoned one, or one that somebody asked for.
    bool first = false;
};

/// What an event did to one home; or-ed in Change::effects.
enum Effect : std::uint8_t {
    GateClosed = 1,
    GateLifted = 2,
    CeilingLost = 4,
    CeilingBack = 8,  ///< also the first one
    CeilingMoved = 16,
};

/// One home whose reading is to be announced (design.md section 4): at once when ceiling,
/// fallbackReason, gated, conclusive, result, message or failure count changed, also by expiry or
/// by a declaration; for times and samples alone at most once per period and service.
struct Change {
    ServiceKey service;
    std::uint8_t effects = 0;
    std::optional<std::int32_t> ceiling_before;
    HomeReading reading;
};

/// What the I/O side must do after a declaration changed.
struct Dropped {
    std::vector<Slot>
        released;  ///< the identity is gone: close what the slot keeps, end its attempt
    std::vector<Slot>
        cancelled;  ///< the identity stays (suspended): end its attempt, keep the rest
    std::vector<std::string>
        forgotten;  ///< clusters that left; all of them when the service was forgotten
    bool service_changed = false;    ///< it is new, or has another owner, is suspended or resumed
    bool changed = false;            ///< anything at all; else it was declared as it already was
    std::vector<std::string> moved;  ///< clusters that stay, with an endpoint of another identity
};

struct SkippedAttempt {
    std::string cluster;
    Kind kind = Kind::Poll;
    std::string reason;
};

/// What became of a request to check a service now.
struct ExtraAttempts {
    bool suspended = false;  ///< nothing was started, and nothing will be
    Duration retry_after{};  ///< above zero: nothing was started, too soon after the last time
    std::size_t started = 0;
    std::vector<SkippedAttempt> skipped;
};

/// The last attempts of a home, of both kinds, the newest first.
struct HomeHistory {
    std::string cluster;
    std::vector<AttemptRecord> attempts;
};

/// The homes of a service from the `from`th on, `limit` at most; of one cluster if it is given.
struct HistoryPart {
    std::string cluster;
    std::size_t from = 0;
    std::size_t limit = 0;
};

/// What became of the attempts since the start, by kind and result.
struct AttemptTotals {
    std::uint64_t polls_accepted = 0;
    std::uint64_t polls_failed = 0;
    std::uint64_t probes_passing = 0;
    std::uint64_t probes_failing = 0;
    std::uint64_t probes_unknown = 0;
    std::uint64_t cancelled = 0;   ///< ended by their owner: no result
    std::uint64_t stalled = 0;     ///< abandoned because this process stood still: no result (D22)
    std::uint64_t superseded = 0;  ///< their identity was gone or suspended when they came back
};

struct FleetCounts {
    std::size_t services = 0;
    std::size_t homes = 0;
    std::size_t observations = 0;  ///< (home, kind) pairs that have a schedule
    std::size_t waiting = 0;       ///< due and waiting for a permit
    std::size_t in_flight = 0;
    std::size_t gated = 0;     ///< homes
    std::size_t fallback = 0;  ///< homes with a fallback reason
    std::size_t refused = 0;   ///< observations whose last attempt the address policy refused
    AttemptTotals attempts;
};

/// The worst that answers told of certificates and clocks.
struct FleetExtremes {
    std::optional<WallTime> earliest_expiry;
    std::optional<std::int32_t> largest_skew;  ///< the one farthest from 0, with its sign
};

class Fleet {
public:
    /// `min_period`: of the observer limits; the smallest offset of a second attempt (D14).
    explicit Fleet(Duration min_period);
    ~Fleet();
    Fleet(Fleet&&) noexcept;
    Fleet& operator=(Fleet&&) noexcept;

    void set_min_period(Duration min_period);

    /// Applies a declaration completely. What has not changed keeps its history and rhythm; a
    /// suspended one changes only the owner. Slots released here are not reused before it returns.
    [[nodiscard]] Dropped declare(const ServiceDeclaration& declaration, const Now& now);
    [[nodiscard]] Dropped forget(const ServiceKey& service);

    /// Moves everything due to the waiting line, applies every expiry up to `now` and judges due
    /// observations whose URL does not join, which need no permit.
    void gather(const Now& now);

    /// Services with at least one waiting attempt: this reactor's claim on the budget.
    [[nodiscard]] std::size_t services_waiting() const;

    /// The next attempt to start: FIFO within a service, round-robin over services (D20). The
    /// caller holds a permit.
    [[nodiscard]] std::optional<Attempt> take(const Now& now);

    /// Gives an attempt back with what came of it. A superseded one changes nothing. Every taken
    /// attempt must come back: until then its slot is not reused. Says whether it counted.
    bool finish(const Attempt& attempt, AttemptOutcome outcome, const Now& now);

    /// Where the request of an attempt goes, while its identity is there; else empty. `url` is
    /// left empty. Made from the declaration each time: not kept, to save memory.
    [[nodiscard]] RequestTarget target_of(const Attempt& attempt) const;

    /// The cluster of the home that an attempt went to, while its identity is there; else empty.
    [[nodiscard]] std::string_view cluster_of(const Attempt& attempt) const;

    /// The canonical endpoint that an attempt went to, while its identity is there; else empty.
    [[nodiscard]] std::string_view endpoint_of(const Attempt& attempt) const;

    /// When gather() has something to do next; absent when nothing is scheduled.
    [[nodiscard]] std::optional<SteadyTime> next_wakeup() const;

    /// False: nobody follows the changes, so that times and samples alone are not announced for
    /// homes that are well. Costs a fifth of a poll where nobody does. True at first.
    void announce_times(bool wanted);

    /// The changes since the last call, in order.
    [[nodiscard]] std::vector<Change> take_changes();
    [[nodiscard]] bool has_changes() const;

    /// Absent when the service is not declared. Expiry up to `now` is applied first.
    [[nodiscard]] std::optional<ServiceReading> read(const ServiceKey& service, const Now& now);

    /// The same with the homes of these clusters only; those that are not there are left out.
    [[nodiscard]] std::optional<ServiceReading> read(const ServiceKey& service,
                                                     const std::vector<std::string>& clusters,
                                                     const Now& now);

    /// One attempt more for every home and kind, at most once per `min_period` and service. They
    /// wait their turn like others and count like others; the rhythm stays as it is. Absent when
    /// the service is not declared.
    [[nodiscard]] std::optional<ExtraAttempts> request_attempts(const ServiceKey& service,
                                                                const Now& now);

    /// Absent when the service is not declared.
    [[nodiscard]] std::optional<std::vector<HomeHistory>> history(const ServiceKey& service,
                                                                  const HistoryPart& part) const;

    /// Up to `limit` services in the order of namespace and name, from the first or after `last`.
    [[nodiscard]] std::vector<ServiceKey> keys_after(const ServiceKey* last,
                                                     std::size_t limit) const;

    [[nodiscard]] FleetCounts counts() const;

    /// Looks at every observation: for a scrape now and then.
    [[nodiscard]] FleetExtremes extremes() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::core
