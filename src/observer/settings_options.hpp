// Settings on the command line: options, --print-config, and what `serve` does before it begins.
#pragma once

#include "settings.hpp"

#include <boost/json/object.hpp>

#include <variant>

namespace CLI {
class App;
}

namespace ome::observer {

struct ServeOptions {
    FlagValues flags;
    bool print_config = false;
    std::string output = "table";
};

/// `options` must outlive the parsing.
void add_setting_options(CLI::App& app, ServeOptions& options);

/// A configuration file -> what it says of our settings.
using FileReader = std::function<core::Result<FileValues>(const std::string& path)>;

/// The settings to serve with, or the exit code when there is nothing to serve: 0 after
/// --print-config, 78 when something is wrong. Writes what it has to say to `out` and `err`.
[[nodiscard]] std::variant<Settings, int> prepare_settings(const ServeOptions& options,
                                                           const Environment& environment,
                                                           const FileReader& read_file,
                                                           std::string& out,
                                                           std::string& err);

/// `getenv` as an Environment.
[[nodiscard]] Environment process_environment();

/// In the order of the table.
[[nodiscard]] std::vector<SettingInForce> settings_in_force(const RawSettings& raw,
                                                            const std::string& config_file);

/// --print-config: setting, value, and where it came from.
[[nodiscard]] std::string print_settings_table(const std::vector<SettingInForce>& settings);
[[nodiscard]] boost::json::object settings_document(const std::vector<SettingInForce>& settings);

}  // namespace ome::observer
