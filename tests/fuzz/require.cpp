#include "require.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace ome::fuzz {
namespace {

// Ten problems of a declaration, each with a quoted value.
constexpr std::size_t longest_message = std::size_t{64} * 1024;

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F;
}

}  // namespace

void require(bool holds, std::string_view property) {
    if (!holds) {
        std::fprintf(
            stderr, "does not hold: %.*s\n", static_cast<int>(property.size()), property.data());
        std::abort();
    }
}

void require_readable(std::string_view message) {
    require(!message.empty(), "a message says something");
    require(message.size() <= longest_message, "a message is bounded");
    if (std::any_of(message.begin(), message.end(), is_control)) {
        std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
        require(false, "a message has no control characters");
    }
}

void require_no_secret(std::string_view text) {
    require(text.find(secret) == std::string_view::npos, "no secret is shown");
}

}  // namespace ome::fuzz
