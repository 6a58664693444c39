// Connects to the first of several addresses that answers: both families raced, a new attempt every
// 250 ms or as soon as one fails (RFC 8305).
#pragma once

#include "event_socket.hpp"
#include <ome/core/address_policy.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ome::net {

struct Dialled {
    std::unique_ptr<EventSocket> socket = {};  ///< connected
    std::string problem = {};  ///< why there is none; empty when the operation ended
    bool descriptor_shortage = false;
};

/// In the order in which to try them: families alternate, IPv6 first, at most eight.
[[nodiscard]] std::vector<core::IpAddress> order_for_dialling(
    const std::vector<core::IpAddress>& addresses);

/// `zone`: of an IPv6 address, a name or a number; absent: there is no such interface.
[[nodiscard]] std::optional<Endpoint> endpoint_of(const core::IpAddress& address,
                                                  const std::string& zone,
                                                  std::uint16_t port);

/// `to` must not be empty. `use`: where there is nothing to race.
Awaitable<Dialled> dial(SocketEvents& events,
                        std::vector<Endpoint> to,
                        Operation& operation,
                        EventSocket::Use use = EventSocket::Use::Several);

}  // namespace ome::net
