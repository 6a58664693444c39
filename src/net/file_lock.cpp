#include <ome/core/deadline.hpp>
#include <ome/net/file_lock.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

namespace ome::net {
namespace {

constexpr auto pause = std::chrono::milliseconds(5);

core::Problem failed(const std::string& path, int error) {
    return {fmt::format("{}: cannot lock: {}", path, std::generic_category().message(error))};
}

}  // namespace

core::Result<FileLock> FileLock::take(const std::string& path, core::Duration most) {
    FileLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (lock.descriptor_ < 0) {
        return failed(path, errno);
    }
    const auto give_up = core::later(std::chrono::steady_clock::now(), most);
    while (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return failed(path, errno);
        }
        if (std::chrono::steady_clock::now() >= give_up) {
            return core::Problem{fmt::format("{}: is locked by another process", path)};
        }
        std::this_thread::sleep_for(pause);
    }
    return lock;
}

FileLock::~FileLock() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

}  // namespace ome::net
