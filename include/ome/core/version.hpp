// What `--version` says.
#pragma once

#include <string>
#include <string_view>

namespace ome::core {

/// `ome-observer 0.1.0 (commit 1d098b02d7e0)`; without a commit the version alone.
[[nodiscard]] std::string version_text(std::string_view program, std::string_view commit);

/// From which the programs were built, `-dirty` behind it where there were changes that no commit
/// has; empty where nobody knows. In a library of its own that only the programs link, so that
/// a new commit compiles one small file and nothing else.
[[nodiscard]] std::string_view built_commit();

}  // namespace ome::core
