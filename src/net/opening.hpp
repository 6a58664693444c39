// From a target to a connection: lookup, address policy, connect, tunnel, TLS; all under one
// operation.
#pragma once

#include "client_state.hpp"
#include <ome/core/attempt.hpp>

#include <memory>
#include <string>

namespace ome::net {

struct Opened {
    std::shared_ptr<PooledConnection> connection = {};
    core::Fault fault = core::Fault::None;  ///< when there is none; not read if the operation ended
    std::string problem = {};
    bool descriptor_shortage = false;
};

/// `phases`: dns, connect and tls are filled in, as far as it gets.
Awaitable<Opened> open_connection(Client::State& state,
                                  const PreparedRequest& request,
                                  Operation& operation,
                                  core::Phases& phases);

}  // namespace ome::net
