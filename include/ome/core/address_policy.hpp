// Which addresses an observation may dial (design.md section 5, "Address policy"; D19). Applied to
// what a name resolved to, on every connect, so that no endpoint reaches this machine or a cloud's
// metadata service, whatever its DNS record says.
#pragma once

#include <ome/core/problem.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

/// An IP address in network order; of an IPv4 address only the first four bytes count.
struct IpAddress {
    bool v6 = false;
    std::array<std::uint8_t, 16> bytes = {};

    friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

/// Strict dotted decimal or RFC 4291 text, without brackets and zone; absent for anything else.
[[nodiscard]] std::optional<IpAddress> parse_address(std::string_view text);

/// The IPv4 address that an IPv6 address stands for or leads to: v4-mapped, -compatible,
/// -translated, 6to4, and NAT64 (64:ff9b::/96, and 64:ff9b:1::/48 by its last 32 bits). Absent
/// otherwise.
[[nodiscard]] std::optional<IpAddress> embedded_v4(const IpAddress& address);

/// 127/8, 0/8, ::1, ::, and the IPv6 forms that embed such an IPv4 address.
[[nodiscard]] bool is_loopback(const IpAddress& address);

/// A range of addresses. An IPv4-mapped range is kept as the IPv4 range it means.
struct Cidr {
    IpAddress base;
    unsigned bits = 0;

    [[nodiscard]] bool contains(const IpAddress& address) const;
};

/// `10.0.0.0/8`, `fd00::/8`, or an address alone. Problem: text that is none, a prefix that is too
/// long, or bits set behind the prefix.
[[nodiscard]] Result<Cidr> parse_cidr(std::string_view text);

class AddressPolicy {
public:
    AddressPolicy() = default;

    /// Problem: the first CIDR that cannot be used, named.
    [[nodiscard]] static Result<AddressPolicy> create(const std::vector<std::string>& deny,
                                                      bool allow_loopback);

    /// An IPv6 address that embeds an IPv4 one must be allowed as both: a NAT64 or 6to4 gateway
    /// would otherwise carry a request to where it may not go.
    [[nodiscard]] bool allows(const IpAddress& address) const;

    [[nodiscard]] bool allows_loopback() const { return allow_loopback_; }

private:
    [[nodiscard]] bool denied(const IpAddress& address) const;

    std::vector<Cidr> deny_;
    bool allow_loopback_ = false;
};

}  // namespace ome::core
