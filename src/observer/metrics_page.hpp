// What Prometheus reads at `/metrics`: one page over all reactors (design.md section 6).
#pragma once

#include "status_document.hpp"

#include <string>

namespace ome::observer {

[[nodiscard]] std::string metrics_page(const StatusFigures& figures);

}  // namespace ome::observer
