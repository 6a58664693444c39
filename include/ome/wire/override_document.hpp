// The file `overrides/<namespace>/<name>.yaml` as a tool changes it: annotations of a service whose
// manifest nobody but its owner writes.
#pragma once

#include <ome/core/problem.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

struct AnnotationChange {
    std::string name;
    std::optional<std::string> value;  ///< absent: taken away
    /// The manifest below has it, so taking it away needs a `null` in the override.
    bool in_manifest = false;
};

/// The text of the override after the changes; whatever else it holds stays. Empty: nothing is left
/// to override, and the file is to be deleted. `text` empty: there is no override yet. Problem: the
/// override that is there cannot be used, and must not be lost.
[[nodiscard]] core::Result<std::string> with_annotations(
    std::string_view text, const std::vector<AnnotationChange>& changes);

}  // namespace ome::wire
