// Where the documents of a YAML text begin.
#pragma once

#include <ome/core/problem.hpp>

#include <optional>
#include <string_view>

namespace ome::wire {

/// Every document but the first must begin with `---` at the start of a line. yaml-cpp does not ask
/// for that: what follows a finished document (`"a", "b"`) is another document to it, which may
/// take in nothing, again and again, so that YAML::LoadAll never returns. Throws what yaml-cpp
/// throws.
[[nodiscard]] std::optional<core::Problem> text_after_a_document(std::string_view text);

}  // namespace ome::wire
