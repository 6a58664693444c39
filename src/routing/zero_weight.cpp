#include <ome/routing/zero_weight.hpp>

#include <array>

namespace ome::routing {

std::string_view to_string(ZeroWeight why) {
    constexpr std::array<std::string_view, 8> words{"Serving",
                                                    "Drained",
                                                    "NotReady",
                                                    "ReportsNothing",
                                                    "NotAdmitted",
                                                    "Gated",
                                                    "Withdrawn",
                                                    "Unexplained"};
    return words.at(static_cast<std::size_t>(why));
}

ZeroWeight zero_weight(const Entry& entry, bool withdrawn) {
    const EntryCapacity& capacity = entry.capacity;
    if (entry.weight > 0) {
        return ZeroWeight::Serving;
    }
    if (!entry.drain_refs.empty()) {
        return ZeroWeight::Drained;
    }
    if (capacity.ready <= 0 && !entry.healthy) {
        return ZeroWeight::NotReady;
    }
    if (capacity.allocated <= 0 && capacity.source == CapacitySource::Endpoint &&
        capacity.reported == 0) {
        return ZeroWeight::ReportsNothing;
    }
    if (capacity.allocated <= 0 && capacity.source == CapacitySource::ControlPlane) {
        return ZeroWeight::NotAdmitted;
    }
    if (entry.probe && entry.probe->gated && !entry.healthy) {
        return ZeroWeight::Gated;
    }
    return withdrawn ? ZeroWeight::Withdrawn : ZeroWeight::Unexplained;
}

}  // namespace ome::routing
