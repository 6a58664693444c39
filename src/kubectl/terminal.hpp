// The terminal of the process: standard input, output and error, and Ctrl-C.
#pragma once

#include "session.hpp"

#include <memory>

namespace ome::kubectl {

/// From now on Ctrl-C is noted instead of ending the process. One at a time.
[[nodiscard]] std::unique_ptr<Terminal> process_terminal();

}  // namespace ome::kubectl
