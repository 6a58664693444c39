// Drains that end by themselves. The drain annotation has no room for an expiry (its readers refuse
// unknown fields, contract/trafficmap.md 7.2), so it stands in an annotation of its own that OME
// ignores.
#pragma once

#include <ome/core/time.hpp>
#include <ome/routing/drains.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace ome::routing {

/// A JSON object: ID -> `{"cluster","reason","until"}`.
inline constexpr std::string_view drain_expiry_annotation = "ome.io/traffic-drain-expiry";

/// Of exactly this drain: an ID that was given anew to another cluster or for another reason does
/// not inherit it.
struct DrainExpiry {
    Drain drain;
    core::WallTime until;

    friend bool operator==(const DrainExpiry&, const DrainExpiry&) = default;
};

struct Lapse {
    std::vector<Drain> lapsed;
    std::vector<Drain> left;
    std::vector<DrainExpiry> expiries;        ///< of the drains that are left
    std::optional<core::WallTime> next = {};  ///< when the next one lapses
    bool changed = false;                     ///< one of the annotations is to be written anew
};

/// What is left of the drains at `now`. A drain without an expiry stays; an expiry without its
/// drain is dropped. At the instant of `until` the drain has lapsed.
[[nodiscard]] Lapse lapse(const std::vector<Drain>& drains,
                          const std::vector<DrainExpiry>& expiries,
                          core::WallTime now);

}  // namespace ome::routing
