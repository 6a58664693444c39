// Settings in force as JSON, for --print-config and for the API.
#pragma once

#include <ome/core/setting.hpp>

#include <boost/json/object.hpp>

#include <vector>

namespace ome::wire {

/// `{"settings":[{"setting","value","source"}]}`
[[nodiscard]] boost::json::object settings_document(
    const std::vector<core::SettingInForce>& settings);

}  // namespace ome::wire
