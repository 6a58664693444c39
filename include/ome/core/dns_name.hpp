// Names as DNS and Kubernetes take them (RFC 1123).
#pragma once

#include <string_view>

namespace ome::core {

/// At most 63 of a-z, 0-9 and -, with a letter or digit at both ends.
[[nodiscard]] bool is_dns_label(std::string_view text);

/// At most 253; parts of the shape of labels, of any length, joined by dots.
[[nodiscard]] bool is_dns_subdomain(std::string_view text);

/// Empty, or at most 63 of letters, digits, -, _ and ., with a letter or digit at both ends.
[[nodiscard]] bool is_label_value(std::string_view text);

// The rules in words, for messages.
inline constexpr std::string_view dns_label_rule =
    "must be a DNS-1123 label: at most 63 of a-z, 0-9 and -, with a letter or digit at both ends";
inline constexpr std::string_view dns_subdomain_rule =
    "must be a DNS-1123 subdomain: at most 253 of a-z, 0-9, - and ., each part with a letter or "
    "digit at both ends";
inline constexpr std::string_view label_value_rule =
    "must be at most 63 of letters, digits, -, _ and ., with a letter or digit at both ends";

}  // namespace ome::core
