// From what is to be and what is to the writes that are due (contract/publisher-cli.md 1.7).
#pragma once

#include <ome/routing/publication_step.hpp>

namespace ome::routing {

struct Applying {
    const TrafficMap& map;
    const PublicationPlan& plan;
    const DesiredObjects& desired;
    const PublicationWorld& world;
    const PublicationMemory& memory;
    core::SteadyTime now;
};

/// Into `step`: the first group of writes or deletes that has something to do. What was changed by
/// others too often of late is held back.
void apply_objects(const Applying& applying, PublicationStep& step);

/// Whether the plan is the one that was applied last, and the map says so: then the writes above
/// change nothing that was told.
[[nodiscard]] bool is_told(const Applying& applying);

/// A first route whose homes have not one address is not worth writing.
[[nodiscard]] bool leads_anywhere(const DesiredObjects& desired,
                                  const PublicationPlan& plan,
                                  const PublicationWorld& world);

[[nodiscard]] AppliedPlan applied_as(const PublicationPlan& plan, const DesiredObjects& desired);

}  // namespace ome::routing
