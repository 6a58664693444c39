// Manifests of InferenceServices, as an API server, kubectl or a person writes them. What is read
// of them is the list of contract/trafficmap.md 1.1; everything else is somebody else's and
// ignored.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>
#include <ome/routing/inference_service.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

/// An object is 1 MiB at most (an API server takes no larger one), a text with several 256 MiB.
inline constexpr std::size_t largest_manifest = std::size_t{1} << 20;
inline constexpr std::size_t largest_manifests = std::size_t{256} << 20;

struct InferenceServiceDocument {
    std::size_t index = 0;                ///< in the text, from 0; items of lists count one by one
    std::size_t line = 0;                 ///< where it begins, from 1; zero when unknown
    std::optional<core::ServiceKey> key;  ///< valid, or absent; without a namespace: `default`

    /// The message names every member that cannot be read, a line each, at most ten; `field` is the
    /// first's path within the object.
    core::Result<routing::InferenceService> service;

    /// Of a service that can be used: what nobody reads or can have meant, each with its line where
    /// known.
    std::vector<core::Problem> warnings = {};
};

/// An object of another kind: nothing wrong with it, and none of our business.
struct OtherDocument {
    std::size_t index = 0;
    std::size_t line = 0;
    std::string kind;  ///< as it says, empty when it says nothing; with `apiVersion` before a slash
                       ///< where the kind is ours and the version is not
};

struct InferenceServiceDocuments {
    std::vector<InferenceServiceDocument> services;
    std::vector<OtherDocument> others;
};

/// JSON or YAML, one object, several YAML documents, or a `List` or `InferenceServiceList` of them.
/// A service that cannot be read is a problem of its own; the result fails only when the text as a
/// whole cannot be read. Null counts as absent. Values are read, not checked: what they mean is for
/// routing/.
/// `default_namespace`: of an object that names none; empty: `default`.
[[nodiscard]] core::Result<InferenceServiceDocuments> read_inference_services(
    std::string_view text, std::string_view default_namespace = {});

/// One object, already parsed; for callers that have more around it. `kind` is not looked at, and
/// the name may be missing.
[[nodiscard]] core::Result<routing::InferenceService> read_inference_service(
    const boost::json::value& object);

}  // namespace ome::wire
