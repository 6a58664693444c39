#include <ome/routing/slips.hpp>

#include <array>
#include <utility>

namespace ome::routing {
namespace {

// How the messages of a pass begin (contract/trafficmap.md 9.1), and what they are about.
constexpr auto parts = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"validate placement intent: ", "spec.placement"},
     {"validate routing policy: ", "spec.routing"},
     {"resolve probe policy: ", "spec.routing"},
     {"resolve capacity policy: ", "spec.routing"}});

}  // namespace

std::string with_slips(const core::Problem& problem,
                       const InferenceService& service,
                       std::string_view part) {
    std::string text = problem.message;
    for (const core::Problem& slip : service.slips) {
        if (std::string_view(slip.field).starts_with(part)) {
            text += "; " + slip.message;
        }
    }
    return text;
}

std::string with_slips(const core::Problem& problem, const InferenceService& service) {
    for (const auto& [beginning, part] : parts) {
        if (problem.message.starts_with(beginning)) {
            return with_slips(problem, service, part);
        }
    }
    return problem.message;
}

}  // namespace ome::routing
