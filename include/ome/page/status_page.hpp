// The status page: one self-contained document for browsers, built from web/ and embedded. It holds
// no data: what it shows it asks the API for, from which it came.
#pragma once

#include <ome/net/http_server.hpp>

#include <cstdint>
#include <string_view>

namespace ome::page {

/// Whose page it is, and so which API it asks.
enum class Mode : std::uint8_t { Observer, Controller };

/// Whether the header Accept asks for HTML by name, as browsers do; `*/*` of curl does not.
[[nodiscard]] bool names_html(std::string_view accept);

/// The page, with headers that let it run its own script, talk to its own origin, and nothing else.
[[nodiscard]] net::ServerResponse status_page(Mode mode);

}  // namespace ome::page
