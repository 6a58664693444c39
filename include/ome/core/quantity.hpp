// A Kubernetes quantity: `2`, `500m`, `1.5Ki`, `1e3`. Exact, whatever its size
// (contract/trafficmap.md 3.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ome::core {

/// The value is digits * 10^exponent, negated when `negative`. Zero has the digits `0` and no sign.
struct Quantity {
    enum class Form : std::uint8_t { DecimalSuffix, BinarySuffix, DecimalExponent };

    bool negative = false;
    std::string digits = "0";  ///< no leading and no trailing zero
    std::int64_t exponent = 0;
    Form form = Form::DecimalSuffix;

    [[nodiscard]] bool positive() const { return !negative && digits != "0"; }

    /// As Kubernetes writes it back: the largest suffix that leaves an integer.
    [[nodiscard]] std::string canonical() const;
    /// As people write numbers: `1.5`. Of more than 18 digits as canonical().
    [[nodiscard]] std::string decimal() const;
};

/// Absent: not a quantity. What is finer than 1n is rounded away from zero.
[[nodiscard]] std::optional<Quantity> parse_quantity(std::string_view text);

/// A quantity for people: `1.5` of `1500m`. What is none stays as it is.
[[nodiscard]] std::string decimal_of(const std::string& quantity);

}  // namespace ome::core
