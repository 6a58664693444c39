#include "bearer.hpp"

#include <ome/net/small_file.hpp>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>

namespace ome::observer {
namespace {

constexpr std::size_t longest_token = 8192;  // a head must have room for it

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest digest(std::string_view text) {
    Digest made{};
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), made.data());
    return made;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(space);
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

bool is_token(std::string_view text) {
    return !text.empty() && text.size() <= longest_token &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

bool is_bearer(std::string_view scheme) {
    constexpr std::string_view bearer = "bearer ";
    return scheme.size() == bearer.size() &&
           std::equal(bearer.begin(), bearer.end(), scheme.begin(), [](char wanted, char c) {
               return wanted == (c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
           });
}

}  // namespace

core::Result<std::string> read_token(const std::string& path) {
    const core::Result<net::SmallFile> file = net::read_small_file(path);
    if (!file) {
        return core::Problem{"token-file: " + file.error().message, "token-file"};
    }
    const std::string_view token = trimmed(file->bytes);
    if (!is_token(token)) {
        return core::Problem{
            fmt::format("token-file: {}: must hold one token of 1 to {} visible ASCII characters",
                        path,
                        longest_token),
            "token-file"};
    }
    return core::Result<std::string>(boost::system::in_place_value, token);
}

// Digests have one length, so not even that of the token shows.
bool shows_token(std::string_view authorization, std::string_view token) {
    constexpr std::size_t scheme = 7;
    if (token.empty() || !is_bearer(authorization.substr(0, scheme))) {
        return false;
    }
    const Digest shown = digest(trimmed(authorization.substr(scheme)));
    const Digest wanted = digest(token);
    return CRYPTO_memcmp(shown.data(), wanted.data(), wanted.size()) == 0;
}

}  // namespace ome::observer
