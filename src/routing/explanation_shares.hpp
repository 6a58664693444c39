// What both kinds of explanation have in common.
#pragma once

#include <ome/routing/explanation.hpp>

#include <vector>

namespace ome::routing {

/// From the weights.
void set_shares(std::vector<HomeExplanation>& homes);

}  // namespace ome::routing
