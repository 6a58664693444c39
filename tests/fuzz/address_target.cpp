#include "require.hpp"
#include "targets.hpp"
#include <ome/core/address_policy.hpp>

#include <arpa/inet.h>

#include <cstring>
#include <string>

namespace ome::fuzz {
namespace {

core::IpAddress address_of(std::string_view bytes) {
    core::IpAddress address;
    address.v6 = bytes.size() >= 16;
    std::memcpy(address.bytes.data(), bytes.data(), std::min<std::size_t>(bytes.size(), 16));
    return address;
}

// The C library reads the same addresses.
void check_text(const std::string& text) {
    if (text.find('\0') != std::string::npos) {
        require(!core::parse_address(text), "no address has a NUL");
        return;
    }
    const auto address = core::parse_address(text);
    std::array<unsigned char, 16> bytes{};
    const bool v4 = inet_pton(AF_INET, text.c_str(), bytes.data()) == 1;
    const bool v6 = !v4 && inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
    require(address.has_value() == (v4 || v6), "the C library reads the same addresses");
    if (address) {
        require(address->v6 == v6, "the family is the same");
        require(std::memcmp(address->bytes.data(), bytes.data(), v6 ? 16 : 4) == 0,
                "the bytes are the same");
    }
}

void check_range(std::string_view text, const core::IpAddress& address) {
    const auto range = core::parse_cidr(text);
    if (!range) {
        return require_readable(range.error().message);
    }
    require(range->contains(range->base), "a range has its own base");
    const auto policy = core::AddressPolicy::create({std::string(text)}, false);
    require(policy.has_value(), "a range makes a policy");
    require(!policy->allows(range->base), "the base of a denied range is denied");
    require(!range->contains(address) || !policy->allows(address), "what is denied is not allowed");
}

void check_allowed(const core::IpAddress& address) {
    const core::AddressPolicy policy;
    require(!core::is_loopback(address) || !policy.allows(address), "loopback is refused");
    if (const auto v4 = core::embedded_v4(address)) {
        require(policy.allows(*v4) || !policy.allows(address),
                "an address is not allowed where the one inside of it is not");
    }
}

}  // namespace

void check_address(std::string_view input) {
    const core::IpAddress address = address_of(input);
    check_text(std::string(input));
    check_range(input, address);
    check_allowed(address);
}

}  // namespace ome::fuzz
