// What CLI11 says about a wrong command line, in words that help.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace ome::net {

/// For CLI::App::failure_message() of a program whose commands are CLI11's subcommands.
[[nodiscard]] std::string usage_message(const CLI::App* app, const CLI::Error& error);

}  // namespace ome::net
