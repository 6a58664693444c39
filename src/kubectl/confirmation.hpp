// The question before something is written (contract/publisher-cli.md 2.3, "Sequence").
#pragma once

#include "session.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ome::kubectl {

/// Asks and waits for `most`. Absent: the answer is yes; else the error's text.
[[nodiscard]] std::optional<std::string> not_confirmed(Terminal& terminal,
                                                       std::string_view question,
                                                       core::Duration most);

}  // namespace ome::kubectl
