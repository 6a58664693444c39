#include "folder_lead.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>

namespace ome::controller {
namespace {

constexpr std::string_view lock_name = "ome-trafficmap.lock";

}  // namespace

core::Result<std::unique_ptr<FolderLead>> FolderLead::open(const std::string& path) {
    std::unique_ptr<FolderLead> lead(new FolderLead(path));
    const std::string lock = fmt::format("{}/{}", path, lock_name);
    lead->file_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lead->file_ < 0) {
        return core::Problem{fmt::format("{}: {}", lock, std::generic_category().message(errno)),
                             "store"};
    }
    lead->folder_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return lead;
}

FolderLead::~FolderLead() {
    for (const int descriptor : {file_, folder_}) {
        if (descriptor >= 0) {
            ::close(descriptor);
        }
    }
}

// The file may be taken away while it is locked, and a new one in its place locks nobody out; the
// folder stays.
bool FolderLead::try_take() {
    if (displaced() || ::flock(file_, LOCK_EX | LOCK_NB) != 0) {
        return false;
    }
    // Some network file systems lock no folders; there the file alone has to do.
    return ::flock(folder_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

std::optional<core::Problem> FolderLead::displaced() const {
    struct stat opened {};
    struct stat found {};
    if (folder_ < 0 || ::fstat(folder_, &opened) != 0) {
        return std::nullopt;
    }
    if (::stat(path_.c_str(), &found) != 0) {
        return core::Problem{fmt::format(
            "{}: {}: it was moved or removed; nothing is read or written until it is back",
            path_,
            std::generic_category().message(errno))};
    }
    if (found.st_dev != opened.st_dev || found.st_ino != opened.st_ino) {
        return core::Problem{
            fmt::format("{}: another folder has taken its place; nothing is read "
                        "or written until the first is back, or a restart",
                        path_)};
    }
    return std::nullopt;
}

}  // namespace ome::controller
