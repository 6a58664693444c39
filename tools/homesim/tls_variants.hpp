// Ports that speak TLS, each wrong in its own way, and the certificates for them, made at start so
// that no key lies in a repository.
#pragma once

#include <ome/core/problem.hpp>

#include <openssl/ssl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ome::homesim {

enum class Tls : std::uint8_t {
    Good,
    Expired,
    NotYetValid,
    WrongName,
    SelfSigned,
    Stalled,  ///< no handshake
    Reset,    ///< RST as soon as the client has begun one
};

struct TlsVariant {
    Tls tls;
    std::string_view name;
    std::string_view meaning;
};

/// In the order of their ports.
inline constexpr std::array<TlsVariant, 7> tls_variants{{
    {Tls::Good, "good", "a certificate of the authority in --ca-file, for 127.0.0.1 and localhost"},
    {Tls::Expired, "expired", "such a certificate, a day after its end"},
    {Tls::NotYetValid, "not-yet-valid", "such a certificate, a day before its begin"},
    {Tls::WrongName, "wrong-name", "such a certificate, for elsewhere.test"},
    {Tls::SelfSigned, "self-signed", "a certificate that no authority signed"},
    {Tls::Stalled, "stalled", "the connection opens, the handshake is never answered"},
    {Tls::Reset, "reset", "RST when the handshake begins"},
}};

[[nodiscard]] std::string explain_tls_variants();

struct FreeContext {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeContext>;

/// A context for each variant by its place in the list; of Stalled and Reset there is none.
struct TlsContexts {
    std::array<TlsContext, tls_variants.size()> contexts;
    std::string authority;  ///< PEM
};
[[nodiscard]] core::Result<TlsContexts> make_tls_contexts();

}  // namespace ome::homesim
