#include <ome/core/base64.hpp>

#include <algorithm>
#include <cstdint>

namespace ome::core {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Four digits, of which the last ones may be padding.
bool append_group(std::string_view group, std::string& bytes) {
    const std::size_t used = std::min(group.find('='), group.size());
    std::uint32_t bits = 0;
    for (std::size_t at = 0; at < group.size(); ++at) {
        const std::size_t digit = at < used ? digits.find(group[at]) : 0;
        if (digit == std::string_view::npos || (at >= used && group[at] != '=')) {
            return false;
        }
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
    }
    if (used < 2 || (bits & ((1U << (8 * (4 - used))) - 1U)) != 0) {
        return false;
    }
    for (std::size_t byte = 0; byte + 1 < used; ++byte) {
        bytes += static_cast<char>(bits >> (16 - 8 * byte) & 0xFFU);
    }
    return true;
}

}  // namespace

std::string base64(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const std::string_view group = bytes.substr(0, 3);
        std::uint32_t bits = 0;
        for (std::size_t at = 0; at < 3; ++at) {
            bits = bits << 8 | (at < group.size() ? static_cast<unsigned char>(group[at]) : 0U);
        }
        for (std::size_t at = 0; at < 4; ++at) {
            text += at <= group.size() ? digits[bits >> (18 - 6 * at) & 63U] : '=';
        }
        bytes.remove_prefix(group.size());
    }
    return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
    std::string group;
    std::string bytes;
    bool ended = false;
    for (const char letter : text) {
        if (std::string_view(" \t\r\n").find(letter) != std::string_view::npos) {
            continue;
        }
        group += letter;
        if (group.size() < 4) {
            continue;
        }
        if (ended || !append_group(group, bytes)) {
            return std::nullopt;
        }
        ended = group.back() == '=';
        group.clear();
    }
    return group.empty() ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace ome::core
