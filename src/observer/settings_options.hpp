// Settings on the command line: options, --print-config, and what `serve` does before it begins.
#pragma once

#include "settings.hpp"
#include <ome/net/setting_options.hpp>

#include <variant>

namespace CLI {
class App;
}

namespace ome::observer {

using net::process_environment;

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

}  // namespace ome::observer
