// Drains and capacity factors of clusters that are no candidates of the placement. They break no
// rule, since a drain may wait for its cluster (contract/trafficmap.md 7.3), and are a slip of the
// pen most of the time.
#pragma once

#include <ome/routing/drains.hpp>
#include <ome/routing/inference_service.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ome::routing {

struct Unplaced {
    enum class Kind : std::uint8_t { Drain, Factor };
    Kind kind = Kind::Drain;
    std::string id;  ///< of the drain; of a factor the cluster
    std::string cluster;

    friend bool operator==(const Unplaced&, const Unplaced&) = default;
};

/// Factors by cluster, then drains by ID. None while there are no candidates: nobody knows then.
[[nodiscard]] std::vector<Unplaced> unplaced(const InferenceService& service,
                                             const std::vector<Drain>& drains);

/// In one sentence, with the candidates that there are (ten of them at most) and the effect.
[[nodiscard]] std::string sentence(const Unplaced& one, const InferenceService& service);

}  // namespace ome::routing
