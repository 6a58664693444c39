#include <ome/core/sha256.hpp>

#include <fmt/format.h>
#include <openssl/sha.h>

namespace ome::core {

std::string sha256_hex(std::string_view payload) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(payload.data()), payload.size(), digest);
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace ome::core
