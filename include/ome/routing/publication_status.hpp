// What the publisher says in a map's status: the table of contract/publisher-cli.md 1.9 and the
// fields of 1.10.
#pragma once

#include <ome/routing/publication_plan.hpp>
#include <ome/routing/traffic_map.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::routing {

/// Where the publication of a map stands; the rows of the table.
enum class Publication : std::uint8_t {
    Transitioning,
    Published,
    Withdrawn,
    Unpublished,  ///< the source is being deleted or has opted out
    InvalidOwner,
    InvalidOptions,
    InvalidPlan,
    LegacyLifecycleActive,
    ClaimRejected,
    DrainFailed,
    ApplyFailed,
    PublisherChanged,
    Finalizing,
    Removed,  ///< finalized: nothing of ours is left
};

/// The reason of `Published`.
[[nodiscard]] std::string_view reason_of(Publication what);

/// It did not come about as the map says it should: the reason is in the log.
[[nodiscard]] bool is_failure(Publication what);
/// The line of the log about such a failure.
[[nodiscard]] std::string_view failure_line(Publication what);

/// What of the status is the publisher's. Everything else is never touched.
struct PublicationStatus {
    bool published = false;
    std::int64_t observed_generation = 0;
    std::optional<GatewayRef> gateway_ref = {};
    std::optional<PublisherState> publisher = {};
    std::vector<Condition> conditions;  ///< Published, PublicationFallback

    friend bool operator==(const PublicationStatus&, const PublicationStatus&) = default;
};

/// The status that follows from where the publication of `map` stands. `plan`: for Transitioning,
/// Published and Withdrawn; its claim joins those that are there already, and none ever leaves
/// while the map lives.
[[nodiscard]] PublicationStatus publication_status(const TrafficMap& map,
                                                   Publication what,
                                                   const PublicationPlan* plan,
                                                   core::WallTime now);

/// Whether the map says something else.
[[nodiscard]] bool differs(const TrafficMap& map, const PublicationStatus& wanted);

void apply(TrafficMapStatus& status, const PublicationStatus& wanted);

/// The condition, or null.
[[nodiscard]] const Condition* find_condition(const TrafficMapStatus& status,
                                              std::string_view type);

/// The digest of a publisher's options (contract 1.8); the built-in one has none.
[[nodiscard]] std::string options_digest(std::string_view publisher);

/// The claims of the map and that of the route, sorted.
[[nodiscard]] std::vector<std::string> claim_union(const TrafficMap& map, const ObjectKey& route);

}  // namespace ome::routing
