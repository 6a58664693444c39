// Settings of a program on its command line and in its environment.
#pragma once

#include <ome/core/setting.hpp>
#include <ome/core/setting_rules.hpp>
#include <ome/net/listen_address.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace ome::net {

/// `flags` must outlive the parsing.
void add_setting_option(CLI::App& app,
                        std::string_view program,
                        const core::Setting& setting,
                        core::FlagValues& flags);

/// `getenv` as an Environment.
[[nodiscard]] core::Environment process_environment();

/// The names of the process's environment, in order.
[[nodiscard]] std::vector<std::string> process_variables();

/// The rule of a setting that says where to listen.
[[nodiscard]] core::setting_rules::Broken listen_rule(const core::setting_rules::Texts& texts,
                                                      ListenAddress& out);

}  // namespace ome::net
