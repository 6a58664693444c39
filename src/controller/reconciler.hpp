// All decisions of the controller, as a value: what is told of services, maps and readings goes in,
// what is to be written, declared and logged comes out. No I/O, no clock, no thread: the engine
// around it (engine.hpp) obeys and reports back, and so does a test with a fake clock.
//
// Level-triggered: whatever happens marks a key, and a pass over a marked key looks at the newest
// state alone (contract/trafficmap.md 9.1). A pass waits for nothing.
#pragma once

#include "store.hpp"
#include <ome/core/declaration.hpp>
#include <ome/core/policy_settings.hpp>
#include <ome/core/time.hpp>
#include <ome/routing/explanation.hpp>
#include <ome/telemetry/metrics.hpp>
#include <ome/wire/observer_answer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ome::controller {

struct ReconcilerSettings {
    core::RoutingSettings installation;  ///< checked
    /// Stamps alone are written at most once per max(period, this) and map (D15).
    core::Duration probe_time_interval = std::chrono::seconds(10);
    bool dry_run = false;  ///< the store only says that it writes (dry_store.hpp)
};

/// Promise 6, and how long the first answer is waited for at the start.
inline constexpr core::Duration observer_patience = std::chrono::seconds(5);

/// One service for the observer; the answer must show the ticket.
struct DeclarationRequest {
    core::ServiceKey key;
    std::uint64_t ticket = 0;
    std::optional<core::ServiceDeclaration> declaration;  ///< absent: to be forgotten
};

/// A line of the log.
struct Notice {
    enum class Level : std::uint8_t { Info, Warn, Error };
    Level level = Level::Info;
    std::string event;
    using Value = std::variant<std::string, std::int64_t>;
    std::vector<std::pair<std::string, Value>> fields;
};

struct Work {
    std::vector<StoreRequest> store;
    std::vector<Notice> notices;
    bool more = false;  ///< there are passes left for the next turn
};

/// One map as the status page shows it.
struct MapStatus {
    core::ServiceKey key;
    std::string mode = {};
    std::size_t homes = 0;
    std::string routable = {};   ///< `True Routable`; empty without a map
    std::string published = {};  ///< likewise; empty: nothing has been said
    std::size_t gated = 0;
    std::optional<std::int64_t> fallback_homes = {};  ///< absent: the series is not there
    std::string frozen = {};                          ///< why; empty: it is not
};

struct ReconcilerCounts {
    std::size_t services = 0;
    std::size_t maps = 0;
    std::size_t queued = 0;
    core::Duration oldest{};  ///< how long the first of the queue has been in it
    std::size_t writing = 0;
    std::size_t undeclared = 0;  ///< declarations that wait to be sent
    std::uint64_t passes = 0;
    std::uint64_t pass_errors = 0;
    std::uint64_t created = 0;
    std::uint64_t updated = 0;      ///< of substance, conditions included
    std::uint64_t times_alone = 0;  ///< D15
    std::uint64_t deleted = 0;
    std::uint64_t conflicts = 0;
    std::uint64_t write_failures = 0;
    std::uint64_t readings = 0;
};

class Reconciler {
public:
    Reconciler(ReconcilerSettings settings, const core::Now& start);
    ~Reconciler();
    Reconciler(const Reconciler&) = delete;
    Reconciler& operator=(const Reconciler&) = delete;

    // The store.
    void hear(const StoreNews& told, const core::Now& now);
    void hear(const StoreResult& result, const core::Now& now);

    // The observer. `heard` is for everything that made sense, a bookmark included.
    void heard(const core::Now& now);
    /// A new connection begins with the whole set: keys in order, then request_for() for each, then
    /// refused() for what was rejected, then told() for each service of the list, then synced().
    [[nodiscard]] std::vector<core::ServiceKey> begin_sync(const core::Now& now);
    /// The newest, and counts as sent. Absent: not wanted any more.
    [[nodiscard]] std::optional<DeclarationRequest> request_for(const core::ServiceKey& key);
    void synced(const core::Now& now);
    /// The next single declaration to send; absent when there is none.
    [[nodiscard]] std::optional<DeclarationRequest> next_request();
    /// A complete answer about a service; zero ticket: of the list.
    void told(const wire::ServiceAnswer& answer, std::uint64_t ticket, const core::Now& now);
    void refused(const core::ServiceKey& key,
                 std::uint64_t ticket,
                 const core::Problem& why,
                 const core::Now& now);
    /// A line of the watch.
    void changed(const wire::ServiceAnswer& answer, const core::Now& now);
    void forgotten(const wire::watch::Forgotten& line, const core::Now& now);

    /// Nothing is declared before: a declaration without the stored gates would lose them.
    [[nodiscard]] bool knows_everything() const;

    /// A lead has ended: all but the counters is as at the start, until the store tells everything
    /// anew.
    void start_over(const core::Now& now);
    /// The counters of one before this one; what is counted from now on comes on top.
    void count_on(const ReconcilerCounts& totals, const telemetry::Histogram& write_seconds);
    /// What stood in the way of writes may be gone: those that failed are made again at once.
    void retry(const core::Now& now);

    /// Passes over marked keys, `most` at most.
    [[nodiscard]] Work work(const core::Now& now, std::size_t most);
    /// When work() has something to do next although nothing happens.
    [[nodiscard]] std::optional<core::SteadyTime> next_wakeup() const;

    [[nodiscard]] bool observer_silent(const core::Now& now) const;
    [[nodiscard]] std::optional<core::SteadyTime> last_heard() const;
    [[nodiscard]] ReconcilerCounts counts(const core::Now& now) const;
    /// The counters alone.
    [[nodiscard]] const ReconcilerCounts& totals() const;
    [[nodiscard]] std::vector<MapStatus> statuses() const;
    /// As they are stored.
    [[nodiscard]] std::vector<std::shared_ptr<const routing::TrafficMap>> maps() const;
    /// Seconds of passes, and from a changed reading to the written map.
    [[nodiscard]] const telemetry::Histogram& write_seconds() const;

    /// Of a frozen map: the weights in force and why. Problem: there is no such service, or it is
    /// not routed.
    [[nodiscard]] core::Result<routing::Explanation> explain(const core::ServiceKey& key,
                                                             const core::Now& now) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
