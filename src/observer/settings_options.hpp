// Settings on the command line: options, --print-config, and what `serve` does before it begins.
#pragma once

#include "settings_file.hpp"
#include <ome/net/setting_options.hpp>

#include <variant>

namespace CLI {
class App;
}

namespace ome::observer {

using net::process_environment;

struct ServeOptions {
    FlagValues flags;
    std::vector<std::string> variables;  ///< names in the environment, to warn of misspelt ones
    bool print_config = false;
    std::string output = "table";
};

/// `options` must outlive the parsing.
void add_setting_options(CLI::App& app, ServeOptions& options);

/// As read_settings_file().
using FileReader = std::function<core::Result<ConfigFile>(const std::string& path)>;

/// What prepare_settings() has to say.
struct Words {
    std::string out;                    ///< for standard output
    std::string err;                    ///< for standard error
    std::vector<std::string> warnings;  ///< for the log; where nothing is served they are in `err`
    std::vector<std::string> problems;  ///< each as in `err`, without the program's name
    std::string config_file;            ///< as it was named: `--config FILE`; empty: none
};

/// The settings to serve with, or the exit code when there is nothing to serve: 0 after
/// --print-config, 78 when something is wrong.
[[nodiscard]] std::variant<Settings, int> prepare_settings(const ServeOptions& options,
                                                           const Environment& environment,
                                                           const FileReader& read_file,
                                                           Words& words);

}  // namespace ome::observer
