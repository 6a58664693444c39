#include <ome/core/text.hpp>
#include <ome/routing/unknown_phase.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace ome::routing {
namespace {

// contract/trafficmap.md 1.1
constexpr auto phases =
    std::to_array<std::string_view>({"Pending", "Admitting", "Racing", "Placed", "Failed"});
constexpr auto candidate_phases =
    std::to_array<std::string_view>({"Admitting", "Placed", "Admitted"});

bool is_slip(std::string_view phase, std::span<const std::string_view> known) {
    return !phase.empty() && std::find(known.begin(), known.end(), phase) == known.end();
}

}  // namespace

std::vector<UnknownPhase> unknown_phases(const InferenceService& service) {
    std::vector<UnknownPhase> found;
    if (!service.status) {
        return found;
    }
    if (is_slip(service.status->phase, phases)) {
        found.push_back(
            {"status.placement.phase",
             service.status->phase,
             fmt::format("is none of {}: no cluster gets traffic while it is not Placed",
                         fmt::join(phases, ", "))});
    }
    const std::vector<Candidate>& candidates = service.status->candidates;
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        if (is_slip(candidates[at].phase, candidate_phases)) {
            found.push_back(
                {fmt::format("status.placement.candidates[{}].phase", at),
                 candidates[at].phase,
                 fmt::format(
                     "is none of {}: the cluster {} gets no traffic while it is not Admitted",
                     fmt::join(candidate_phases, ", "),
                     core::go_quote(candidates[at].cluster))});
        }
    }
    return found;
}

std::string sentence(const UnknownPhase& one) {
    return fmt::format("{}: {} {}", one.field, core::go_quote(one.phase), one.effect);
}

}  // namespace ome::routing
