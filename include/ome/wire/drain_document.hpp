// The annotations about drains as they are written (contract/publisher-cli.md 2.3); the drains
// themselves are read by routing::parse_drains().
#pragma once

#include <ome/core/problem.hpp>
#include <ome/routing/drain_expiry.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ome::wire {

/// Compact, IDs in byte order, `cluster` before `reason`, `<`, `>` and `&` as escapes.
[[nodiscard]] std::string drains_text(std::vector<routing::Drain> drains);

/// The same with `until`, in whole seconds.
[[nodiscard]] std::string drain_expiries_text(std::vector<routing::DrainExpiry> expiries);

/// By ID; absent annotation: none. Strict, as the drains are: a text that is not wholly understood
/// ends no drain.
[[nodiscard]] core::Result<std::vector<routing::DrainExpiry>> read_drain_expiries(
    const std::optional<std::string>& annotation);

}  // namespace ome::wire
