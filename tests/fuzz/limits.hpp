// The observer's limits as an operator sets them, for documents that are held to them.
#pragma once

#include <ome/core/policy.hpp>

namespace ome::fuzz {

inline core::ObserverLimits limits() {
    core::ObserverLimits limits;
    limits.max_concurrent_reconciles = 8;
    limits.max_concurrent_requests = 16;
    limits.max_response_bytes = 65536;
    limits.min_period = std::chrono::seconds(5);
    limits.max_samples = 16;
    return limits;
}

}  // namespace ome::fuzz
