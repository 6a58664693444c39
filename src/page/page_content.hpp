// What tools/embed_page makes of web/dist/status.html when the programs are built.
#pragma once

#include <string_view>

namespace ome::page {

/// The document, for the observer.
[[nodiscard]] std::string_view content();

/// Of its one script and its one style, as a Content-Security-Policy names them: `'sha256-...'`.
[[nodiscard]] std::string_view script_hash();
[[nodiscard]] std::string_view style_hash();

}  // namespace ome::page
