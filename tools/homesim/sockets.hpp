// Listening sockets.
#pragma once

#include <ome/core/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ome::homesim {

/// Nonblocking; `port` 0 picks a free one. The caller closes it.
[[nodiscard]] core::Result<int> listen_on(const std::string& address, std::uint16_t port);

/// On every address of 127.0.0.0/8 and no other.
[[nodiscard]] core::Result<int> listen_on_loopback(std::uint16_t port);

/// A listener whose queue is full, and what fills it: a connection to it never opens.
[[nodiscard]] core::Result<std::vector<int>> open_full_port(const std::string& address,
                                                            std::uint16_t port);

/// Which of the addresses of 127.0.0.0/8 from 127.1.0.1 on a connection came to; absent for others.
[[nodiscard]] std::optional<std::size_t> address_index(int fd);
[[nodiscard]] std::string indexed_address(std::size_t index);

[[nodiscard]] std::uint16_t port_of(int listener);

/// The soft limit of descriptors becomes the hard one.
void raise_descriptor_limit();

}  // namespace ome::homesim
