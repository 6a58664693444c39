#include <ome/core/address_policy.hpp>
#include <ome/core/text.hpp>

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ome::core {
namespace {

constexpr std::array<std::uint8_t, 12> v4_mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::array<std::uint8_t, 12> v4_compatible_prefix{};
constexpr std::array<std::uint8_t, 12> v4_translated_prefix{
    0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0};
constexpr std::array<std::uint8_t, 12> nat64_prefix{0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

IpAddress v4_at(const IpAddress& address, std::size_t offset) {
    IpAddress v4;
    std::copy_n(address.bytes.begin() + static_cast<std::ptrdiff_t>(offset), 4, v4.bytes.begin());
    return v4;
}

bool begins_with(const IpAddress& address, const std::array<std::uint8_t, 12>& prefix) {
    return std::equal(prefix.begin(), prefix.end(), address.bytes.begin());
}

// RFC 8215. How much of the range an operator's prefix takes is not to be seen; 96 bits are usual.
bool is_local_nat64(const IpAddress& address) {
    constexpr std::array<std::uint8_t, 6> prefix{0, 0x64, 0xff, 0x9b, 0, 1};
    return std::equal(prefix.begin(), prefix.end(), address.bytes.begin());
}

bool bit(const IpAddress& address, unsigned index) {
    return ((address.bytes[index / 8] >> (7 - index % 8)) & 1) != 0;
}

bool same_bits(const IpAddress& a, const IpAddress& b, unsigned from, unsigned to) {
    for (unsigned index = from; index < to; ++index) {
        if (bit(a, index) != bit(b, index)) {
            return false;
        }
    }
    return true;
}

std::optional<unsigned> parse_bits(std::string_view text, unsigned most) {
    unsigned bits = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, bits);
    const bool ok = error == std::errc() && stopped == end && bits <= most;
    return ok ? std::optional(bits) : std::nullopt;
}

Cidr unmapped(const Cidr& range) {
    if (!range.base.v6 || range.bits < 96 || !begins_with(range.base, v4_mapped_prefix)) {
        return range;
    }
    return {v4_at(range.base, 12), range.bits - 96};
}

}  // namespace

std::optional<IpAddress> parse_address(std::string_view text) {
    const std::string terminated(text);
    IpAddress address;
    if (text.find('\0') != std::string_view::npos) {  // where the C library would stop reading
        return std::nullopt;
    }
    if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) == 1) {
        return address;
    }
    address.v6 = true;
    if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) {
        return address;
    }
    return std::nullopt;
}

std::optional<IpAddress> embedded_v4(const IpAddress& address) {
    if (!address.v6) {
        return std::nullopt;
    }
    if (begins_with(address, v4_mapped_prefix) || begins_with(address, v4_compatible_prefix) ||
        begins_with(address, v4_translated_prefix) || begins_with(address, nat64_prefix) ||
        is_local_nat64(address)) {
        return v4_at(address, 12);
    }
    if (address.bytes[0] == 0x20 && address.bytes[1] == 0x02) {
        return v4_at(address, 2);
    }
    return std::nullopt;
}

// ::1 and :: need no line of their own: as v4-compatible addresses they embed 0.0.0.1 and 0.0.0.0.
bool is_loopback(const IpAddress& address) {
    const IpAddress v4 = embedded_v4(address).value_or(address);
    return !v4.v6 && (v4.bytes[0] == 127 || v4.bytes[0] == 0);
}

bool Cidr::contains(const IpAddress& address) const {
    return address.v6 == base.v6 && same_bits(address, base, 0, bits);
}

Result<Cidr> parse_cidr(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::optional<IpAddress> base = parse_address(text.substr(0, slash));
    if (!base) {
        return Problem{fmt::format("{} is not an IP address or CIDR range", go_quote(text))};
    }
    const unsigned most = base->v6 ? 128 : 32;
    std::optional<unsigned> bits = most;
    if (slash != std::string_view::npos) {
        bits = parse_bits(text.substr(slash + 1), most);
    }
    if (!bits) {
        return Problem{
            fmt::format("{} must have a prefix length of 0 to {}", go_quote(text), most)};
    }
    if (!same_bits(*base, IpAddress{}, *bits, most)) {
        return Problem{
            fmt::format("{} has bits set behind its prefix of {}", go_quote(text), *bits)};
    }
    return unmapped({*base, *bits});
}

Result<AddressPolicy> AddressPolicy::create(const std::vector<std::string>& deny,
                                            bool allow_loopback) {
    AddressPolicy policy;
    policy.allow_loopback_ = allow_loopback;
    for (const std::string& text : deny) {
        const Result<Cidr> range = parse_cidr(text);
        if (!range) {
            return Problem{"deny-addresses: " + range.error().message, "deny-addresses"};
        }
        policy.deny_.push_back(*range);
    }
    return policy;
}

bool AddressPolicy::allows(const IpAddress& address) const {
    const std::optional<IpAddress> v4 = embedded_v4(address);
    return !denied(address) && (!v4 || !denied(*v4)) && (allow_loopback_ || !is_loopback(address));
}

bool AddressPolicy::denied(const IpAddress& address) const {
    return std::any_of(
        deny_.begin(), deny_.end(), [&](const Cidr& range) { return range.contains(address); });
}

}  // namespace ome::core
