// The reason why a home has no ceiling, as a stable code (contract/publisher-cli.md 2, "Fallback
// codes"): texts change with the network error in them, codes do not.
#pragma once

#include <string_view>

namespace ome::routing {

/// `NotRecorded`, `NoReport`, `Unreachable`, ...; `MalformedPayload` for a text that must not be
/// shown at all. An entry without `capacity` counts as an empty reason.
[[nodiscard]] std::string_view fallback_code(std::string_view reason);

}  // namespace ome::routing
