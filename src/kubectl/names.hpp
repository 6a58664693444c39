// What may be a name: of objects, clusters and drains; and what must not be printed.
#pragma once

#include <string_view>

namespace ome::kubectl {

/// DNS-1123 label: at most 63 of a-z, 0-9, `-`, with a letter or digit at both ends.
[[nodiscard]] bool is_label(std::string_view text);

/// DNS-1123 subdomain: labels (of any length) joined by dots, at most 253 characters.
[[nodiscard]] bool is_subdomain(std::string_view text);

/// Looks like a key, a token or a password: it must not be written to an annotation nor shown.
[[nodiscard]] bool looks_like_credential(std::string_view text);

/// Valid UTF-8 without controls and other characters that do not print.
[[nodiscard]] bool is_printable(std::string_view text);

/// Without white space at either end.
[[nodiscard]] bool is_trimmed(std::string_view text);

}  // namespace ome::kubectl
