// Why a home has the weight it has: the steps from the admitted replicas to the final weight, as
// data and as text.
#pragma once

#include <ome/routing/traffic_pass.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ome::routing {

struct Step {
    std::string what;   ///< `admitted`, `ready`, `ceiling`, `factor`, `gate`, `preserved`,
                        ///< `reduced`, `capped`, `withdrawn`, `drain`
    std::string text;   ///< for people
    std::string value;  ///< what is left after the step; exact, so a text
};

struct HomeExplanation {
    std::string cluster;
    std::int32_t weight = 0;
    double share = 0;         ///< of the sum of the weights; 0 when that is 0
    std::vector<Step> steps;  ///< in the order in which they apply
    std::string text;         ///< one line: `worker-b 0: admitted 2, ready 2, ceiling 1 -> 1; ...`
};

struct Explanation {
    std::vector<HomeExplanation> homes;
    std::string routable;  ///< the condition's reason and message in one line
};

[[nodiscard]] Explanation explain(const InferenceService& service,
                                  const RoutedService& routed,
                                  const Observations& observations);

}  // namespace ome::routing
