// The properties that targets share.
#pragma once

#include <string_view>

namespace ome::fuzz {

/// Planted where a password stands, to be looked for where none may be.
inline constexpr std::string_view secret = "S3cretW0rd";

/// Ends the process with the property's name when it does not hold: that is what a fuzzer takes for
/// a finding.
void require(bool holds, std::string_view property);

/// What people read: not empty, bounded, without control characters other than line ends.
void require_readable(std::string_view message);

void require_no_secret(std::string_view text);

}  // namespace ome::fuzz
