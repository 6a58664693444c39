// Listening sockets.
#pragma once

#include <ome/core/problem.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ome::homesim {

/// Nonblocking; `port` 0 picks a free one. The caller closes it.
[[nodiscard]] core::Result<int> listen_on(const std::string& address, std::uint16_t port);

[[nodiscard]] std::uint16_t port_of(int listener);

/// The soft limit of descriptors becomes the hard one.
void raise_descriptor_limit();

}  // namespace ome::homesim
