// Taking routes away: their weights first, then they themselves, and what they led to only when
// they are gone for certain.
#pragma once

#include <ome/routing/publication_step.hpp>

#include <vector>

namespace ome::routing {

/// The writes that set every weight of these routes to 0, into `step`. A problem: one of them is
/// somebody else's.
[[nodiscard]] std::optional<core::Problem> zero_weights(const std::vector<ObjectKey>& routes,
                                                        const core::ServiceKey& source,
                                                        const PublicationWorld& world,
                                                        PublicationStep& step);

/// The next writes or deletes, into `step`; none of either when all is gone. A problem: what it
/// waits for.
[[nodiscard]] std::optional<core::Problem> remove_routes(const std::vector<ObjectKey>& routes,
                                                         const core::ServiceKey& source,
                                                         const PublicationWorld& world,
                                                         PublicationStep& step);

/// Some of the kinds cannot be read, and what there is of them not be told.
[[nodiscard]] bool sees_too_little(const PublicationWorld& world);

/// The map itself proves that nothing of it is anywhere: it has claimed nothing, or has found
/// everything gone and said so (Withdrawn). Objects are made only after it says something else.
[[nodiscard]] bool says_nothing_is_left(const TrafficMap& map);

[[nodiscard]] ObjectDelete deletion_of(const PublishedObject& object);

/// Steps of a map that is being deleted.
[[nodiscard]] PublicationStep finalizing_step(const TrafficMap& map,
                                              const PublicationWorld& world,
                                              const PublicationMemory& memory,
                                              const core::Now& now);

}  // namespace ome::routing
