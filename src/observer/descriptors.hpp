// How the file descriptors of this process are shared out, so that a low limit costs kept-alive
// connections first and the local API and the attempts last.
#pragma once

#include <cstddef>

namespace ome::observer {

struct DescriptorWishes {
    std::size_t requests = 0;  ///< maxConcurrentRequests; each may race two connections
    std::size_t api_connections = 0;
    std::size_t idle_connections = 0;
};

struct DescriptorShares {
    std::size_t api_connections = 0;   ///< at least 4
    std::size_t idle_connections = 0;  ///< all reactors together; may be none
};

/// Below this nothing can be built: each event loop needs three, and the API a connection.
[[nodiscard]] std::size_t fewest_descriptors(std::size_t reactors);

/// `limit`: RLIMIT_NOFILE. What the process itself needs (reactors, log, resolver) comes off first.
[[nodiscard]] DescriptorShares share_descriptors(std::size_t limit, const DescriptorWishes& wishes);

}  // namespace ome::observer
