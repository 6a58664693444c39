// Manifests as a folder holds them: in the namespace that their folder is called after, with what
// is laid over them, and with a hash that tells one spec from another.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/wire/inference_service_document.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

struct FolderManifest {
    std::size_t line = 0;                 ///< where it begins, from 1; zero when unknown
    std::optional<core::ServiceKey> key;  ///< valid, or absent
    core::Result<routing::InferenceService> service;
    std::uint64_t spec_hash = 0;  ///< of the whole `spec`, whatever the order of its members
    /// Of a service that can be used: what in the manifest itself nobody reads or can have meant,
    /// each with its line (problem_line.hpp).
    std::vector<core::Problem> warnings = {};
    std::size_t namespace_line = 0;  ///< of `metadata.namespace`; of what is around it without one
};

struct FolderManifests {
    std::vector<FolderManifest> services;
    std::vector<OtherDocument> others;  ///< each with the line of its `kind`, or of its beginning
    /// Not a single document, not even a list without items: blanks, comments, `---`, `null`.
    bool blank = false;
};

struct FolderOptions {
    std::string ns;  ///< of an object that names none
    /// What is merged over a service before it is read (RFC 7386); null: nothing.
    std::function<const boost::json::value*(const core::ServiceKey&)> patch;
};

/// As read_inference_services().
[[nodiscard]] core::Result<FolderManifests> read_folder_manifests(std::string_view text,
                                                                  const FolderOptions& options);

struct ManifestPatch {
    boost::json::value value;
    std::vector<core::Problem> warnings;  ///< as those of a manifest
};

/// A patch for the above: one object with `metadata.annotations` and `spec.routing` and nothing
/// else of these two; `apiVersion`, `kind` and the object's name may stand there. Its members have
/// the types that a manifest's have, so what is wrong with it is not found in the manifest later.
[[nodiscard]] core::Result<ManifestPatch> read_override(std::string_view text);

/// The same, without its warnings.
[[nodiscard]] core::Result<boost::json::value> read_manifest_patch(std::string_view text);

}  // namespace ome::wire
