// What the controller shows of itself: metrics, and the status as a table and as JSON.
#pragma once

#include "engine.hpp"
#include <ome/core/time.hpp>

#include <boost/json/object.hpp>

#include <string>

namespace ome::controller {

[[nodiscard]] std::string metrics_page(const Engine& engine, const core::Now& now);

struct StatusFrame {
    std::string version;
    std::string store;     ///< `dir:/path`
    std::string observer;  ///< the URL
    core::Duration uptime{};
};

[[nodiscard]] boost::json::object status_document(const Engine& engine,
                                                  const StatusFrame& frame,
                                                  const core::Now& now);
[[nodiscard]] std::string status_text(const Engine& engine,
                                      const StatusFrame& frame,
                                      const core::Now& now);

[[nodiscard]] boost::json::object explanation_document(const routing::Explanation& explanation);

}  // namespace ome::controller
