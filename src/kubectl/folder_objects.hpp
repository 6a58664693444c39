// The objects that a folder holds, as a Kubernetes API server would give them: overrides are laid
// over the services, and uid, generation and resourceVersion are filled in where the manifest has
// none (docs/folder-store.md).
#pragma once

#include "cluster.hpp"
#include <ome/wire/folder_identity.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ome::kubectl {

/// A file, and which of its states was seen.
struct FolderFile {
    std::string path;
    std::string signature;

    friend bool operator==(const FolderFile&, const FolderFile&) = default;
};

struct FolderContent {
    std::map<core::ServiceKey, json::value> objects;
    /// What cannot be used: the file and the reason. The objects in it are missing above.
    std::vector<std::string> problems;
};

class FolderObjects {
public:
    explicit FolderObjects(std::string path) : path_(std::move(path)) {}

    [[nodiscard]] const std::string& path() const { return path_; }

    /// `ns` empty: all. Problem in `problems` when a folder cannot be read.
    [[nodiscard]] FolderContent read(Kind kind, const std::string& ns) const;

    /// Every file that read() would look at, by path; equal lists mean equal content.
    [[nodiscard]] std::vector<FolderFile> files() const;

    [[nodiscard]] std::string override_path(const core::ServiceKey& key) const;
    /// As the owner wrote it, nothing laid over it. Absent: there is none, or it cannot be read.
    [[nodiscard]] std::optional<json::value> manifest(const core::ServiceKey& key) const;
    /// Why a manifest of the service cannot be read as one, with file and line. Absent: it can, as
    /// far as it goes without what is laid over it.
    [[nodiscard]] std::optional<std::string> trouble_of(const core::ServiceKey& key) const;

private:
    void read_file(Kind kind,
                   const std::string& ns,
                   const std::string& path,
                   const wire::CountedGenerations* generations,
                   FolderContent& content) const;
    [[nodiscard]] std::optional<std::string> complete_service(
        const core::ServiceKey& key,
        const wire::CountedGenerations& generations,
        json::value& object) const;

    std::string path_;
};

/// The version of an object that has none: changes whenever something in it does.
[[nodiscard]] std::string version_of(const json::value& object);

}  // namespace ome::kubectl
