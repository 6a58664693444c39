// What the annotations of an InferenceService say that nobody reads, or that can hardly be meant.
// The rest of one that an API server has is of its type, or of a newer one.
#pragma once

#include <ome/core/problem.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace ome::wire {

/// `object`: as an API server has it. At most ten, each with its field.
[[nodiscard]] std::vector<core::Problem> service_remarks(const boost::json::value& object);

}  // namespace ome::wire
