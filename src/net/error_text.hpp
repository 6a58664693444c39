// Words for what went wrong, fit to be shown (design.md D8): no control characters, nothing longer
// than it must be, no ephemeral port, and the same words for the same failure, since a changed
// message is announced as a change.
#pragma once

#include <boost/system/error_code.hpp>

#include <string>
#include <string_view>

namespace ome::net {

/// At most 64 bytes of `text` in printable ASCII; everything else as `\xNN`.
[[nodiscard]] std::string printable(std::string_view text);

/// printable(), in double quotes.
[[nodiscard]] std::string quoted(std::string_view text);

/// `connection refused`, `connection reset by peer`, ...
[[nodiscard]] std::string words(const boost::system::error_code& error);

/// The process or the machine has no file descriptor left: our fault, not the peer's.
[[nodiscard]] bool is_descriptor_shortage(const boost::system::error_code& error);

}  // namespace ome::net
