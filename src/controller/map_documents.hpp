// Maps as JSON, for the API: the weights of all, and why those of one are what they are.
#pragma once

#include "reconciler.hpp"
#include <ome/routing/explanation.hpp>

#include <boost/json/object.hpp>

namespace ome::controller {

/// The weights of all maps.
[[nodiscard]] boost::json::object maps_document(const Reconciler& reconciler);

[[nodiscard]] boost::json::object explanation_document(const routing::Explanation& explanation);

}  // namespace ome::controller
