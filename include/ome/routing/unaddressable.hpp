// Candidates that the placement has admitted and whose endpoint cannot be used. They break no rule
// of the service: without a host a candidate is no home, and a home whose endpoint is not a whole
// URL is not observed (contract/trafficmap.md 2). Nobody means either.
#pragma once

#include <ome/routing/inference_service.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ome::routing {

struct Unaddressable {
    std::size_t index = 0;  ///< of the candidate, as status.placement lists it
    std::string cluster;
    bool home = false;    ///< it has a weight all the same, and is neither polled nor probed
    std::string problem;  ///< names the value and the rule, as core::canonicalize() does
};

[[nodiscard]] bool operator==(const Unaddressable& a, const Unaddressable& b);

/// In the order of the candidates; none while the service is not Placed.
[[nodiscard]] std::vector<Unaddressable> unaddressable(const InferenceService& service);

/// `status.placement.candidates[2].endpoint`
[[nodiscard]] std::string field_of(const Unaddressable& one);

/// In one sentence, with the field and the effect.
[[nodiscard]] std::string sentence(const Unaddressable& one);

}  // namespace ome::routing
