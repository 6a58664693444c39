// A comparison as a picture: one panel for each policy, all on the same axis of time.
#pragma once

#include "replay_comparison.hpp"

#include <string>

namespace ome::observer {

/// One SVG document that needs nothing else: no script, no font, no network. It is drawn for 900
/// pixels, follows the reader's choice of light or dark, and can be read without colours.
/// `recording`: its name, as people know it. The size is bounded however long the recording is.
[[nodiscard]] std::string draw_comparison(const ReplayComparison& comparison,
                                          const std::string& recording);

}  // namespace ome::observer
