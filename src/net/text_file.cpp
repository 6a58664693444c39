#include <ome/net/text_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <vector>

namespace ome::net {
namespace {

constexpr std::size_t max_file_bytes = std::size_t{256} * 1024 * 1024;
constexpr std::size_t least_piece_bytes = 4096;
constexpr std::size_t most_piece_bytes = std::size_t{1} << 20;

// Not to its end first: an input may have none. A Problem can be made of a string too, so the
// result says which side it is.
core::Result<std::string> read_stream(std::istream& in,
                                      const std::string& name,
                                      std::size_t expected_bytes) {
    const core::Problem too_large{fmt::format("{}: has more than {} bytes", name, max_file_bytes)};
    if (expected_bytes > max_file_bytes) {
        return too_large;
    }
    std::string text;
    text.reserve(expected_bytes);
    // Of a small file not more than it needs, since a new buffer is filled with zeros first; a byte
    // more tells at once that this was all.
    std::vector<char> piece(std::clamp(expected_bytes + 1, least_piece_bytes, most_piece_bytes));
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
        const auto count = static_cast<std::size_t>(in.gcount());
        if (text.size() + count > max_file_bytes) {
            return too_large;
        }
        text.append(piece.data(), count);
    }
    if (in.bad()) {
        return core::Problem{fmt::format("{}: cannot be read", name)};
    }
    return core::Result<std::string>(boost::system::in_place_value, std::move(text));
}

// Empty: something that can be read.
std::string_view unreadable_kind(std::filesystem::file_type kind) {
    switch (kind) {
        case std::filesystem::file_type::directory:
            return "is a folder, expected a file";
        case std::filesystem::file_type::fifo:
            return "is a pipe, expected a file";
        case std::filesystem::file_type::socket:
            return "is a socket, expected a file";
        default:
            return {};
    }
}

}  // namespace

// Opening a FIFO would wait for a writer, and a directory reads as an empty file.
std::optional<core::Problem> refuse_other_than_file(const std::string& path) {
    std::error_code ec;
    const std::string_view other = unreadable_kind(std::filesystem::status(path, ec).type());
    return other.empty() ? std::nullopt
                         : std::optional(core::Problem{fmt::format("{}: {}", path, other)});
}

core::Result<std::string> read_text_file(const std::string& path) {
    if (auto problem = refuse_other_than_file(path)) {
        return *std::move(problem);
    }
    std::error_code ec;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return core::Problem{fmt::format("{}: {}", path, std::strerror(errno))};
    }
    const std::uintmax_t size = std::filesystem::file_size(path, ec);
    return read_stream(file, path, ec ? 0 : static_cast<std::size_t>(size));
}

core::Result<std::string> read_text_input(const std::string& name, std::istream& standard_input) {
    return name == "-" ? read_stream(standard_input, "standard input", 0) : read_text_file(name);
}

}  // namespace ome::net
