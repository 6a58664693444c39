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

}  // namespace ome::net
