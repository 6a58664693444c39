#include "system_roots.hpp"
#include "trust_state.hpp"
#include <ome/net/small_file.hpp>

#include <fmt/format.h>

#include <optional>

namespace ome::net {
namespace {

std::optional<core::Problem> add_ca_file(X509_STORE& store, const std::string& path) {
    const core::Result<SmallFile> file = read_small_file(path);
    if (!file) {
        return core::Problem{"ca-file: " + file.error().message, "ca-file"};
    }
    const std::vector<CertificatePtr> certificates = parse_certificates(file->bytes);
    if (certificates.empty()) {
        return core::Problem{fmt::format("ca-file: \"{}\" must hold certificates in PEM", path),
                             "ca-file"};
    }
    for (const CertificatePtr& certificate : certificates) {
        X509_STORE_add_cert(&store, certificate.get());
    }
    return std::nullopt;
}

std::optional<core::Problem> trust_authorities(X509_STORE& store, const std::string& pem) {
    if (pem.empty()) {
        add_system_roots(store);
        return std::nullopt;
    }
    const std::vector<CertificatePtr> certificates = parse_certificates(pem);
    for (const CertificatePtr& certificate : certificates) {
        X509_STORE_add_cert(&store, certificate.get());
    }
    return certificates.empty()
               ? std::optional(core::Problem{"certificate-authority must hold certificates in PEM",
                                             "certificate-authority"})
               : std::nullopt;
}

std::optional<core::Problem> introduce_us(SSL_CTX& context, const TrustMaterial& material) {
    if (material.certificate.empty() && material.key.empty()) {
        return std::nullopt;
    }
    const std::vector<CertificatePtr> certificates = parse_certificates(material.certificate);
    if (certificates.empty()) {
        return core::Problem{"client-certificate must hold certificates in PEM",
                             "client-certificate"};
    }
    const KeyPtr key = parse_key(material.key);
    if (key == nullptr) {
        return core::Problem{"client-key must hold an unencrypted private key in PEM",
                             "client-key"};
    }
    const std::string refused = introduce(context, certificates, key.get());
    return refused.empty()
               ? std::nullopt
               : std::optional(core::Problem{
                     "client-certificate and client-key cannot be used together: " + refused,
                     "client-key"});
}

core::Problem no_memory() {
    return {"TLS cannot start: no memory", "ca-file"};
}

}  // namespace

// Whoever names an authority trusts it, whether it has signed itself or not.
StorePtr new_store() {
    StorePtr store(X509_STORE_new());
    if (store != nullptr) {
        X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
    }
    return store;
}

core::Result<StorePtr> load_store(const std::vector<std::string>& ca_files) {
    StorePtr store = new_store();
    if (store == nullptr) {
        return no_memory();
    }
    add_system_roots(*store);
    for (const std::string& file : ca_files) {
        if (const auto problem = add_ca_file(*store, file)) {
            return *problem;
        }
    }
    return core::Result<StorePtr>(boost::system::in_place_value, std::move(store));
}

SslContextPtr context_trusting(X509_STORE& store) {
    SslContextPtr context = client_context();
    if (context != nullptr) {
        SSL_CTX_set1_cert_store(context.get(), &store);
    }
    return context;
}

Meeting meeting(const Trust* trust, const std::string& cluster) {
    if (trust == nullptr) {
        return {nullptr, "nobody is trusted"};
    }
    const auto own = trust->state().clusters.find(cluster);
    return own == trust->state().clusters.end()
               ? Meeting{trust->state().common.get()}
               : Meeting{own->second->context.get(), own->second->problem};
}

Trust::Trust(std::unique_ptr<const State> state) : state_(std::move(state)) {}

Trust::~Trust() = default;

core::Result<std::shared_ptr<const Trust>> Trust::load(const std::vector<std::string>& ca_files) {
    const core::Result<StorePtr> store = load_store(ca_files);
    if (!store) {
        return store.error();
    }
    auto state = std::make_unique<State>();
    state->common = context_trusting(**store);
    if (state->common == nullptr) {
        return no_memory();
    }
    return std::make_shared<const Trust>(std::move(state));
}

core::Result<std::shared_ptr<const Trust>> Trust::of(const TrustMaterial& material) {
    const StorePtr store = new_store();
    auto state = std::make_unique<State>();
    if (store != nullptr) {
        state->common = context_trusting(*store);
    }
    if (state->common == nullptr) {
        return no_memory();
    }
    if (!material.verify) {
        SSL_CTX_set_verify(state->common.get(), SSL_VERIFY_NONE, nullptr);
    } else if (auto problem = trust_authorities(*store, material.authorities)) {
        return *std::move(problem);
    }
    if (auto problem = introduce_us(*state->common, material)) {
        return *std::move(problem);
    }
    return std::make_shared<const Trust>(std::move(state));
}

}  // namespace ome::net
