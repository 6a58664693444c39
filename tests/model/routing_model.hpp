// The map that follows from a service, a second time: written from contract/trafficmap.md 2 to 8.1
// in the plainest way, with exact fractions, and sharing no code with src/routing.
#pragma once

#include <ome/routing/traffic_pass.hpp>

#include <boost/multiprecision/cpp_int.hpp>

#include <string>

namespace ome::model {

using Fraction = boost::multiprecision::cpp_rational;

/// The value of a quantity that is one; finer than 1n is rounded away from zero.
[[nodiscard]] Fraction value_of(const std::string& quantity);

/// Factors are left as they were written, and of the reason of a target that cannot be observed
/// there is only the contract's prefix.
[[nodiscard]] routing::Plan plan_of(const routing::InferenceService& service,
                                    const routing::RoutedService& routed,
                                    const routing::Observations& observations);

}  // namespace ome::model
