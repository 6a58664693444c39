// Phases of a placement that there are not: nothing follows from one, like from a phase that is not
// reached yet, and so a slip of the pen takes all traffic away without an error
// (contract/trafficmap.md 1.1).
#pragma once

#include <ome/routing/inference_service.hpp>

#include <string>
#include <vector>

namespace ome::routing {

struct UnknownPhase {
    std::string field;   ///< `status.placement.candidates[2].phase`
    std::string phase;   ///< as it stands there; foreign text
    std::string effect;  ///< what it is none of, and what follows; names the cluster
};

/// That of the placement first, then those of the candidates in their order. An empty phase is one
/// that is not there yet and no slip.
[[nodiscard]] std::vector<UnknownPhase> unknown_phases(const InferenceService& service);

/// In one sentence, with the field, the value and the effect.
[[nodiscard]] std::string sentence(const UnknownPhase& one);

}  // namespace ome::routing
