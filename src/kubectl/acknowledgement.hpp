// What a map's status says of its publication, as one word (contract/publisher-cli.md 2.2,
// "Publisher"; design.md D18).
#pragma once

#include "freshness.hpp"

#include <string>
#include <string_view>

namespace ome::kubectl {

struct Acknowledgement {
    /// `NoAcknowledgement`, `Invalid`, `ReportedTrue`, `ReportedFalse`, `Unknown`
    std::string state = "NoAcknowledgement";
    Freshness freshness = Freshness::Unverifiable;
    std::string_view reason = "NoObservationGeneration";
};

[[nodiscard]] Acknowledgement acknowledgement_of(const json::value& map,
                                                 const ConditionView& published);

}  // namespace ome::kubectl
