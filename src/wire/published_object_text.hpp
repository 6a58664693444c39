// Specs of the publisher's objects as JSON.
#pragma once

#include <ome/routing/published_object.hpp>

#include <boost/json/object.hpp>

namespace ome::wire {

/// The members that hold what the object asks for: `spec`, or those of an EndpointSlice beside its
/// metadata. Without null values.
[[nodiscard]] boost::json::object spec_members(const routing::PublishedObject& object);

/// The same members of a document, with what an API server fills in put in or left out, so that two
/// documents that mean the same are equal.
[[nodiscard]] boost::json::object normal_spec_members(const boost::json::object& document,
                                                      const routing::ObjectKey& key);

}  // namespace ome::wire
