#include "tls.hpp"

#include "error_text.hpp"
#include <ome/core/address_policy.hpp>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>

namespace ome::net {
namespace {

constexpr std::array<unsigned char, 9> alpn{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
// A handshake has about ten; then come one or two session tickets.
constexpr std::size_t most_messages = 64;
constexpr std::size_t most_message_bytes = std::size_t{256} * 1024;
constexpr int first_alert_reason = 1000;  // OpenSSL's numbers for alerts a peer sent

void settle(SSL_CTX& context) {
    SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
    SSL_CTX_set_options(&context,
                        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_mode(&context,
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                         SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(&context, 1);
    SSL_CTX_set_quiet_shutdown(&context, 1);
    SSL_CTX_set_alpn_protos(&context, alpn.data(), alpn.size());
}

// Whoever offers protocols must offer ours; nobody needs to offer any.
int choose_protocol(SSL*,
                    const unsigned char** chosen,
                    unsigned char* size,
                    const unsigned char* offered,
                    unsigned offered_size,
                    void*) {
    for (unsigned at = 0; at < offered_size; at += offered[at] + 1U) {
        const std::size_t here = std::min<std::size_t>(alpn.size(), offered_size - at);
        if (here == alpn.size() && std::equal(alpn.begin(), alpn.end(), offered + at)) {
            *chosen = offered + at + 1;
            *size = offered[at];
            return SSL_TLSEXT_ERR_OK;
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

void settle_server(SSL_CTX& context) {
    SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
    SSL_CTX_set_options(&context,
                        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION |
                            SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(&context,
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                         SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_alpn_select_cb(&context, choose_protocol, nullptr);
}

bool expect_host(SSL& ssl, const std::string& host) {
    X509_VERIFY_PARAM* param = SSL_get0_param(&ssl);
    X509_VERIFY_PARAM_set_hostflags(
        param, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (const auto address = core::parse_address(host)) {
        return X509_VERIFY_PARAM_set1_ip(param, address->bytes.data(), address->v6 ? 16 : 4) == 1;
    }
    std::string name = host;
    if (name.ends_with('.')) {  // an absolute name; certificates spell it without the dot
        name.pop_back();
    }
    // What SSL_set_tlsext_host_name() expands to, without its old-style cast.
    return SSL_ctrl(&ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) ==
               1 &&
           X509_VERIFY_PARAM_set1_host(param, name.c_str(), name.size()) == 1;
}

void free_certificate(void*, void* certificate, CRYPTO_EX_DATA*, int, long, void*) {
    X509_free(static_cast<X509*>(certificate));
}

// OpenSSL keeps a peer's certificate once it is trusted; here is one that was refused.
int refused_certificate_index() {
    static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, &free_certificate);
    return index;
}

// Asked about each finding of a verification; what it says stays as it is.
int note_refused_certificate(int accepted, X509_STORE_CTX* chain) {
    auto* const ssl =
        static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
    X509* const own = X509_STORE_CTX_get0_cert(chain);
    const int index = refused_certificate_index();
    if (accepted == 0 && ssl != nullptr && own != nullptr &&
        SSL_get_ex_data(ssl, index) == nullptr && X509_up_ref(own) == 1 &&
        SSL_set_ex_data(ssl, index, own) != 1) {
        X509_free(own);
    }
    return accepted;
}

const X509* presented_certificate(const SSL& ssl) {
    const X509* const trusted = SSL_get0_peer_certificate(&ssl);
    return trusted != nullptr
               ? trusted
               : static_cast<const X509*>(SSL_get_ex_data(&ssl, refused_certificate_index()));
}

std::string certificate_problem(long verdict, const std::string& host) {
    switch (verdict) {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return "certificate has expired";
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return "certificate is not valid yet";
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return fmt::format("certificate is not valid for {}", printable(host));
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return "certificate is self-signed and not trusted";
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return "certificate is signed by an unknown authority";
        default:
            return fmt::format("certificate cannot be verified: {}",
                               X509_verify_cert_error_string(verdict));
    }
}

// OpenSSL's `sslv3 alert handshake failure` tells which version named the alert first, and looks as
// if it were the one in use.
std::string_view alert_name(std::string_view text) {
    constexpr std::string_view alert = "alert ";
    if (text.starts_with("sslv") || text.starts_with("tlsv")) {
        text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
    }
    return text.starts_with(alert) ? text.substr(alert.size()) : text;
}

std::string protocol_problem(const SSL& ssl, unsigned long code, const std::string& host) {
    const int reason = ERR_GET_REASON(code);
    const char* text = ERR_reason_error_string(code);
    switch (reason) {
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            return certificate_problem(SSL_get_verify_result(&ssl), host);
        case SSL_R_WRONG_VERSION_NUMBER:
        case SSL_R_HTTP_REQUEST:
        case SSL_R_PACKET_LENGTH_TOO_LONG:
            return "peer does not speak TLS on this port";
        case SSL_R_UNSUPPORTED_PROTOCOL:
        case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
            return "peer does not speak TLS 1.2 or later";
        default:
            break;
    }
    const char* known = text == nullptr ? "unknown error" : text;
    return reason >= first_alert_reason
               ? fmt::format("peer refused with a TLS alert: {}", alert_name(known))
               : std::string(known);
}

}  // namespace

void TlsTalk::listen_to(SSL& ssl) {
    SSL_set_msg_callback(&ssl, on_message);
    // What SSL_set_msg_callback_arg() expands to, without its old-style cast.
    SSL_ctrl(&ssl, SSL_CTRL_SET_MSG_CALLBACK_ARG, 0, this);
}

// Alerts of ours are answers to what was refused, a renegotiation, of which we hear nothing else.
void TlsTalk::on_message(
    int ours, int, int type, const void*, std::size_t size, SSL* ssl, void* self) {
    auto& talk = *static_cast<TlsTalk*>(self);
    if (type != SSL3_RT_ALERT && (type != SSL3_RT_HANDSHAKE || ours != 0)) {
        return;
    }
    talk.bytes_ += size;
    if (++talk.messages_ > most_messages || talk.bytes_ > most_message_bytes) {
        talk.endless_ = true;
        SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN);  // as if it had left
    }
}

SslContextPtr client_context() {
    ERR_clear_error();
    SslContextPtr context(SSL_CTX_new(TLS_client_method()));
    if (context != nullptr) {
        settle(*context);
    }
    return context;
}

SslContextPtr server_context() {
    ERR_clear_error();
    SslContextPtr context(SSL_CTX_new(TLS_server_method()));
    if (context != nullptr) {
        settle_server(*context);
    }
    return context;
}

std::string openssl_words() {
    const unsigned long code = ERR_get_error();
    const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
    ERR_clear_error();
    return text == nullptr ? "unknown error" : text;
}

SslPtr open_tls(SSL_CTX& trust, int socket, const std::string& host) {
    return open_tls(trust, BioPtr(BIO_new_socket(socket, BIO_NOCLOSE)), host);
}

SslPtr open_tls(SSL_CTX& trust, BioPtr transport, const std::string& host) {
    ERR_clear_error();
    SslPtr ssl(SSL_new(&trust));
    if (ssl == nullptr || transport == nullptr || !expect_host(*ssl, host)) {
        return nullptr;
    }
    BIO* const both_ways = transport.release();
    SSL_set_bio(ssl.get(), both_ways, both_ways);
    SSL_set_verify(ssl.get(), SSL_get_verify_mode(ssl.get()), note_refused_certificate);
    SSL_set_connect_state(ssl.get());
    return ssl;
}

bool is_truncation(int ssl_error, int error_number) {
    if (ssl_error == SSL_ERROR_SYSCALL) {
        return error_number == 0;
    }
    return ssl_error == SSL_ERROR_SSL &&
           ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}

std::string tls_problem(const SSL& ssl, int ssl_error, int error_number, const std::string& host) {
    const bool handshake = SSL_is_init_finished(&ssl) == 0;
    const std::string when = handshake ? " during the TLS handshake" : "";
    std::string text;
    if (ssl_error == SSL_ERROR_ZERO_RETURN || is_truncation(ssl_error, error_number)) {
        text = "connection closed by peer" + when;
    } else if (ssl_error == SSL_ERROR_SYSCALL) {
        text = words({error_number, boost::system::system_category()}) + when;
    } else {
        text = "TLS: " + protocol_problem(ssl, ERR_peek_error(), host);
    }
    ERR_clear_error();
    return text;
}

std::optional<std::int64_t> certificate_expiry(const SSL& ssl) {
    const X509* const certificate = presented_certificate(ssl);
    std::tm when{};
    if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &when) != 1) {
        return std::nullopt;
    }
    return timegm(&when);
}

}  // namespace ome::net
