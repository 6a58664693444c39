#include <ome/wire/settings_document.hpp>

#include <boost/json/array.hpp>

namespace ome::wire {

boost::json::object settings_document(const std::vector<core::SettingInForce>& settings) {
    boost::json::array rows;
    for (const core::SettingInForce& row : settings) {
        rows.push_back({{"setting", row.name}, {"value", row.value}, {"source", row.source}});
    }
    return {{"settings", std::move(rows)}};
}

}  // namespace ome::wire
