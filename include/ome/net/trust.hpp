// Who is trusted at the other end of TLS, and how we introduce ourselves there: a value that never
// changes, so that all reactors share one, and what replaces it is loaded beside them.
#pragma once

#include <ome/core/problem.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ome::net {

/// What a Trust is made of when it comes from a configuration, all of it PEM text.
struct TrustMaterial {
    std::string authorities;  ///< nobody else is trusted; empty: the system's roots
    std::string
        certificate;     ///< our own, its chain behind it; empty: we do not introduce ourselves
    std::string key;     ///< of the certificate. A secret
    bool verify = true;  ///< false: anybody is believed to be the other end
};

class Trust {
public:
    struct State;  ///< of src/net alone

    /// The system's roots (SSL_CERT_FILE and SSL_CERT_DIR apply) and what is in `ca_files`. Reads
    /// files: never on a reactor. Problem: the file that cannot be used, named.
    [[nodiscard]] static core::Result<std::shared_ptr<const Trust>> load(
        const std::vector<std::string>& ca_files);

    /// Problem: the field that cannot be used (`certificate-authority`, `client-certificate`,
    /// `client-key`) and the rule, never its content.
    [[nodiscard]] static core::Result<std::shared_ptr<const Trust>> of(
        const TrustMaterial& material);

    explicit Trust(std::unique_ptr<const State> state);
    ~Trust();
    [[nodiscard]] const State& state() const { return *state_; }

private:
    std::unique_ptr<const State> state_;
};

}  // namespace ome::net
