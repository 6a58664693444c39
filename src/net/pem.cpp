#include "pem.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <limits>

namespace ome::net {
namespace {

BioPtr over(std::string_view bytes) {
    if (bytes.size() > std::numeric_limits<int>::max()) {
        return nullptr;
    }
    return BioPtr(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

// Without one OpenSSL would ask at the terminal, and wait.
int no_password(char*, int, int, void*) {
    return -1;
}

bool at_end() {
    const unsigned long code = ERR_peek_last_error();
    return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

}  // namespace

std::vector<CertificatePtr> parse_certificates(std::string_view pem) {
    ERR_clear_error();
    std::vector<CertificatePtr> found;
    const BioPtr bio = over(pem);
    while (bio != nullptr) {
        CertificatePtr next(PEM_read_bio_X509_AUX(bio.get(), nullptr, no_password, nullptr));
        if (next == nullptr) {
            break;
        }
        found.push_back(std::move(next));
    }
    if (!at_end()) {
        found.clear();
    }
    ERR_clear_error();
    return found;
}

KeyPtr parse_key(std::string_view pem) {
    const BioPtr bio = over(pem);
    KeyPtr key;
    if (bio != nullptr) {
        key.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
    }
    ERR_clear_error();
    return key;
}

std::string introduce(SSL_CTX& context,
                      const std::vector<CertificatePtr>& certificates,
                      EVP_PKEY* key) {
    ERR_clear_error();
    if (certificates.empty() ||
        SSL_CTX_use_certificate(&context, certificates.front().get()) != 1) {
        return openssl_words();
    }
    for (std::size_t index = 1; index < certificates.size(); ++index) {
        // What SSL_CTX_add1_chain_cert() expands to, without its old-style cast.
        if (SSL_CTX_ctrl(&context, SSL_CTRL_CHAIN_CERT, 1, certificates[index].get()) != 1) {
            return openssl_words();
        }
    }
    if (SSL_CTX_use_PrivateKey(&context, key) != 1 || SSL_CTX_check_private_key(&context) != 1) {
        return openssl_words();
    }
    return {};
}

}  // namespace ome::net
