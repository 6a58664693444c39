#include "folder_watch.hpp"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

namespace ome::controller {
namespace {

// Not IN_MODIFY: a file that is being written is looked at when its writer is done.
constexpr std::uint32_t interest = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                   IN_CREATE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::uint32_t of_folders = IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;

// A file that was made now is being written, and told again when that is done; a link is complete.
bool is_complete(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 && (S_ISLNK(found.st_mode) || found.st_nlink > 1);
}

std::string reason(int error) {
    return std::generic_category().message(error);
}

}  // namespace

core::Result<std::unique_ptr<FolderWatch>> FolderWatch::create() {
    const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (descriptor < 0) {
        return core::Problem{fmt::format("inotify: {}", reason(errno))};
    }
    return std::unique_ptr<FolderWatch>(new FolderWatch(descriptor));
}

FolderWatch::~FolderWatch() {
    ::close(descriptor_);
}

std::optional<core::Problem> FolderWatch::add(const std::string& folder) {
    const int watch = ::inotify_add_watch(descriptor_, folder.c_str(), interest | IN_ONLYDIR);
    if (watch < 0) {
        return core::Problem{fmt::format("{}: cannot be watched: {}", folder, reason(errno))};
    }
    folders_[watch] = folder;
    return std::nullopt;
}

FolderWatch::Events FolderWatch::take() {
    Events events;
    alignas(inotify_event) std::array<char, 65536> buffer{};
    for (;;) {
        const ssize_t size = ::read(descriptor_, buffer.data(), buffer.size());
        if (size <= 0) {
            return events;
        }
        for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(size);) {
            inotify_event event{};
            std::memcpy(&event, buffer.data() + at, sizeof(event));
            const char* name = buffer.data() + at + sizeof(event);
            at += sizeof(event) + event.len;
            const auto folder = folders_.find(event.wd);
            // Folders that link to others change without IN_ISDIR, and always under a hidden name.
            const bool hidden = event.len > 0 && name[0] == '.';
            if ((event.mask & IN_IGNORED) != 0 && folder != folders_.end()) {
                folders_.erase(folder);
            } else if ((event.mask & (of_folders | IN_ISDIR)) != 0 ||
                       (hidden && (event.mask & IN_MOVED_TO) != 0 && name[1] == '.')) {
                events.look_at_all = true;
            } else if (folder != folders_.end() && event.len > 0 && !hidden) {
                std::string path = folder->second + "/" + name;
                if (event.mask != IN_CREATE || is_complete(path)) {
                    events.paths.insert(std::move(path));
                }
            }
        }
    }
}

}  // namespace ome::controller
