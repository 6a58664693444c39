#include "system_roots.hpp"

#include <ome/net/small_file.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

namespace ome::net {
namespace {

namespace fs = std::filesystem;

std::string from_environment(const char* variable, const char* otherwise) {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : otherwise;
}

/// `seen`: the texts so far. A folder mostly repeats what the file beside it holds, and to parse a
/// certificate costs far more than to find it there.
std::size_t add_file(X509_STORE& store, const std::string& path, std::string& seen) {
    const core::Result<SmallFile> file = read_small_file(path);
    if (!file || seen.find(file->bytes) != std::string::npos) {
        return 0;
    }
    seen += file->bytes;
    std::size_t added = 0;
    for (const CertificatePtr& certificate : parse_certificates(file->bytes)) {
        added += X509_STORE_add_cert(&store, certificate.get()) == 1 ? 1U : 0U;
    }
    return added;
}

/// `1f2e3d4c.0`: what OpenSSL looks for in such a folder.
bool is_hash_name(const std::string& name) {
    constexpr std::size_t digits = 8;
    return name.size() > digits + 1 && name[digits] == '.' &&
           std::all_of(name.begin(),
                       name.begin() + digits,
                       [](unsigned char c) { return std::isxdigit(c) != 0; }) &&
           std::all_of(name.begin() + digits + 1, name.end(), [](unsigned char c) {
               return std::isdigit(c) != 0;
           });
}

std::size_t add_folder(X509_STORE& store, const std::string& folder, std::string& seen) {
    std::size_t added = 0;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        if (is_hash_name(entry->path().filename().string())) {
            added += add_file(store, entry->path().string(), seen);
        }
    }
    return added;
}

}  // namespace

std::size_t add_system_roots(X509_STORE& store) {
    std::string seen;
    const std::string file =
        from_environment(X509_get_default_cert_file_env(), X509_get_default_cert_file());
    std::size_t added = add_file(store, file, seen);
    const std::string folders =
        from_environment(X509_get_default_cert_dir_env(), X509_get_default_cert_dir());
    for (std::size_t begin = 0; begin < folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        added += add_folder(store, folders.substr(begin, end - begin), seen);
        begin = end + 1;
    }
    return added;
}

}  // namespace ome::net
