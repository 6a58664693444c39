// One key of the controller: what is known of a service, its map and its homes, and where it stands
// in the queue.
#pragma once

#include "observed.hpp"
#include "store.hpp"
#include <ome/routing/unaddressable.hpp>
#include <ome/routing/unplaced.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ome::controller {

/// Exponential, as controllers of Kubernetes wait: 5 ms, doubled up to 1000 s.
[[nodiscard]] core::Duration backoff_after(std::uint32_t failures);

/// What is written to the map only now and then: the first instant after `now` on the map's own
/// grid.
[[nodiscard]] core::SteadyTime next_slot(const core::ServiceKey& key,
                                         core::Duration interval,
                                         core::SteadyTime now);

struct Subject {
    explicit Subject(core::ServiceKey of) : key(std::move(of)) {}

    core::ServiceKey key;

    std::shared_ptr<const routing::InferenceService> service;
    bool absent = false;  ///< the service is not there, authoritatively
    std::shared_ptr<const routing::TrafficMap> map;
    std::optional<core::Problem> map_unreadable;

    // The observer's side.
    std::optional<core::ServiceDeclaration> wanted;
    std::optional<core::ServiceDeclaration> sent;   ///< to the current instance
    std::optional<core::ServiceDeclaration> about;  ///< what the readings are about
    std::uint64_t ticket = 0;                       ///< of the last one sent
    std::uint64_t floor = 0;  ///< revision of its answer: older readings are of another one
    bool listed = false;      ///< by the current instance
    bool answered = false;    ///< since the start, about this owner
    std::optional<core::Problem> refused;
    bool refusal_seen = false;  ///< by a pass: the next one tries again
    Readings readings;

    // The queue.
    bool queued = false;
    core::SteadyTime queued_at{};
    bool writing = false;
    bool marked_while_writing = false;
    std::optional<core::SteadyTime> timer;
    std::uint32_t conflicts = 0;
    std::uint32_t failures = 0;

    // What a write in flight will have done, and the last pass.
    std::shared_ptr<const routing::TrafficMap> written_over;  ///< on which it was decided
    bool creating = false;
    bool times_alone = false;
    std::optional<core::SteadyTime> times_due;      ///< when stamps alone may be written (D15)
    std::optional<core::SteadyTime> reading_since;  ///< the oldest reading that is in no map yet
    std::string frozen;                             ///< why; empty: it is not
    std::vector<routing::Unplaced> unplaced_told;   ///< so that it is told once
    std::string shadow_told;                        ///< likewise
    std::vector<routing::Unaddressable> unaddressable_told;             ///< likewise
    std::shared_ptr<const routing::InferenceService> unaddressable_of;  ///< whose they are
    std::optional<std::int64_t> fallback_homes;   ///< the metric; absent: there is no series
    bool polled = false;                          ///< polling is on for the service
    std::string expiry_problem;                   ///< why no drain lapses; empty: they do
    std::optional<core::SteadyTime> lapse_tried;  ///< a lapse whose news have not come yet
    std::vector<routing::Drain> lapsing;          ///< what it takes off
    std::shared_ptr<const routing::InferenceService> lapsing_of;  ///< decided on
};

}  // namespace ome::controller
