// What the parts of the publisher share: the tracks, one for each map, and their queue.
#pragma once

#include "publisher.hpp"
#include <ome/routing/publication_reservations.hpp>
#include <ome/routing/publication_step.hpp>
#include <ome/routing/publication_world.hpp>

#include <deque>
#include <set>
#include <utility>

namespace ome::controller {

/// The publication of one map.
struct Track {
    explicit Track(core::ServiceKey of) : key(std::move(of)) {}

    core::ServiceKey key;

    // The queue.
    bool queued = false;
    bool again = false;  ///< something happened while a step was being carried out
    std::size_t in_flight = 0;
    std::optional<core::SteadyTime> timer;

    // What the steps remember.
    routing::PublicationMemory memory;
    core::SteadyTime retry_at{};         ///< of memory.failure
    std::int64_t failed_generation = 0;  ///< of the map, then
    std::uint32_t failures = 0;
    std::uint32_t conflicts = 0;
    routing::Publication failing = routing::Publication::ApplyFailed;
    std::map<routing::ObjectKey, std::string> doing;  ///< `update`, by what is in flight

    std::optional<core::SteadyTime> stale_since;  ///< the map is not that of its service
    std::string stale_why;                        ///< in which way

    // Of a map that is gone.
    std::vector<std::string> claims;  ///< of it, as it was last seen; it has not taken them back
    std::optional<core::SteadyTime> mapless_since;
    bool removal_told = false;

    // What people have been told.
    std::string told;
    std::string objection_told;
    std::int64_t contested = 0;  ///< the generation for which it was told

    std::string objection;  ///< of the gateway, at the moment
    std::optional<core::SteadyTime> objecting_since;

    // Addresses of the homes.
    std::map<std::string, std::string> asked;  ///< hosts by cluster
    bool asking = false;
    bool answered = false;
    bool unresolved = false;
    core::SteadyTime ask_at{};
};

struct Publisher::State {
    State(routing::PublicationSettings chosen, WhyFrozen asked)
        : settings(std::move(chosen)), why_frozen(std::move(asked)) {}

    // Queue (publisher.cpp).
    Track& track(const core::ServiceKey& key);
    [[nodiscard]] Track* find(const core::ServiceKey& key);
    void mark(const core::ServiceKey& key);
    void mark(Track& track);
    void mark_waiting();
    void wake_at(Track& track, core::SteadyTime at);
    void cancel_timer(Track& track);
    void take_due(core::SteadyTime now);
    void forget(Track& track);
    void release(const Track& track);

    // News (publisher.cpp).
    void hear_map(const core::ServiceKey& key, std::shared_ptr<const routing::TrafficMap> map);
    void hear_service(std::shared_ptr<const routing::InferenceService> service);
    void hear_object(const news::ObjectIs& told);
    void hear_object_gone(const routing::ObjectKey& key);
    void hear_addresses(const news::AddressesAre& told);
    void take_result(Track& track, const PublicationResult& result);
    void fail(Track& track, const PublicationResult& result, const core::Now& now);

    // Passes (publisher_pass.cpp).
    void pass(Track& track, const core::Now& now, Work& out);
    [[nodiscard]] bool has_addresses(Track& track,
                                     const routing::TrafficMap& map,
                                     const core::Now& now,
                                     Work& out);
    [[nodiscard]] bool is_being_renewed(Track& track,
                                        const routing::PublicationStep& step,
                                        core::SteadyTime now);
    void submit(Track& track,
                const std::shared_ptr<const routing::TrafficMap>& map,
                routing::PublicationStep step,
                const core::Now& now,
                Work& out);
    void settle(Track& track, routing::PublicationStep step, const core::Now& now);
    void speak(Track& track,
               const routing::TrafficMap& map,
               const routing::PublicationStep& step,
               const core::Now& now,
               Work& out);
    [[nodiscard]] bool has_nothing_to_publish(const routing::TrafficMap& map) const;
    [[nodiscard]] std::string reason_behind(const core::ServiceKey& key,
                                            const routing::Verdict& verdict) const;
    void look_at_gateway(Track& track, const core::Now& now, Work& out);

    // Maps that are gone (publisher_leftovers.cpp).
    void take_leftovers(Track& track, const core::Now& now, Work& out);
    [[nodiscard]] bool may_take_away(const Track& track) const;
    [[nodiscard]] std::string why_not_made_again(const core::ServiceKey& key) const;
    void take_away(Track& track, const std::string& why, const core::Now& now, Work& out);

    void tell(const Track& track,
              Notice::Level level,
              std::string event,
              std::string reason,
              const std::string& message,
              const core::Now& now,
              Work& out) const;

    routing::PublicationSettings settings;
    WhyFrozen why_frozen;
    routing::PublicationWorld world;
    std::map<core::ServiceKey, Track> tracks;
    std::deque<Track*> queue;
    std::set<std::pair<core::SteadyTime, core::ServiceKey>> timers;
    std::set<core::ServiceKey> waiting;          ///< for what another map, route or service does
    std::set<core::ServiceKey> unreadable_maps;  ///< they are there
    routing::PublicationReservations reservations;
    std::set<core::ServiceKey> behind;  ///< their steps want what a step of another map takes
    bool listed = false;
    std::size_t writing = 0;
    PublisherCounts totals;
};

}  // namespace ome::controller
