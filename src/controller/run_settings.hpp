// The settings of `run`: one table says what there is; flags, environment and defaults are its
// sources (core/setting.hpp). The policies are in the configuration file.
#pragma once

#include "app.hpp"
#include <ome/core/setting.hpp>
#include <ome/telemetry/log.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

namespace ome::controller {

struct RunSettings {
    AppSettings app;  ///< without the configuration and the token, which are in files
    std::string token_file;
    telemetry::log::Format log_format = telemetry::log::Format::Text;
    telemetry::log::Level log_level = telemetry::log::Level::Info;
};

struct RunSetting : core::Setting {
    /// Puts the value in its place, or tells the rule it breaks (`must be ...`).
    using Apply = std::optional<std::string> (*)(RunSettings&, const std::vector<std::string>&);
    /// The stores with which it may be given.
    enum class Of : std::uint8_t { Any, Folder, Kube };

    Apply apply;
    Of of = Of::Any;
};

[[nodiscard]] std::span<const RunSetting> run_settings_table();
[[nodiscard]] const core::SettingList& run_setting_list();

struct RunOptions {
    core::FlagValues flags;
    bool print_config = false;
    std::string output = "table";
};

/// `options` must outlive the parsing.
void add_run_options(CLI::App& app, RunOptions& options);

/// The settings to run with, or the exit code when there is nothing to run: 0 after --print-config,
/// 2 when a setting without default is missing, 78 when something is wrong. Reads the
/// configuration. Writes what it has to say to `out` and `err`.
[[nodiscard]] std::variant<RunSettings, int> prepare_run(const RunOptions& options,
                                                         const core::Environment& environment,
                                                         std::string& out,
                                                         std::string& err);

}  // namespace ome::controller
