// Files of the sources that tests read: worked examples, documents, manifests.
#pragma once

#include <string>
#include <string_view>

namespace ome::test {

/// Absolute path of `path`, which begins at the root of the sources; empty: that root.
/// The one place that is compiled with a path of this checkout: everything else is the same for a
/// compiler cache wherever the sources stand.
[[nodiscard]] std::string source_file(std::string_view path = {});

}  // namespace ome::test
