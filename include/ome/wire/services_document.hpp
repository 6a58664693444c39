// The content of `--services FILE`: declarations without a controller.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/policy.hpp>
#include <ome/core/problem.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace ome::wire {

struct DeclaredService {
    std::size_t index = 0;  ///< in the file, from 0
    std::size_t line = 0;   ///< where it begins, from 1; zero when unknown
    core::Result<core::ServiceDeclaration> declaration;
    std::vector<core::Problem> warnings;
};

/// A list of declarations, an object `{"services": [...]}`, one declaration, or several YAML
/// documents of these; JSON or YAML. Each may name its `namespace` and `name` (otherwise
/// `default`/`default`; two of one name: the second is a problem) and its `ownerUID`. The services'
/// problems are their own; the result fails only when the text as a whole cannot be read.
[[nodiscard]] core::Result<std::vector<DeclaredService>> read_services(
    std::string_view text, const core::ObserverLimits& limits);

}  // namespace ome::wire
