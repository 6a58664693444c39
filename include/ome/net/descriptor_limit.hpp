// How many descriptors this process may have.
#pragma once

#include <cstddef>

namespace ome::net {

/// Raises the soft limit to the hard one and returns it: nothing here uses select(), and a soft
/// limit is often 1,024 while homes, services and clients are thousands.
[[nodiscard]] std::size_t raise_descriptor_limit();

}  // namespace ome::net
