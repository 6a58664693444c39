// What a ServerTls holds.
#pragma once

#include "tls.hpp"
#include <ome/net/server_tls.hpp>

namespace ome::net {

struct ServerTls::State {
    SslContextPtr context;
};

}  // namespace ome::net
