// What a Fleet is made of. fleet_declare.cpp changes what is observed, fleet_tracks.cpp starts and
// ends histories, fleet_attempts.cpp runs attempts, fleet_extra.cpp adds those that somebody asks
// for, fleet_readings.cpp shows and announces what they gave.
#pragma once

#include "deadline_heap.hpp"
#include "policy_shelf.hpp"
#include <ome/core/capacity_window.hpp>
#include <ome/core/fleet.hpp>
#include <ome/core/probe_gate.hpp>
#include <ome/core/schedule.hpp>
#include <ome/core/waiting_line.hpp>

#include <boost/container/deque.hpp>
#include <boost/container/static_vector.hpp>

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace ome::core {

constexpr Slot no_slot = 0xffffffff;

/// One home of a service as declared, and where its histories are.
struct Home {
    std::string cluster;
    std::string endpoint;        ///< verbatim
    std::string detail;          ///< the canonical form if that differs, or why there is none
    bool usable = false;         ///< there is a canonical form
    bool times_changed = false;  ///< its times or samples are newer than announced
    Slot poll = no_slot;
    Slot probe = no_slot;

    /// Of a usable endpoint.
    [[nodiscard]] std::string_view canonical() const {
        return detail.empty() ? std::string_view(endpoint) : std::string_view(detail);
    }
};

struct Service {
    const ServiceKey* key = nullptr;  ///< of the map that owns this
    WaitingLine::Service index = 0;
    std::string owner_uid;
    bool suspended = false;
    std::shared_ptr<const CapacityPolicy> capacity;  ///< null: polling is off
    std::shared_ptr<const ProbePolicy> probe;        ///< null: probing is off
    std::shared_ptr<const RequestPlan> poll_plan;    ///< while there is the policy
    std::shared_ptr<const RequestPlan> probe_plan;
    std::vector<Home> homes;

    std::size_t times_changed = 0;       ///< homes marked so
    std::size_t refreshed = 0;           ///< homes already looked at in the refresh in progress
    SteadyTime refresh_at;               ///< times alone are announced no earlier
    std::optional<SteadyTime> extra_at;  ///< attempts that were asked for started last
};

/// One identity: a (home, kind) with its history, rhythm and the attempt in flight.
struct Track {
    enum class Stage : std::uint8_t {
        Free,
        Live,
        Leaving,  ///< the identity is gone, its attempt has not come back
    };

    std::variant<std::monostate, CapacityWindow, ProbeGate> history;
    Schedule schedule = Schedule::steady({}, Duration(1));
    Schedule taken = schedule;             ///< as it was when the attempt in flight was taken
    std::uint64_t token = 0;               ///< of the attempt in flight; 0: none
    std::optional<WallTime> last_attempt;  ///< of a poll; a gate has its own
    WaitingLine::Service service = 0;
    std::uint32_t home = 0;  ///< place in the service's homes
    Stage stage = Stage::Free;
    std::uint8_t stalls = 0;     ///< in a row
    bool discard = false;        ///< the attempt in flight is of before a suspension
    bool excused = false;        ///< the next attempt is late for a reason that is not the budget
    bool extra = false;          ///< the one waiting or in flight was asked for, and is not due
    bool counted_gated = false;  ///< what FleetCounts holds of it
    bool counted_fallback = false;
    bool counted_refused = false;
    bool refused = false;  ///< the last attempt, by the address policy
    bool joins = false;    ///< the policy's path to the endpoint: there is a request to send
    AttemptHistory past;
};

/// What the answers of a track told of the home besides, as last seen.
struct Facts {
    static constexpr std::int32_t no_skew = std::numeric_limits<std::int32_t>::min();

    std::int64_t certificate_expiry = 0;  ///< seconds since 1970; 0: unknown
    std::int32_t clock_skew = no_skew;    ///< seconds
};

/// Before and after of what is logged and announced.
struct Standing {
    std::optional<std::int32_t> ceiling;
    bool gated = false;
};

/// Effects, or-ed.
[[nodiscard]] std::uint8_t effects_of(const Standing& before, const Standing& after);

/// Whose histories survive a declaration, as far as owner and policy decide it.
struct Kept {
    bool polls = false;
    bool probes = false;
};

/// The slots in use by a home, for a range-for.
[[nodiscard]] inline boost::container::static_vector<Slot, 2> slots_of(const Home& home) {
    boost::container::static_vector<Slot, 2> slots;
    for (const Slot slot : {home.poll, home.probe}) {
        if (slot != no_slot) {
            slots.push_back(slot);
        }
    }
    return slots;
}

struct Fleet::State {
    explicit State(Duration smallest_period) : min_period(smallest_period) {}

    // fleet_declare.cpp
    Dropped declare(const ServiceDeclaration& declaration, const Now& now);
    Dropped forget(const ServiceKey& key);
    Service& find_or_create(const ServiceKey& key);
    void adopt(Service& service,
               const ServiceDeclaration& wanted,
               const Now& now,
               Dropped& dropped);
    std::vector<Home> install(Service& service, const ServiceDeclaration& wanted);
    void suspend(Service& service, Dropped& dropped);
    void resume(Service& service, const Now& now);
    void adopt_home(
        Service& service, const HomeDeclaration& wanted, Home* before, Kept kept, const Now& now);
    void release_home(const Home& home, Dropped& dropped);

    // fleet_tracks.cpp
    Slot move_track(Slot& from, std::uint32_t home);
    Slot start_poll(Service& service, std::uint32_t place, const Now& now);
    Slot start_probe(Service& service,
                     std::uint32_t place,
                     const std::optional<RestoredProbe>& saved,
                     const Now& now);
    template <typename Policy>
    void begin(
        Slot slot, Kind kind, const Policy& policy, std::optional<SteadyTime> due, const Now& now);
    Slot new_slot(const Service& service, std::uint32_t home);
    void release(Slot slot, Dropped& dropped);
    void free_released(const Dropped& dropped);

    // fleet_attempts.cpp
    void gather(const Now& now);
    void follow_wall_clock(const Now& now);
    void fall_due(Slot slot, const Now& now);
    std::optional<Attempt> take(const Now& now);
    bool finish(const Attempt& attempt, AttemptOutcome outcome, const Now& now);
    bool abandon(Track& track, AttemptOutcome& outcome, bool extra);
    void note_facts(Slot slot, const AttemptOutcome& outcome);
    void conclude(Slot slot, const AttemptOutcome& outcome, const Now& now);
    void conclude_poll(Slot slot, const AttemptOutcome& outcome, const Now& now);
    void conclude_probe(Slot slot, const AttemptOutcome& outcome, const Now& now);
    void expire(Slot slot, const Now& now);
    void settle(Track& one, bool changed, const Standing& before, const Now& now);
    void arm_attempt(Slot slot);
    void arm_expiry(Slot slot, const Now& now);
    void recount(Track& track);
    std::optional<SteadyTime> next_wakeup() const;

    // fleet_extra.cpp
    ExtraAttempts request_attempts(Service& service, const Now& now);
    void request_attempt(const Home& home, Slot slot, Kind kind, ExtraAttempts& answer);
    std::string_view why_not_now(Slot slot) const;
    std::vector<HomeHistory> history(const Service& service, const HistoryPart& part) const;

    // fleet_readings.cpp
    HomeReading read_home(const Service& service, const Home& home, const Now& now) const;
    std::optional<CapacityReading> read_capacity(const Service& service,
                                                 const Home& home,
                                                 const Now& now) const;
    std::optional<ProbeReading> read_probe(const Service& service,
                                           const Home& home,
                                           const Now& now) const;
    std::optional<WallTime> next_attempt_time(const Service& service,
                                              const Track& track,
                                              const Now& now) const;
    ServiceReading read_service(Service& service,
                                const std::vector<std::string>* clusters,
                                const Now& now);
    void read_facts(const Home& home, HomeReading& reading) const;
    FleetExtremes extremes() const;
    Standing standing(const Home& home) const;
    void announce(Service& service, Home& home, const Standing& before, const Now& now);
    [[nodiscard]] bool is_well(const Home& home) const;
    void note_times(Service& service, Home& home);
    void refresh_times(const Now& now);
    std::size_t refresh_service(Service& service, std::size_t at_most, const Now& now);

    Track& track(Slot slot) { return tracks[slot]; }
    const Track& track(Slot slot) const { return tracks[slot]; }
    Service& service_of(const Track& one) const { return *by_index[one.service]; }
    Home& home_of(const Track& one) const { return service_of(one).homes[one.home]; }
    const Home* home_of(const Attempt& attempt) const;  ///< null: its identity is gone

    Duration min_period;

    PolicyShelf<CapacityPolicy> capacity_policies;
    PolicyShelf<ProbePolicy> probe_policies;
    std::map<ServiceKey, Service> services;
    std::vector<Service*> by_index;
    std::vector<WaitingLine::Service> free_indexes;

    // By slot; addresses are stable. In blocks: one by one they took 40 bytes a home more.
    boost::container::
        deque<Track, void, boost::container::deque_options_t<boost::container::block_size<64>>>
            tracks;
    std::vector<Facts> facts;  // by slot; dense, since a scrape looks at all
    std::vector<Slot> free_slots;

    DeadlineHeap deadlines;  // attempts and expiries of windows, see attempt_key and expiry_key
    DeadlineHeap refreshes;  // announcements of times, by service
    WaitingLine line;

    std::vector<Change> changes;
    bool times_wanted = true;
    FleetCounts totals;
    std::uint64_t last_token = 0;
    std::optional<Duration> clock_distance;  // wall - steady when every window was last looked at
};

/// Two deadlines a slot: the next attempt, and the expiry that changes its window.
constexpr DeadlineHeap::Key attempt_key(Slot slot) {
    return slot * 2;
}
constexpr DeadlineHeap::Key expiry_key(Slot slot) {
    return slot * 2 + 1;
}

/// The error of the URL, or where the request goes.
[[nodiscard]] Result<RequestTarget> target_of(const Service& service, const Home& home, Kind kind);

}  // namespace ome::core
