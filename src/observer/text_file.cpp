#include "text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ome::observer {
namespace {

constexpr std::int64_t max_file_bytes = 256 * 1024 * 1024;

}  // namespace

core::Result<std::string> read_text_file(const std::string& path) {
    // Opening a FIFO would wait for a writer, and a directory reads as an empty file.
    std::error_code ec;
    const auto kind = std::filesystem::status(path, ec).type();
    if (kind == std::filesystem::file_type::directory || kind == std::filesystem::file_type::fifo ||
        kind == std::filesystem::file_type::socket) {
        return core::Problem{fmt::format("{}: not a file that can be read", path)};
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return core::Problem{fmt::format("{}: {}", path, std::strerror(errno))};
    }
    std::ostringstream content;
    content << file.rdbuf();
    if (file.bad() || (content.fail() && file.peek() != std::ifstream::traits_type::eof())) {
        return core::Problem{fmt::format("{}: cannot be read", path)};
    }
    std::string text = std::move(content).str();
    if (static_cast<std::int64_t>(text.size()) > max_file_bytes) {
        return core::Problem{
            fmt::format("{}: {} bytes are more than {}", path, text.size(), max_file_bytes)};
    }
    // Spelled out: a Problem can be made of a string too.
    return core::Result<std::string>(boost::system::in_place_value, std::move(text));
}

}  // namespace ome::observer
