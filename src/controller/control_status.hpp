// What the controller shows of itself at /status: as text with a table, and as JSON.
#pragma once

#include "control_api.hpp"
#include "engine.hpp"
#include <ome/core/time.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace ome::controller {

/// Those of the store and those of the configuration.
[[nodiscard]] std::vector<MissingRight> missing_rights(const Engine& engine,
                                                       const ConfigurationView& configuration);

/// Likewise, of what an API server does not do at the moment.
[[nodiscard]] std::vector<StoreTrouble> troubles(const Engine& engine,
                                                 const ConfigurationView& configuration);
/// With the Lease; null: there is none.
[[nodiscard]] const StoreTrouble* lease_trouble(const Engine& engine);

struct StatusFrame {
    std::string version;
    std::string store;     ///< `dir:/path`
    std::string observer;  ///< the URL
    core::Duration uptime{};
};

[[nodiscard]] boost::json::object status_document(const Engine& engine,
                                                  const ConfigurationView& configuration,
                                                  const StatusFrame& frame,
                                                  const core::Now& now);
[[nodiscard]] std::string status_text(const Engine& engine,
                                      const ConfigurationView& configuration,
                                      const StatusFrame& frame,
                                      const core::Now& now);

}  // namespace ome::controller
