// The annotation `ome.io/traffic-drain` (contract/trafficmap.md 7): read by wire/, applied here.
#pragma once

#include <ome/core/problem.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::routing {

inline constexpr std::string_view drain_annotation = "ome.io/traffic-drain";

struct Drain {
    std::string id;
    std::string cluster;
    std::string reason;

    friend bool operator==(const Drain&, const Drain&) = default;
};

/// By ID in byte order; absent annotation: none. The message is that of contract 7.2
/// without the prefix `parse ome.io/traffic-drain: `. Own reader: duplicates, order of the checks
/// and the first error are part of the contract.
[[nodiscard]] core::Result<std::vector<Drain>> parse_drains(
    const std::optional<std::string>& annotation);

}  // namespace ome::routing
