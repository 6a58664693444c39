// The facets of the CRD's schema for `spec.routing`, in the words of an API server.
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>

#include <vector>

namespace ome::core {

void append_facets(const ProbeSettings& probe, std::vector<Problem>& found);
void append_facets(const CapacitySettings& capacity, std::vector<Problem>& found);
void append_facets(const Options& publisher_options, std::vector<Problem>& found);
void append_factor_facets(const Options& capacity_factors, std::vector<Problem>& found);

}  // namespace ome::core
