// The authorities that this machine trusts, as OpenSSL finds them (SSL_CERT_FILE and SSL_CERT_DIR
// apply), but all read at once: OpenSSL itself would read a folder's files during handshakes, and
// nothing may block a reactor.
#pragma once

#include "pem.hpp"

namespace ome::net {

/// Returns how many were added; a machine without roots is none of our fault.
std::size_t add_system_roots(X509_STORE& store);

}  // namespace ome::net
