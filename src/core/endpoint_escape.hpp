// Percent-escapes in the parts of a URL (contract/observer.md 3.1). What has to be escaped differs
// by part, and in a host and a zone most escapes are forbidden.
#pragma once

#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ome::core {

enum class UrlPart : std::uint8_t { Path, Fragment, Userinfo, Host, Zone };

/// Why a URL does not parse: `text`, with the quoted `piece` where it says `{}`. The piece is a
/// view of the parsed text, so that whoever shows it can tell where it stands and whether it is a
/// secret.
struct UrlFault {
    // Not an aggregate: a text alone must not convert to it, or no result could hold a string.
    UrlFault() = default;
    UrlFault(std::string_view says, std::string_view about) : text(says), piece(about) {}

    std::string_view text;
    std::string_view piece;
};

/// In quotes, and cut with `...` when that would be so long that a reader of the message, which
/// takes 4,096 bytes, could refuse it.
[[nodiscard]] std::string quote_foreign(std::string_view text);

[[nodiscard]] std::string to_message(const UrlFault& fault);

/// The decoded bytes, or the first malformed or forbidden piece.
[[nodiscard]] boost::system::result<std::string, UrlFault> unescape(std::string_view text,
                                                                    UrlPart part);

/// Everything that may not stand in that part as it is becomes `%XX`, upper case.
[[nodiscard]] std::string escape(std::string_view text, UrlPart part);

/// The escaped spelling of a path whose escapes are well-formed. A path that is a valid spelling
/// already stays as it is, `%2f` and sub-delimiters included; otherwise the whole path is decoded
/// and spelled anew, as the reference does it.
[[nodiscard]] std::string escaped_path(std::string_view path);

}  // namespace ome::core
