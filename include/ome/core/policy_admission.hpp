// What an API server says of `spec.routing` when it is written (contract/observer.md 13.5): all
// rules that are broken, not the first. It lets through what only shows at run time
// (policy_rules.hpp).
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>

#include <vector>

namespace ome::core {

struct Admission {
    std::vector<Problem> rules;  ///< the CRD's own rules: the bare messages, probe before capacity
    std::vector<Problem>
        facets;  ///< the schema: ranges, patterns, enums, sizes, in the server's words

    [[nodiscard]] bool admitted() const { return rules.empty() && facets.empty(); }
};

[[nodiscard]] Admission admission(const ServiceRoutingSettings& routing);

}  // namespace ome::core
