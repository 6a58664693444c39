#include "manifest_tree.hpp"

#include <ome/net/small_file.hpp>
#include <ome/wire/declaration_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace ome::controller {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> extensions{".yaml", ".yml", ".json"};

// The names in a folder, or why they cannot be told.
core::Result<std::vector<std::string>> names_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator at(folder, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
        names.push_back(at->path().filename().string());
    }
    if (error) {
        return core::Problem{fmt::format("{}: {}", folder, error.message())};
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool is_hidden(std::string_view name) {
    return name.empty() || name.front() == '.';
}

bool is_folder(const std::string& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

std::optional<std::string_view> stem_of(std::string_view name) {
    for (const std::string_view extension : extensions) {
        if (name.size() > extension.size() && name.ends_with(extension)) {
            return name.substr(0, name.size() - extension.size());
        }
    }
    return std::nullopt;
}

}  // namespace

core::Result<core::ServiceKey> service_named_by(std::string_view relative) {
    const std::size_t slash = relative.find('/');
    const std::string_view name = slash == std::string_view::npos ? "" : relative.substr(slash + 1);
    const auto stem = stem_of(name);
    if (is_hidden(name) || !stem || name.find('/') != std::string_view::npos) {
        return core::Problem{fmt::format("{} must be NAMESPACE/NAME.yaml", relative)};
    }
    core::ServiceKey key{std::string(relative.substr(0, slash)), std::string(*stem)};
    if (auto problem = wire::invalid_key(key)) {
        return *std::move(problem);
    }
    return key;
}

std::optional<core::ServiceKey> key_of_path(std::string_view relative) {
    auto key = service_named_by(relative);
    return key ? std::optional(*std::move(key)) : std::nullopt;
}

ManifestTree::Changes ManifestTree::scan() {
    Changes changes;
    std::set<std::string> seen;
    const auto namespaces = names_in(folder_);
    unreadable_.clear();
    if (!namespaces) {
        unreadable_.emplace("", namespaces.error());
        return changes;
    }
    namespaces_.clear();
    strays_.clear();
    for (const std::string& ns : *namespaces) {
        if (is_hidden(ns)) {
            continue;
        }
        if (is_folder(path_of(ns))) {
            namespaces_.insert(ns);
            scan_namespace(ns, seen, changes);
        } else if (stem_of(ns)) {
            strays_.insert(ns);
        }
    }
    for (auto known = signatures_.begin(); known != signatures_.end();) {
        if (seen.contains(known->first)) {
            ++known;
            continue;
        }
        changes.removed.push_back(known->first);
        unread_.erase(known->first);
        known = signatures_.erase(known);
    }
    return changes;
}

void ManifestTree::scan_namespace(const std::string& ns,
                                  std::set<std::string>& seen,
                                  Changes& changes) {
    const auto names = names_in(folder_ + "/" + ns);
    if (!names) {
        unreadable_.emplace(ns, names.error());
        for (const auto& [known, signature] : signatures_) {
            if (known.starts_with(ns + "/")) {
                seen.insert(known);
            }
        }
        return;
    }
    for (const std::string& name : *names) {
        const std::string relative = fmt::format("{}/{}", ns, name);
        if (is_hidden(name) || !stem_of(name)) {
            if (!is_hidden(name) && is_folder(path_of(relative))) {
                strays_.insert(relative);
            }
            continue;
        }
        std::string signature = net::file_signature(path_of(relative));
        if (signature.empty()) {
            continue;  // a link to nowhere, or gone since
        }
        seen.insert(relative);
        std::string& known = signatures_[relative];
        if (known != signature || can_be_read_again(relative)) {
            known = std::move(signature);
            changes.changed.push_back(relative);
        }
    }
}

ManifestTree::Changes ManifestTree::look(const std::set<std::string>& relative) {
    Changes changes;
    for (const std::string& path : relative) {
        const std::size_t slash = path.find('/');
        const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
        if (is_hidden(name) || !stem_of(name)) {
            continue;
        }
        std::string signature = net::file_signature(path_of(path));
        if (slash == std::string::npos) {
            look_at_stray(path, !signature.empty());
        } else if (!signature.empty()) {
            signatures_[path] = std::move(signature);
            changes.changed.push_back(path);
        } else if (signatures_.erase(path) > 0) {
            unread_.erase(path);
            changes.removed.push_back(path);
        }
    }
    return changes;
}

core::Result<std::string> ManifestTree::read(const std::string& relative) {
    auto file = net::read_small_file(path_of(relative));
    if (!file) {
        unread_.insert(relative);
        return file.error();
    }
    unread_.erase(relative);
    return core::Result<std::string>(boost::system::in_place_value, std::move(file->bytes));
}

// The reason may have gone without a trace in the file itself.
bool ManifestTree::can_be_read_again(const std::string& relative) const {
    return unread_.contains(relative) && net::read_small_file(path_of(relative)).has_value();
}

void ManifestTree::look_at_stray(const std::string& name, bool there) {
    if (there && !is_folder(path_of(name))) {
        strays_.insert(name);
    } else {
        strays_.erase(name);
    }
}

void ManifestTree::adopt(const std::string& relative, std::string signature) {
    if (signature.empty()) {
        signatures_.erase(relative);
    } else {
        signatures_[relative] = std::move(signature);
    }
}

}  // namespace ome::controller
