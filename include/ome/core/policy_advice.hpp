// Settings that keep every rule and still do not do what they look like (contract/observer.md 16.1,
// items 5, 8 and 14). For people who check a file; nothing at run time depends on it.
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>

#include <string_view>
#include <vector>

namespace ome::core {

/// `block` is the path of the block (`routing.probe`). A block that is off gets no advice.
[[nodiscard]] std::vector<Problem> advice(const ProbeSettings& probe, std::string_view block);
[[nodiscard]] std::vector<Problem> advice(const CapacitySettings& capacity, std::string_view block);

}  // namespace ome::core
