// What CLI11 says about a wrong command line, in words that help.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
class ParseError;
}  // namespace CLI

namespace ome::net {

/// For CLI::App::failure_message() of a program whose commands are CLI11's subcommands.
[[nodiscard]] std::string usage_message(const CLI::App* app, const CLI::Error& error);

/// Prints what CLI11 has to say where it ends a program: help, the version, or what is wrong. The
/// exit code: 0, 1 when it could not be printed, `usage_error`.
[[nodiscard]] int end_of_parse(const CLI::App& app, const CLI::ParseError& error, int usage_error);

}  // namespace ome::net
