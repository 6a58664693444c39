// What the fetches of one client share.
#pragma once

#include "idle_pool.hpp"
#include "resolver.hpp"
#include "trust_state.hpp"
#include <ome/core/address_policy.hpp>
#include <ome/net/client.hpp>

#include <memory>

namespace ome::net {

struct Client::State {
    State(asio::io_context& context, const ClientSettings& given, IdleLimits limits)
        : io(context), events(context), settings(given), pool(context, limits), quiet(context) {}

    asio::io_context& io;
    SocketEvents events;
    ClientSettings settings;
    core::AddressPolicy policy;
    std::unique_ptr<Resolver> resolver;
    IdlePool pool;
    ClientStats stats;
    Timer quiet;  // never expires; cancelled when the last fetch is gone
    bool stopping = false;
};

}  // namespace ome::net
