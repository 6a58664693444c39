// The files `<namespace>/<name>.yaml` below a folder, and which of them have changed since they
// were last looked at. Symbolic links count as what they point to, which is how clusters mount
// folders; hidden files, and whatever is not .yaml, .yml or .json, are somebody else's.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ome::controller {

/// `demo/chat.yaml` -> demo, chat. A problem: no service can be called so, and why.
[[nodiscard]] core::Result<core::ServiceKey> service_named_by(std::string_view relative);

/// The same. Absent: the path has another shape.
[[nodiscard]] std::optional<core::ServiceKey> key_of_path(std::string_view relative);

class ManifestTree {
public:
    explicit ManifestTree(std::string folder) : folder_(std::move(folder)) {}

    struct Changes {
        std::vector<std::string> changed;  ///< relative to the folder, in order
        std::vector<std::string> removed;
    };

    /// Everything, by its signature. What could not be read has changed once it can be.
    [[nodiscard]] Changes scan();
    /// These, whatever their signature says; names of other shapes are left out.
    [[nodiscard]] Changes look(const std::set<std::string>& relative);

    /// The text of a file; of one that cannot be read (no rights, no descriptor left), why. The
    /// next scan tries it again.
    [[nodiscard]] core::Result<std::string> read(const std::string& relative);

    [[nodiscard]] const std::string& folder() const { return folder_; }
    [[nodiscard]] std::string path_of(const std::string& relative) const {
        return folder_ + "/" + relative;
    }
    /// Below the folder; of the last scan.
    [[nodiscard]] const std::set<std::string>& namespaces() const { return namespaces_; }
    /// Some folder cannot be read, so a missing file may be there all the same.
    [[nodiscard]] bool troubled() const { return !unreadable_.empty(); }
    /// These folders, below the one of the tree, which is the empty name, and why. Their files
    /// count as unchanged.
    [[nodiscard]] const std::map<std::string, core::Problem>& unreadable() const {
        return unreadable_;
    }
    /// What stands where nobody looks: manifests beside the folders of namespaces, and folders in
    /// these.
    [[nodiscard]] const std::set<std::string>& strays() const { return strays_; }

    /// This file is known; empty: there is none.
    void adopt(const std::string& relative, std::string signature);

private:
    void look_at_stray(const std::string& name, bool there);
    [[nodiscard]] bool can_be_read_again(const std::string& relative) const;
    void scan_namespace(const std::string& ns, std::set<std::string>& seen, Changes& changes);

    std::string folder_;
    std::map<std::string, std::string> signatures_;  ///< of files that are known, by relative path
    std::set<std::string> namespaces_;
    std::map<std::string, core::Problem> unreadable_;
    std::set<std::string> strays_;
    std::set<std::string> unread_;  ///< files whose last reading failed
};

}  // namespace ome::controller
