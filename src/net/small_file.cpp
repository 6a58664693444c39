#include <ome/net/small_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace ome::net {
namespace {

// By which a file grows that has more than it said (as those below /proc do).
constexpr std::size_t piece_bytes = 16384;

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return number_; }

private:
    int number_;
};

core::Problem cannot_read(const std::string& path, const std::string& why) {
    return {fmt::format("{}: {}", path, why)};
}

core::Problem cannot_read(const std::string& path, int error) {
    return cannot_read(path, std::generic_category().message(error));
}

core::Problem too_large(const std::string& path) {
    return cannot_read(path, fmt::format("is larger than {} bytes", most_file_bytes));
}

}  // namespace

core::Result<SmallFile> read_small_file(const std::string& path) {
    const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found {};
    if (descriptor.get() < 0 || ::fstat(descriptor.get(), &found) != 0) {
        return cannot_read(path, errno);
    }
    if (!S_ISREG(found.st_mode)) {
        return cannot_read(path, "is not a regular file");
    }
    SmallFile file;
    file.mode = found.st_mode & 07777U;
    // Room for what is there and a byte more, which tells at once that this was all.
    const auto expected = static_cast<std::size_t>(found.st_size);
    file.bytes.resize(std::min(expected, most_file_bytes) + 1);
    std::size_t size = 0;
    for (;;) {
        if (size > most_file_bytes) {
            return too_large(path);
        }
        if (size == file.bytes.size()) {
            file.bytes.resize(std::min(size + piece_bytes, most_file_bytes + 1));
        }
        const ssize_t count =
            ::read(descriptor.get(), file.bytes.data() + size, file.bytes.size() - size);
        if (count < 0) {
            return cannot_read(path, errno);
        }
        if (count == 0) {
            file.bytes.resize(size);
            return core::Result<SmallFile>(boost::system::in_place_value, std::move(file));
        }
        size += static_cast<std::size_t>(count);
    }
}

std::string file_signature(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) {
        return {};
    }
    return fmt::format("{}:{}:{}:{}.{}:{:o}",
                       found.st_dev,
                       found.st_ino,
                       found.st_size,
                       found.st_mtim.tv_sec,
                       found.st_mtim.tv_nsec,
                       found.st_mode);
}

}  // namespace ome::net
