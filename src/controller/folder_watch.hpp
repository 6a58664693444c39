// inotify over folders: which names in them may have changed. May tell too much, never too little:
// when events were lost it says so, and everything is to be looked at.
#pragma once

#include <ome/core/problem.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace ome::controller {

class FolderWatch {
public:
    /// Problem: the system gives no inotify instance.
    [[nodiscard]] static core::Result<std::unique_ptr<FolderWatch>> create();
    ~FolderWatch();
    FolderWatch(const FolderWatch&) = delete;
    FolderWatch& operator=(const FolderWatch&) = delete;

    /// Again is no harm. Problem: the folder, and why it cannot be watched.
    [[nodiscard]] std::optional<core::Problem> add(const std::string& folder);

    struct Events {
        std::set<std::string> paths;  ///< `folder/name` of files
        bool look_at_all = false;     ///< folders came or went, or events were lost
    };
    /// What has happened since; never waits.
    [[nodiscard]] Events take();

    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    explicit FolderWatch(int descriptor) : descriptor_(descriptor) {}

    int descriptor_;
    std::map<int, std::string> folders_;  ///< by watch
};

}  // namespace ome::controller
