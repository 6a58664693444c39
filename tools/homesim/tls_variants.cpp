#include "tls_variants.hpp"

#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <vector>

namespace ome::homesim {
namespace {

constexpr long day = 86'400;
constexpr const char* home_names = "DNS:localhost,DNS:*.home.test,IP:127.0.0.1,IP:::1";

template <auto Free>
struct FreeWith {
    template <typename T>
    void operator()(T* object) const {
        Free(object);
    }
};
using Key = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreeWith<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>>;
using Memory = std::unique_ptr<BIO, FreeWith<BIO_free>>;

struct Identity {
    Key key;
    Certificate certificate;
};

struct Wanted {
    const char* common_name;
    const char* names;  ///< null: an authority
    long from = -day;   ///< seconds from now
    long until = 365 * day;
};

bool add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
    X509V3_CTX context{};
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
    return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool fill(const Identity& made, const Wanted& wanted, long serial, X509* issuer) {
    X509* certificate = made.certificate.get();
    X509_NAME* name = X509_get_subject_name(certificate);
    const auto* bytes = reinterpret_cast<const unsigned char*>(wanted.common_name);
    const bool named = X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, bytes, -1, -1, 0) == 1;
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), wanted.from);
    X509_gmtime_adj(X509_getm_notAfter(certificate), wanted.until);
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
    X509_set_pubkey(certificate, made.key.get());
    const char* constraint = wanted.names == nullptr ? "critical,CA:TRUE" : "critical,CA:FALSE";
    return named && add_extension(certificate, issuer, NID_basic_constraints, constraint) &&
           (wanted.names == nullptr ||
            add_extension(certificate, issuer, NID_subject_alt_name, wanted.names));
}

/// `issuer` null: signed by itself. Without a certificate: OpenSSL refused.
Identity make_identity(const Wanted& wanted, long serial, const Identity* issuer) {
    Identity made{Key(EVP_EC_gen("P-256")), Certificate(X509_new())};
    if (made.key == nullptr || made.certificate == nullptr) {
        return {};
    }
    const Identity& signer = issuer == nullptr ? made : *issuer;
    const bool good = fill(made, wanted, serial, signer.certificate.get()) &&
                      X509_sign(made.certificate.get(), signer.key.get(), EVP_sha256()) > 0;
    return good ? std::move(made) : Identity();
}

TlsContext context_of(const Identity& identity) {
    TlsContext context(SSL_CTX_new(TLS_server_method()));
    if (context == nullptr || identity.certificate == nullptr ||
        SSL_CTX_use_certificate(context.get(), identity.certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(context.get(), identity.key.get()) != 1) {
        return nullptr;
    }
    SSL_CTX_set_mode(context.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                         SSL_MODE_RELEASE_BUFFERS);
    return context;
}

Wanted wanted_of(Tls tls) {
    switch (tls) {
        case Tls::Expired:
            return {"home.test", home_names, -10 * day, -day};
        case Tls::NotYetValid:
            return {"home.test", home_names, day, 10 * day};
        case Tls::WrongName:
            return {"elsewhere.test", "DNS:elsewhere.test"};
        default:
            return {"home.test", home_names};
    }
}

std::string pem_of(X509* certificate) {
    const Memory memory(BIO_new(BIO_s_mem()));
    char* text = nullptr;
    if (memory == nullptr || PEM_write_bio_X509(memory.get(), certificate) != 1) {
        return {};
    }
    const long size = BIO_get_mem_data(memory.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

core::Problem refused() {
    return {fmt::format("OpenSSL makes no certificate: {}",
                        ERR_reason_error_string(ERR_peek_last_error()) == nullptr
                            ? "unknown reason"
                            : ERR_reason_error_string(ERR_peek_last_error())),
            "tls-port"};
}

}  // namespace

std::string explain_tls_variants() {
    std::string text = "\nPorts with TLS, from --tls-port on:\n\n";
    for (std::size_t i = 0; i < tls_variants.size(); ++i) {
        text += fmt::format("  +{}  {:<14} {}\n", i, tls_variants[i].name, tls_variants[i].meaning);
    }
    return text;
}

core::Result<TlsContexts> make_tls_contexts() {
    const Identity authority = make_identity({"homesim authority", nullptr}, 1, nullptr);
    if (authority.certificate == nullptr) {
        return refused();
    }
    TlsContexts made;
    made.authority = pem_of(authority.certificate.get());
    for (std::size_t i = 0; i < tls_variants.size(); ++i) {
        const Tls tls = tls_variants[i].tls;
        if (tls == Tls::Stalled || tls == Tls::Reset) {
            continue;
        }
        const Identity* issuer = tls == Tls::SelfSigned ? nullptr : &authority;
        made.contexts[i] =
            context_of(make_identity(wanted_of(tls), static_cast<long>(i) + 2, issuer));
        if (made.contexts[i] == nullptr) {
            return refused();
        }
    }
    return core::Result<TlsContexts>(boost::system::in_place_value, std::move(made));
}

}  // namespace ome::homesim
