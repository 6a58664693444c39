#include <ome/core/base64.hpp>

#include <cstdint>

namespace ome::core {

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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

}  // namespace ome::core
