// Certificates made at run time, so that no key lies in the repository and none expires in it.
#pragma once

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

namespace ome::test {

struct FreeOpenSsl {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* ssl) const { SSL_free(ssl); }
};

struct Identity {
    std::shared_ptr<EVP_PKEY> key;
    std::shared_ptr<X509> certificate;
};

struct LeafOptions {
    std::string names = "DNS:localhost,DNS:home.test,IP:127.0.0.1,IP:::1";  ///< empty: no SAN
    std::string common_name = "home.test";
    long valid_from = -3600;  ///< seconds from now
    long valid_until = 86400;
};

class Authority {
public:
    explicit Authority(const std::string& name = "test authority");

    [[nodiscard]] Identity leaf(const LeafOptions& options = {}) const;

    /// An authority below this one.
    [[nodiscard]] Authority intermediate() const;

    /// Its certificate in a file that lives as long as this object.
    [[nodiscard]] std::string file() const;
    [[nodiscard]] const Identity& identity() const { return identity_; }

private:
    explicit Authority(Identity identity);

    Identity identity_;
    std::shared_ptr<const std::string> file_;
};

/// As files hold them.
[[nodiscard]] std::string certificate_pem(const Identity& identity);
[[nodiscard]] std::string key_pem(const Identity& identity);

[[nodiscard]] Identity self_signed(const LeafOptions& options = {});

/// A server's context; `chain` is sent along.
[[nodiscard]] std::shared_ptr<SSL_CTX> server_context(const Identity& identity,
                                                      const std::vector<Identity>& chain = {});

/// From now on clients must show a certificate of `authority`.
void demand_certificate(SSL_CTX& context, const Authority& authority);

}  // namespace ome::test
