// What a command does whose output could not be written.
#pragma once

#include "session.hpp"

#include <string_view>

namespace ome::kubectl {

/// The exit code after an out() that failed, which is told. A reader that has left (`| head`) has
/// what it wanted: 0, without a word.
int output_failed(Session& session, std::string_view message = "write output failed");

}  // namespace ome::kubectl
