#include "record_file.hpp"

#include <ome/net/named_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

namespace ome::observer {
namespace {

constexpr mode_t only_the_owner = 0600;
// Not /dev/stdout: that one could be renamed, which is what becomes of a full recording.
constexpr const char* standard_output = "/proc/self/fd/1";

std::string why() {
    return std::strerror(errno);
}

/// Behind a link, so that what is turned is the recording and not the link to it. Of a link to
/// nowhere the link: opening makes what it leads to.
std::string real_path(const std::string& path) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    return error ? path : real.string();
}

/// Half a line would spoil the one after it. What else is in the file is not ours to cut.
void take_back(int descriptor, std::size_t bytes) {
    const off_t end = lseek(descriptor, 0, SEEK_CUR);
    struct stat status {};
    if (bytes > 0 && end > 0 && fstat(descriptor, &status) == 0 && status.st_size == end) {
        std::ignore = ftruncate(descriptor, end - static_cast<off_t>(bytes));
    }
}

std::string problem_text(const std::string& path, const std::string& reason) {
    return fmt::format("--record \"{}\" must be a file that can be written: {}", path, reason);
}

}  // namespace

RecordFile::RecordFile(RecordFile&& other) noexcept
    : path_(std::move(other.path_)),
      most_bytes_(other.most_bytes_),
      size_(other.size_),
      fd_(std::exchange(other.fd_, -1)) {}

RecordFile::~RecordFile() {
    close_file();
}

core::Result<RecordFile> RecordFile::open(std::string path, std::uint64_t most_bytes) {
    RecordFile file(path == "-" ? standard_output : std::move(path), most_bytes);
    if (const auto problem = file.open_anew()) {
        return core::Problem{problem_text(file.path_, *problem), "record"};
    }
    return core::Result<RecordFile>(boost::system::in_place_value, std::move(file));
}

void RecordFile::close_file() {
    if (fd_ >= 0) {
        close(std::exchange(fd_, -1));
    }
}

/// Devices and pipes stay what they are, and so does where standard output leads: others print
/// there.
std::optional<std::string> RecordFile::open_anew() {
    close_file();
    const bool is_stream = net::is_standard_stream(path_);
    const std::string path = is_stream ? path_ : real_path(path_);
    struct stat status {};
    bool is_file = !is_stream && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    if (is_file && status.st_size > 0) {
        const std::string older = path + ".1";
        if (std::rename(path.c_str(), older.c_str()) != 0) {
            return why();
        }
        is_file = false;
    }
    fd_ = ::open(
        path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, only_the_owner);
    if (fd_ < 0 || (is_file && fchmod(fd_, only_the_owner) != 0)) {
        std::string reason = why();
        close_file();
        return reason;
    }
    size_ = !is_stream && fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)
                ? static_cast<std::uint64_t>(status.st_size)
                : 0;
    return std::nullopt;
}

std::optional<std::string> RecordFile::append(std::string_view lines) {
    if (fd_ < 0 || (size_ > 0 && size_ + lines.size() > most_bytes_)) {
        if (auto problem = open_anew()) {
            return problem;
        }
    }
    return write_all(lines);
}

std::optional<std::string> RecordFile::write_all(std::string_view lines) {
    std::size_t done = 0;
    while (done < lines.size()) {
        const ssize_t count = write(fd_, lines.data() + done, lines.size() - done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            std::string reason = count == 0 ? "nothing is taken" : why();
            take_back(fd_, done);
            return reason;
        }
        done += static_cast<std::size_t>(count);
    }
    size_ += lines.size();
    return std::nullopt;
}

}  // namespace ome::observer
