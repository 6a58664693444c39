// Where the objects of the plugin are at an API server.
#pragma once

#include "cluster.hpp"

#include <string>

namespace ome::kubectl {

/// The path of all objects of a type; `ns` empty: of all namespaces.
[[nodiscard]] std::string collection_of(Kind kind, const std::string& ns);
[[nodiscard]] std::string path_of(Kind kind, const core::ServiceKey& key);

/// Path and query of one page.
[[nodiscard]] std::string page_target(const ListRequest& request);

/// Path and query of a patch.
[[nodiscard]] std::string patch_target(const PatchRequest& request);

/// An item of a list as a GET would give it: with apiVersion and kind.
void complete(Kind kind, json::value& item);

}  // namespace ome::kubectl
