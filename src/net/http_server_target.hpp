// The first line's target taken apart, and whether a Host may speak to us. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::net {

struct RequestPlace {
    std::string path;                          ///< raw, without the query
    std::vector<std::string> segments;         ///< decoded
    std::map<std::string, std::string> query;  ///< decoded; the last of a name counts
    std::string repeated;                      ///< the first name given twice; empty: none is
    std::string authority;                     ///< of a target in absolute form; overrides Host
};

/// Absent when the target is none: not in origin, absolute or asterisk form, a malformed escape, or
/// a decoded NUL.
[[nodiscard]] std::optional<RequestPlace> parse_target(std::string_view target);

/// Guards against DNS rebinding: a page of an attacker's can make a browser connect here, but the
/// browser still says the attacker's name. `local_address`: the literal this connection came in on.
[[nodiscard]] bool host_allowed(std::string_view host_header,
                                std::string_view local_address,
                                const std::vector<std::string>& allowed_hosts);

}  // namespace ome::net
