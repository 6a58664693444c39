// What the publisher sends to an API server, and what it keeps of the answers. Pure.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/kube/resource.hpp>
#include <ome/routing/published_object.hpp>

#include <boost/json/value.hpp>

#include <memory>
#include <string>

namespace ome::controller {

[[nodiscard]] const kube::Resource& resource_of(routing::ObjectKind kind);
/// Where the object is.
[[nodiscard]] std::string target_of(const routing::ObjectKey& key);

/// An object of this kind as a list, a watch or an answer has it, reduced to what is used of it.
[[nodiscard]] core::Result<std::shared_ptr<const routing::PublishedObject>> read_stored(
    routing::ObjectKind kind, const boost::json::value& document);

/// Whether the object is the one with this identity, in this version.
[[nodiscard]] bool is_current(const routing::ObjectMeta& stored,
                              const std::string& uid,
                              const std::string& resource_version);

/// Whether nothing keeps an object that is being deleted: it is gone with the answer that says so.
[[nodiscard]] bool is_over(const routing::ObjectMeta& meta);

/// A merge patch of a map that gives it the publisher's finalizer, or takes it away, on the
/// condition that the map is still `stored`. Other finalizers stay.
[[nodiscard]] std::string finalizer_patch(const routing::ObjectMeta& stored, bool held);

}  // namespace ome::controller
