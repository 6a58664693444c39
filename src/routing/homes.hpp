// Which candidates may be homes, whatever their endpoints.
#pragma once

#include <ome/routing/inference_service.hpp>

#include <optional>

namespace ome::routing {

/// Admitted, and not given up by the plan.
[[nodiscard]] bool may_serve(const std::optional<PlacementPlan>& plan, const Candidate& candidate);

}  // namespace ome::routing
