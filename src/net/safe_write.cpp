#include <ome/net/safe_write.hpp>
#include <ome/net/small_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

namespace ome::net {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view aside_suffix = ".ome-tmp";

// A flush of the whole file system writes out what others have changed there, too: of a few files
// the own flushes are the sooner done.
constexpr std::size_t fewest_flushed_together = 16;

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Hidden, so that nobody takes it for a manifest.
std::string aside(const std::string& path) {
    return fmt::format("{}/.{}{}", folder_of(path), path.substr(path.rfind('/') + 1), aside_suffix);
}

core::Problem failed(const std::string& path, const char* what, int error) {
    return {fmt::format("{}: cannot {}: {}", path, what, std::generic_category().message(error))};
}

std::optional<int> write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    return std::nullopt;
}

// The folder is made only where it turns out to be missing: 10,000 files are in few folders.
int open_aside(const std::string& target) {
    const std::string path = aside(target);
    const auto open = [&path] {
        return ::open(
            path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0644);
    };
    const int descriptor = open();
    if (descriptor >= 0 || errno != ENOENT) {
        return descriptor;
    }
    std::error_code error;
    fs::create_directories(folder_of(target), error);
    if (error) {
        errno = error.value();
        return -1;
    }
    return open();
}

// A file while it stands aside.
struct Aside {
    FileWrite& file;
    int descriptor;
    dev_t device = 0;
};

Aside begin(FileWrite& file) {
    Aside made{file, open_aside(file.path)};
    struct stat found {};
    if (made.descriptor < 0) {
        file.problem = failed(file.path, "write", errno);
    } else if (const auto broken = write_all(made.descriptor, file.bytes)) {
        file.problem = failed(file.path, "write", *broken);
    } else if (::fstat(made.descriptor, &found) == 0) {
        made.device = found.st_dev;
    }
    return made;
}

void flush(const Aside& one) {
    if (!one.file.problem && ::fsync(one.descriptor) != 0) {
        one.file.problem = failed(one.file.path, "flush", errno);
    }
}

// Whether a flush of the whole file system is as good as one of each file. FUSE, for one, takes the
// call and passes nothing on to whoever holds the files.
bool can_flush_whole(int descriptor) {
    struct statfs found {};
    if (::fstatfs(descriptor, &found) != 0) {
        return false;
    }
    switch (static_cast<std::uint64_t>(found.f_type)) {
        case EXT4_SUPER_MAGIC:
        case XFS_SUPER_MAGIC:
        case BTRFS_SUPER_MAGIC:
        case F2FS_SUPER_MAGIC:
        case TMPFS_MAGIC:
            return true;
        default:
            return false;
    }
}

// All are on their way to the disk before the first is waited for, and so they go together.
void start_writing(const std::vector<Aside>& all) {
    for (const Aside& one : all) {
        if (!one.file.problem) {
            std::ignore = ::sync_file_range(one.descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
        }
    }
}

// What syncfs() tells of a failure concerns no file in particular, and kernels before 5.8 tell
// nothing. So each file's own bytes are waited for, which costs no flush of the disk.
void await_bytes(const Aside& one) {
    constexpr unsigned whole =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    if (!one.file.problem && ::sync_file_range(one.descriptor, 0, 0, whole) != 0) {
        one.file.problem = failed(one.file.path, "flush", errno);
    }
}

// Files of one file system. One flush of the journal and of the disk's cache serves them all: that
// is what an fsync() waits for, and each one waits anew.
void flush_together(const std::vector<const Aside*>& group) {
    const int descriptor = group.front()->descriptor;
    if (group.size() < fewest_flushed_together || !can_flush_whole(descriptor)) {
        for (const Aside* one : group) {
            flush(*one);
        }
        return;
    }
    for (const Aside* one : group) {
        await_bytes(*one);
    }
    if (::syncfs(descriptor) == 0) {
        return;
    }
    const int error = errno;
    for (const Aside* one : group) {
        if (!one->file.problem) {
            one->file.problem = failed(one->file.path, "flush", error);
        }
    }
}

void flush_files(const std::vector<Aside>& all) {
    start_writing(all);
    std::map<dev_t, std::vector<const Aside*>> by_device;
    for (const Aside& one : all) {
        if (!one.file.problem) {
            by_device[one.device].push_back(&one);
        }
    }
    for (const auto& [device, group] : by_device) {
        flush_together(group);
    }
}

void finish(const Aside& one) {
    if (one.descriptor < 0) {
        return;
    }
    FileWrite& file = one.file;
    ::close(one.descriptor);
    const std::string path = aside(file.path);
    file.signature = file_signature(path);
    if (!file.problem && std::rename(path.c_str(), file.path.c_str()) != 0) {
        file.problem = failed(file.path, "rename", errno);
    }
    if (file.problem) {
        ::unlink(path.c_str());
    }
}

int open_folder(const std::string& folder) {
    return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// A system that cannot flush a folder (some network ones) has renamed all the same.
void flush_folder(const std::string& folder) {
    const int descriptor = open_folder(folder);
    if (descriptor >= 0) {
        std::ignore = ::fsync(descriptor);
        ::close(descriptor);
    }
}

// Namespaces may be links to other file systems; each of these is flushed once.
void flush_folders(const std::set<std::string>& folders) {
    std::set<dev_t> flushed;
    for (const std::string& folder : folders) {
        struct stat found {};
        if (folders.size() < fewest_flushed_together || ::stat(folder.c_str(), &found) != 0) {
            flush_folder(folder);
            continue;
        }
        if (flushed.contains(found.st_dev)) {
            continue;
        }
        const int descriptor = open_folder(folder);
        if (descriptor >= 0 && can_flush_whole(descriptor) && ::syncfs(descriptor) == 0) {
            flushed.insert(found.st_dev);
        } else if (descriptor >= 0) {
            std::ignore = ::fsync(descriptor);
        }
        if (descriptor >= 0) {
            ::close(descriptor);
        }
    }
}

}  // namespace

void write_safely(std::vector<FileWrite>& files) {
    std::vector<Aside> all;
    all.reserve(files.size());
    for (FileWrite& file : files) {
        all.push_back(begin(file));
    }
    flush_files(all);
    std::set<std::string> folders;
    for (const Aside& one : all) {
        finish(one);
        if (one.descriptor >= 0) {
            folders.insert(folder_of(one.file.path));
        }
    }
    flush_folders(folders);
}

std::optional<core::Problem> delete_safely(const std::string& path) {
    if (::unlink(path.c_str()) != 0) {
        return errno == ENOENT ? std::nullopt : std::optional(failed(path, "delete", errno));
    }
    flush_folder(folder_of(path));
    return std::nullopt;
}

void remove_leftovers(const std::string& folder) {
    std::error_code error;
    fs::directory_iterator at(folder, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with('.') && name.ends_with(aside_suffix)) {
            std::error_code ignored;
            fs::remove(at->path(), ignored);
        }
    }
}

}  // namespace ome::net
