// A URI reference taken apart (contract/observer.md 3.1), the way Go 1.26 does it: which texts are
// refused, in which order the parts are checked, and what is said.
#pragma once

#include "endpoint_escape.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ome::core {

/// Host and port, unescaped.
struct UrlHost {
    std::string name;  ///< without brackets and zone
    bool bracketed = false;
    std::string zone;
    std::string port;       ///< digits
    bool has_port = false;  ///< true also for a bare colon

    [[nodiscard]] bool empty() const { return name.empty() && !bracketed && !has_port; }

    /// Name and zone; bytes above ASCII may have been literal or escaped.
    [[nodiscard]] bool is_ascii() const;
};

struct ParsedUrl {
    std::string scheme;                   ///< lower case; empty in a relative reference
    bool opaque = false;                  ///< `mailto:x`: a scheme and no slash behind it
    std::optional<std::string> userinfo;  ///< escaped anew, without the `@`
    UrlHost host;
    std::string path;  ///< escaped, see escaped_path
    std::string query;
    bool has_query = false;
};

[[nodiscard]] boost::system::result<ParsedUrl, UrlFault> parse_url(std::string_view text);

}  // namespace ome::core
