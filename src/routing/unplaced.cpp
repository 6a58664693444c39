#include <ome/core/text.hpp>
#include <ome/routing/unplaced.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::routing {
namespace {

constexpr std::size_t most_names = 10;

bool is_candidate(const PlacementStatus& placement, const std::string& cluster) {
    return std::any_of(placement.candidates.begin(),
                       placement.candidates.end(),
                       [&cluster](const Candidate& one) { return one.cluster == cluster; });
}

std::string candidate_names(const PlacementStatus& placement) {
    std::vector<std::string> names;
    const std::size_t count = std::min(placement.candidates.size(), most_names);
    for (std::size_t i = 0; i < count; ++i) {
        names.push_back(core::go_quote(placement.candidates[i].cluster));
    }
    const bool cut = count < placement.candidates.size();
    return fmt::format("{}{}", fmt::join(names, ", "), cut ? ", ..." : "");
}

}  // namespace

std::vector<Unplaced> unplaced(const InferenceService& service, const std::vector<Drain>& drains) {
    std::vector<Unplaced> found;
    if (!service.status || service.status->candidates.empty()) {
        return found;
    }
    if (service.routing) {
        for (const auto& [cluster, factor] : service.routing->capacity_factors) {
            if (!is_candidate(*service.status, cluster)) {
                found.push_back({Unplaced::Kind::Factor, cluster, cluster});
            }
        }
    }
    for (const Drain& drain : drains) {
        if (!is_candidate(*service.status, drain.cluster)) {
            found.push_back({Unplaced::Kind::Drain, drain.id, drain.cluster});
        }
    }
    return found;
}

std::string sentence(const Unplaced& one, const InferenceService& service) {
    const bool drain = one.kind == Unplaced::Kind::Drain;
    return fmt::format(
        "the {} is for {}, which is no candidate of status.placement (these are: {}): {}",
        drain ? fmt::format("drain {}", core::go_quote(one.id)) : "factor",
        core::go_quote(one.cluster),
        service.status ? candidate_names(*service.status) : "none",
        drain ? "it stays pending" : "it has no effect");
}

}  // namespace ome::routing
