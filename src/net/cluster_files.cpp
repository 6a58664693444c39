#include "cluster_files.hpp"

#include <ome/net/small_file.hpp>

#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace ome::net {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_clusters = 4096;

struct Suffix {
    std::string_view text;
    std::string ClusterFiles::*member;
};

constexpr std::array suffixes{Suffix{".ca.pem", &ClusterFiles::ca},
                              Suffix{".crt", &ClusterFiles::certificate},
                              Suffix{".key", &ClusterFiles::key}};

core::Problem problem(std::string message) {
    return {"tls-dir: " + std::move(message), "tls-dir"};
}

core::Result<std::vector<CertificatePtr>> read_certificates(const std::string& path) {
    const core::Result<SmallFile> file = read_small_file(path);
    if (!file) {
        return problem(file.error().message);
    }
    std::vector<CertificatePtr> certificates = parse_certificates(file->bytes);
    if (certificates.empty()) {
        return problem(path + ": must hold certificates in PEM");
    }
    return core::Result<std::vector<CertificatePtr>>(boost::system::in_place_value,
                                                     std::move(certificates));
}

core::Result<StorePtr> read_store(const std::string& path) {
    const auto certificates = read_certificates(path);
    if (!certificates) {
        return certificates.error();
    }
    StorePtr store = new_store();
    if (store == nullptr) {
        return problem(path + ": no memory");
    }
    for (const CertificatePtr& certificate : *certificates) {
        X509_STORE_add_cert(store.get(), certificate.get());
    }
    return core::Result<StorePtr>(boost::system::in_place_value, std::move(store));
}

std::optional<core::Problem> add_identity(SSL_CTX& context,
                                          const ClusterFiles& files,
                                          std::vector<std::string>& warnings) {
    if (files.certificate.empty() || files.key.empty()) {
        const bool no_key = files.key.empty();
        return problem((no_key ? files.certificate : files.key) + ": has no " +
                       (no_key ? ".key" : ".crt") + " file beside it");
    }
    const auto certificates = read_certificates(files.certificate);
    if (!certificates) {
        return certificates.error();
    }
    const core::Result<SmallFile> key_file = read_small_file(files.key);
    if (!key_file) {
        return problem(key_file.error().message);
    }
    if (is_readable_by_others(*key_file)) {
        warnings.push_back(files.key + ": others may read this private key");
    }
    const KeyPtr key = parse_key(key_file->bytes);
    if (key == nullptr) {
        return problem(files.key + ": must hold a private key in PEM, without a password");
    }
    const std::string why = introduce(context, *certificates, key.get());
    return why.empty() ? std::nullopt
                       : std::optional(problem(fmt::format("{}: {}", files.certificate, why)));
}

}  // namespace

std::string ClusterFiles::signature() const {
    return fmt::format(
        "{}|{}|{}", file_signature(ca), file_signature(certificate), file_signature(key));
}

core::Result<std::map<std::string, ClusterFiles>> find_cluster_files(const std::string& folder) {
    std::map<std::string, ClusterFiles> found;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        for (const Suffix& suffix : suffixes) {
            if (name.size() > suffix.text.size() && name.ends_with(suffix.text)) {
                const std::string cluster = name.substr(0, name.size() - suffix.text.size());
                found[cluster].*suffix.member = entry->path().string();
            }
        }
        if (found.size() > most_clusters) {
            return problem(fmt::format("{}: names more than {} clusters", folder, most_clusters));
        }
    }
    if (error) {
        return problem(fmt::format("{}: {}", folder, error.message()));
    }
    return core::Result<std::map<std::string, ClusterFiles>>(boost::system::in_place_value,
                                                             std::move(found));
}

core::Result<SslContextPtr> load_cluster(const ClusterFiles& files,
                                         X509_STORE& common,
                                         std::vector<std::string>& warnings) {
    StorePtr own;
    if (!files.ca.empty()) {
        auto store = read_store(files.ca);
        if (!store) {
            return store.error();
        }
        own = *std::move(store);
    }
    SslContextPtr context = context_trusting(own != nullptr ? *own : common);
    if (context == nullptr) {
        return problem("no memory");
    }
    if (!files.certificate.empty() || !files.key.empty()) {
        if (auto wrong = add_identity(*context, files, warnings)) {
            return *std::move(wrong);
        }
    }
    return core::Result<SslContextPtr>(boost::system::in_place_value, std::move(context));
}

}  // namespace ome::net
