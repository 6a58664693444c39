// Who of several processes works on a folder, and whether the folder is still where it was.
#pragma once

#include <ome/core/problem.hpp>

#include <memory>
#include <optional>
#include <string>

namespace ome::controller {

class FolderLead {
public:
    /// Makes the lock file. Problem: it cannot be made.
    [[nodiscard]] static core::Result<std::unique_ptr<FolderLead>> open(const std::string& path);
    ~FolderLead();
    FolderLead(const FolderLead&) = delete;
    FolderLead& operator=(const FolderLead&) = delete;

    /// Held for the life of this object; false while another process does, or once the folder is
    /// elsewhere.
    [[nodiscard]] bool try_take();

    /// Says so while the path leads to no folder, or to another one than was opened: somebody else
    /// may hold that one, so nothing may be written there.
    [[nodiscard]] std::optional<core::Problem> displaced() const;

private:
    explicit FolderLead(std::string path) : path_(std::move(path)) {}

    std::string path_;
    int file_ = -1;
    int folder_ = -1;
};

}  // namespace ome::controller
