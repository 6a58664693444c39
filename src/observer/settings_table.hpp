// The one list of settings: flags, variables, --print-config and the README are made of it.
#pragma once

#include "settings.hpp"

#include <span>

namespace ome::observer {

enum class Shape : std::uint8_t {
    Value,
    List,    ///< repeatable; commas separate too
    Switch,  ///< true or false
};

struct Setting {
    std::string_view name;           ///< `--name` as a flag
    std::string_view default_value;  ///< empty: none
    std::string_view unit;
    std::string_view help;  ///< what it does, and why the default is what it is
    Shape shape;
    /// Puts the value in its place, or tells the rule it breaks (`must be ...`).
    std::optional<std::string> (*apply)(Settings&, const std::vector<std::string>&);
    std::string_view file_key = {};  ///< its path in the configuration file, if it may stand there
    bool reloads = false;  ///< SIGHUP brings a change into force; otherwise a restart does
};

[[nodiscard]] std::span<const Setting> settings_table();

[[nodiscard]] std::string flag_of(const Setting& setting);
/// `OME_OBSERVER_MAX_SAMPLES`
[[nodiscard]] std::string variable_of(const Setting& setting);

}  // namespace ome::observer
