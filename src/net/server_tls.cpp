#include "pem.hpp"
#include "server_tls_state.hpp"
#include <ome/net/small_file.hpp>

#include <fmt/format.h>

namespace ome::net {
namespace {

core::Result<std::vector<CertificatePtr>> read_chain(const std::string& path) {
    const core::Result<SmallFile> file = read_small_file(path);
    if (!file) {
        return core::Problem{"tls-cert: " + file.error().message, "tls-cert"};
    }
    std::vector<CertificatePtr> chain = parse_certificates(file->bytes);
    if (chain.empty()) {
        return core::Problem{fmt::format("tls-cert: {}: must hold certificates in PEM", path),
                             "tls-cert"};
    }
    return core::Result<std::vector<CertificatePtr>>(boost::system::in_place_value,
                                                     std::move(chain));
}

core::Result<KeyPtr> read_key(const std::string& path, std::vector<std::string>& warnings) {
    const core::Result<SmallFile> file = read_small_file(path);
    if (!file) {
        return core::Problem{"tls-key: " + file.error().message, "tls-key"};
    }
    if (is_readable_by_others(*file)) {
        warnings.push_back(path + ": others may read this private key");
    }
    KeyPtr key = parse_key(file->bytes);
    if (key == nullptr) {
        return core::Problem{
            fmt::format("tls-key: {}: must hold a private key in PEM, without a password", path),
            "tls-key"};
    }
    return core::Result<KeyPtr>(boost::system::in_place_value, std::move(key));
}

}  // namespace

ServerTls::ServerTls(std::unique_ptr<const State> state) : state_(std::move(state)) {}

ServerTls::~ServerTls() = default;

core::Result<std::shared_ptr<const ServerTls>> ServerTls::load(const std::string& certificate_file,
                                                               const std::string& key_file,
                                                               std::vector<std::string>& warnings) {
    const auto chain = read_chain(certificate_file);
    if (!chain) {
        return chain.error();
    }
    const auto key = read_key(key_file, warnings);
    if (!key) {
        return key.error();
    }
    auto state = std::make_unique<State>();
    state->context = server_context();
    if (state->context == nullptr) {
        return core::Problem{"tls-cert: no memory", "tls-cert"};
    }
    const std::string why = introduce(*state->context, *chain, key->get());
    if (!why.empty()) {
        return core::Problem{fmt::format("tls-cert: {} and --tls-key {} do not fit together: {}",
                                         certificate_file,
                                         key_file,
                                         why),
                             "tls-cert"};
    }
    return std::make_shared<const ServerTls>(std::move(state));
}

}  // namespace ome::net
