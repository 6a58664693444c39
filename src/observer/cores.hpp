// How many cores this process may use: a container on a large machine usually has a quota far below
// what the machine has.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace ome::observer {

/// cgroup v2 `cpu.max`: `max 100000` (no quota) or `150000 100000` (1.5 cores).
[[nodiscard]] std::optional<double> parse_cpu_max(std::string_view text);

/// cgroup v1 `cpu.cfs_quota_us` (-1: none) and `cpu.cfs_period_us`.
[[nodiscard]] std::optional<double> parse_cfs_quota(std::string_view quota,
                                                    std::string_view period);

/// A part of a core counts as one; at least 1, at most 16.
[[nodiscard]] std::size_t reactors_for(std::size_t affinity, const std::vector<double>& quotas);

/// Asks the kernel.
[[nodiscard]] std::size_t default_reactors();

}  // namespace ome::observer
