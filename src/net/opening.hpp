// From a target to a connection: lookup, address policy, connect, tunnel, TLS; all under one
// operation.
#pragma once

#include "client_state.hpp"
#include <ome/core/attempt.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ome::net {

struct Opened {
    std::shared_ptr<PooledConnection> connection = {};
    core::Fault fault = core::Fault::None;  ///< when there is none; not read if the operation ended
    std::string problem = {};
    bool descriptor_shortage = false;
    /// Of the peer's own certificate, where TLS has failed behind it; seconds since 1970.
    std::optional<std::int64_t> certificate_expiry = {};
};

/// `phases`: dns, connect and tls are filled in, as far as it gets.
Awaitable<Opened> open_connection(Client::State& state,
                                  const PreparedRequest& request,
                                  Operation& operation,
                                  core::Phases& phases);

}  // namespace ome::net
