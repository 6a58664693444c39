// Lets OpenSSL use an EventSocket, which knows when a system call would give nothing.
#pragma once

#include "event_socket.hpp"
#include "tls.hpp"

namespace ome::net {

/// `socket` must outlive it, and stays the caller's to close. Null: out of memory.
[[nodiscard]] BioPtr bio_of(EventSocket& socket);

}  // namespace ome::net
