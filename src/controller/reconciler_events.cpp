// What has changed in a map, for people who look at it.
#include "reconciler_state.hpp"
#include <ome/routing/map_changes.hpp>

namespace ome::controller {

// What is told is in the map: it has been written. The store may have told of the written map
// before it told the result, so what was there before is what the decision was made on.
void Reconciler::State::tell_changes(const Subject& subject,
                                     const routing::TrafficMap& stored,
                                     const core::Now& now) {
    static const routing::TrafficMapSpec nothing;
    const auto& decided_on = subject.written_over;
    const routing::TrafficMapSpec& before = decided_on == nullptr ? nothing : decided_on->spec;
    for (routing::MapChange& change : routing::map_changes(before, stored.spec)) {
        events.emplace_back(EventRecord{.key = subject.key,
                                        .service_uid = stored.status.source_uid,
                                        .warning = change.warning,
                                        .reason = std::string(change.reason),
                                        .message = std::move(change.message),
                                        .at = now.wall,
                                        .map_uid = stored.meta.uid});
    }
}

}  // namespace ome::controller
