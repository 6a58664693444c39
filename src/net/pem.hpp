// PEM text -> certificates and keys.
#pragma once

#include "tls.hpp"

#include <openssl/x509.h>

#include <memory>
#include <string_view>
#include <vector>

namespace ome::net {

struct FreePem {
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_STORE* store) const { X509_STORE_free(store); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using CertificatePtr = std::unique_ptr<X509, FreePem>;
using StorePtr = std::unique_ptr<X509_STORE, FreePem>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreePem>;

/// In the order of the text, other blocks left out; none when there is none or one is broken.
[[nodiscard]] std::vector<CertificatePtr> parse_certificates(std::string_view pem);

/// Null: none, or an encrypted one, since nobody is asked for its password.
[[nodiscard]] KeyPtr parse_key(std::string_view pem);

/// Why `certificates` (the first is our own, the rest its chain) and `key` cannot introduce us;
/// empty when they now do.
[[nodiscard]] std::string introduce(SSL_CTX& context,
                                    const std::vector<CertificatePtr>& certificates,
                                    EVP_PKEY* key);

}  // namespace ome::net
