// The `--services FILE`: the whole set of services, for use without a controller.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/policy.hpp>
#include <ome/core/problem.hpp>

#include <string>
#include <vector>

namespace ome::observer {

/// All declarations, or every problem found in one message, a line each. Unknown members are
/// logged.
[[nodiscard]] core::Result<std::vector<core::ServiceDeclaration>> read_services_file(
    const std::string& path, const core::ObserverLimits& limits);

}  // namespace ome::observer
