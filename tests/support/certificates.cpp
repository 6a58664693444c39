#include "support/certificates.hpp"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace ome::test {
namespace {

[[noreturn]] void give_up(const char* what) {
    std::fprintf(stderr, "certificates: %s failed\n", what);
    std::abort();
}

void require(bool ok, const char* what) {
    if (!ok) {
        give_up(what);
    }
}

std::shared_ptr<EVP_PKEY> make_key() {
    std::shared_ptr<EVP_PKEY> key(EVP_EC_gen("P-256"), FreeOpenSsl());
    require(key != nullptr, "key");
    return key;
}

void add_extension(X509& certificate, X509& issuer, int nid, const std::string& value) {
    X509V3_CTX context{};
    X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    require(extension != nullptr && X509_add_ext(&certificate, extension, -1) == 1, "extension");
    X509_EXTENSION_free(extension);
}

void set_name(X509_NAME* name, const std::string& common_name) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(common_name.c_str());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, bytes, -1, -1, 0);
}

struct Request {
    std::string common_name;
    std::string names;
    long valid_from = -3600;
    long valid_until = 86400;
    bool authority = false;
};

/// `issuer` null: signed by itself.
Identity make(const Request& request, const Identity* issuer) {
    static std::atomic<long> serial{1};
    Identity made{make_key(), std::shared_ptr<X509>(X509_new(), FreeOpenSsl())};
    X509& certificate = *made.certificate;
    X509_set_version(&certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(&certificate), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(&certificate), request.valid_from);
    X509_gmtime_adj(X509_getm_notAfter(&certificate), request.valid_until);
    set_name(X509_get_subject_name(&certificate), request.common_name);
    X509& signer = issuer == nullptr ? certificate : *issuer->certificate;
    X509_set_issuer_name(&certificate, X509_get_subject_name(&signer));
    X509_set_pubkey(&certificate, made.key.get());
    add_extension(certificate,
                  signer,
                  NID_basic_constraints,
                  request.authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
    if (!request.names.empty()) {
        add_extension(certificate, signer, NID_subject_alt_name, request.names);
    }
    EVP_PKEY* key = issuer == nullptr ? made.key.get() : issuer->key.get();
    require(X509_sign(&certificate, key, EVP_sha256()) > 0, "signature");
    return made;
}

std::shared_ptr<const std::string> write_file(X509& certificate) {
    std::string path = "/tmp/ome-test-ca-XXXXXX";
    const int descriptor = mkstemp(path.data());
    require(descriptor >= 0, "file");
    std::FILE* file = fdopen(descriptor, "w");
    PEM_write_X509(file, &certificate);
    std::fclose(file);
    return {new std::string(path), [](const std::string* name) {
                unlink(name->c_str());
                delete name;
            }};
}

Request leaf_request(const LeafOptions& options) {
    return {options.common_name, options.names, options.valid_from, options.valid_until, false};
}

}  // namespace

Authority::Authority(Identity identity)
    : identity_(std::move(identity)), file_(write_file(*identity_.certificate)) {}

Authority::Authority(const std::string& name)
    : Authority(make({.common_name = name, .names = "", .authority = true}, nullptr)) {}

Identity Authority::leaf(const LeafOptions& options) const {
    return make(leaf_request(options), &identity_);
}

Authority Authority::intermediate() const {
    return Authority(
        make({.common_name = "test intermediate", .names = "", .authority = true}, &identity_));
}

std::string Authority::file() const {
    return *file_;
}

Identity self_signed(const LeafOptions& options) {
    return make(leaf_request(options), nullptr);
}

std::shared_ptr<SSL_CTX> server_context(const Identity& identity,
                                        const std::vector<Identity>& chain) {
    std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), FreeOpenSsl());
    require(SSL_CTX_use_certificate(context.get(), identity.certificate.get()) == 1, "certificate");
    require(SSL_CTX_use_PrivateKey(context.get(), identity.key.get()) == 1, "key");
    for (const Identity& link : chain) {
        X509_up_ref(link.certificate.get());
        SSL_CTX_add_extra_chain_cert(context.get(), link.certificate.get());
    }
    return context;
}

namespace {

template <typename Write>
std::string pem_of(Write write) {
    BIO* bio = BIO_new(BIO_s_mem());
    require(bio != nullptr && write(bio) == 1, "PEM");
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(bio, &bytes);
    std::string text(bytes, static_cast<std::size_t>(size));
    BIO_free(bio);
    return text;
}

}  // namespace

std::string certificate_pem(const Identity& identity) {
    return pem_of([&](BIO* bio) { return PEM_write_bio_X509(bio, identity.certificate.get()); });
}

std::string key_pem(const Identity& identity) {
    return pem_of([&](BIO* bio) {
        return PEM_write_bio_PrivateKey(
            bio, identity.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
}

void demand_certificate(SSL_CTX& context, const Authority& authority) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(&context), authority.identity().certificate.get());
    SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

}  // namespace ome::test
