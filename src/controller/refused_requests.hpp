// The results of requests that a store does not carry out at all.
#pragma once

#include "store.hpp"

#include <optional>
#include <vector>

namespace ome::controller {

/// Of a request of the publisher that changes something; absent: it is another.
[[nodiscard]] std::optional<PublicationResult> refused_publication(const StoreRequest& request,
                                                                   const core::Problem& why);

/// Of a write or a delete of a map; absent: it is another request.
[[nodiscard]] std::optional<StoreResult> refused_write(const StoreRequest& request,
                                                       const core::Problem& why);

}  // namespace ome::controller
