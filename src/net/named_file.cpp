#include <ome/net/named_file.hpp>
#include <ome/net/safe_write.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace ome::net {
namespace {

constexpr mode_t only_the_owner = 0600;
constexpr mode_t as_usual = 0666;

using ErrorNumber = int;  // 0: none

bool is_same(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Its number, or -1.
int standard_stream_of(const struct stat& found) {
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
        struct stat led_to {};
        if (::fstat(stream, &led_to) == 0 && is_same(found, led_to)) {
            return stream;
        }
    }
    return -1;
}

ErrorNumber write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    return 0;
}

ErrorNumber write_and_close(int descriptor, std::string_view bytes) {
    if (descriptor < 0) {
        return errno;
    }
    const ErrorNumber broken = write_all(descriptor, bytes);
    const ErrorNumber unclosed = ::close(descriptor) == 0 ? 0 : errno;
    return broken != 0 ? broken : unclosed;
}

ErrorNumber write_into(const std::string& path, std::string_view bytes, int flags) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, as_usual);
    return write_and_close(descriptor, bytes);
}

// A socket cannot be opened, and a file would be written from its beginning, over what the stream
// has put there: so the streams are written as they are.
ErrorNumber write_through(const std::string& path,
                          const struct stat& found,
                          std::string_view bytes) {
    const int stream = standard_stream_of(found);
    return stream >= 0 ? write_all(stream, bytes) : write_into(path, bytes, O_NOCTTY);
}

// Behind links the path of the file itself, if it has one that leads there: what is below /proc may
// be deleted, or be seen from another root.
std::optional<std::string> path_behind_links(const std::string& path, const struct stat& found) {
    std::error_code error;
    std::string real = std::filesystem::canonical(path, error).string();
    struct stat there {};
    if (error || ::lstat(real.c_str(), &there) != 0 || !is_same(found, there)) {
        return std::nullopt;
    }
    return real;
}

std::string words_for(ErrorNumber error) {
    return std::generic_category().message(error);
}

std::optional<core::Problem> told(const std::string& path, ErrorNumber error) {
    return error == 0 ? std::nullopt
                      : std::optional(core::Problem{
                            fmt::format("{}: cannot write: {}", path, words_for(error))});
}

std::optional<core::Problem> write_in_place_of(const std::string& path, std::string_view bytes) {
    std::vector<FileWrite> files{{.path = path, .bytes = std::string(bytes)}};
    write_safely(files);
    return std::move(files.front().problem);
}

bool is_link(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

}  // namespace

bool is_standard_stream(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 && standard_stream_of(found) >= 0;
}

std::optional<core::Problem> replace_named_file(const std::string& path, std::string_view bytes) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) {
        return is_link(path) ? told(path, write_into(path, bytes, O_CREAT))  // what it leads to
                             : write_in_place_of(path, bytes);
    }
    if (!S_ISREG(found.st_mode) || standard_stream_of(found) >= 0) {
        return told(path, write_through(path, found, bytes));
    }
    if (!is_link(path)) {
        return write_in_place_of(path, bytes);
    }
    if (const auto real = path_behind_links(path, found)) {
        return write_in_place_of(*real, bytes);
    }
    return told(path, write_into(path, bytes, O_TRUNC));
}

std::optional<std::string> create_named_file(const std::string& path, std::string_view bytes) {
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0 &&
        (!S_ISREG(found.st_mode) || (is_link(path) && standard_stream_of(found) >= 0))) {
        const ErrorNumber error = write_through(path, found, bytes);
        return error == 0 ? std::nullopt : std::optional(words_for(error));
    }
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, only_the_owner);
    const bool made = descriptor >= 0;
    const ErrorNumber error = write_and_close(descriptor, bytes);
    if (error == 0) {
        return std::nullopt;
    }
    if (made) {
        ::unlink(path.c_str());
    }
    return words_for(error);
}

}  // namespace ome::net
