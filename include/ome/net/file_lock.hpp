// A file as a lock between processes of one machine (flock): for writers of one folder.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>

#include <string>

namespace ome::net {

/// Held until it is destroyed. Movable.
class FileLock {
public:
    /// Makes the file where it is missing, and waits for `most`. Problem: the path and the cause.
    [[nodiscard]] static core::Result<FileLock> take(const std::string& path, core::Duration most);

    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    explicit FileLock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_ = -1;
};

}  // namespace ome::net
