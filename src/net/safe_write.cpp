#include <ome/net/safe_write.hpp>
#include <ome/net/small_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

namespace ome::net {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view aside_suffix = ".ome-tmp";

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/'));
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

// The open descriptor, or -1 and the problem in `file`.
int begin(FileWrite& file) {
    std::error_code error;
    fs::create_directories(folder_of(file.path), error);
    const std::string path = aside(file.path);
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0) {
        file.problem = failed(file.path, "write", errno);
        return -1;
    }
    if (const auto broken = write_all(descriptor, file.bytes)) {
        file.problem = failed(file.path, "write", *broken);
    }
    return descriptor;
}

void finish(FileWrite& file, int descriptor) {
    if (!file.problem && ::fsync(descriptor) != 0) {
        file.problem = failed(file.path, "flush", errno);
    }
    ::close(descriptor);
    const std::string path = aside(file.path);
    file.signature = file_signature(path);
    if (!file.problem && std::rename(path.c_str(), file.path.c_str()) != 0) {
        file.problem = failed(file.path, "rename", errno);
    }
    if (file.problem) {
        ::unlink(path.c_str());
    }
}

// A system that cannot flush a folder (some network ones) has renamed all the same.
void flush_folder(const std::string& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        std::ignore = ::fsync(descriptor);
        ::close(descriptor);
    }
}

// All are on their way to the disk before the first is flushed, and so they go together: without,
// each flush begins with its own file, and 256 files take about twice as long (ext4). A file system
// that cannot do this is flushed all the same.
void start_writing(const std::vector<int>& descriptors) {
    for (const int descriptor : descriptors) {
        if (descriptor >= 0) {
            std::ignore = ::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
        }
    }
}

}  // namespace

void write_safely(std::vector<FileWrite>& files) {
    std::vector<int> descriptors;
    descriptors.reserve(files.size());
    for (FileWrite& file : files) {
        descriptors.push_back(begin(file));
    }
    start_writing(descriptors);
    std::set<std::string> folders;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (descriptors[i] >= 0) {
            finish(files[i], descriptors[i]);
            folders.insert(folder_of(files[i].path));
        }
    }
    for (const std::string& folder : folders) {
        flush_folder(folder);
    }
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
