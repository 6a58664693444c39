// Texts that leave the machine in a recording or a bug report: no userinfo, no query values, no
// values of members that are named like secrets.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace ome::observer {

/// Userinfo and the values behind a `?` become `***`, line by line.
[[nodiscard]] std::string redact_text(std::string_view text);

/// Every string in it; whole values of members such as `token` or `password`.
void redact(boost::json::value& document);

}  // namespace ome::observer
