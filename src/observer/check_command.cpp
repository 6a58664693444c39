// `ome-observer check FILE...`
#include "commands.hpp"
#include <ome/net/standard_output.hpp>
#include <ome/net/text_file.hpp>
#include <ome/wire/check_command.hpp>

#include <iostream>

namespace ome::observer {
namespace {

constexpr const char* footer =
    "Takes a multicluster configuration (or its ConfigMap), a declaration, a list of services\n"
    "as for --services, or an InferenceService; what a file is shows in its content. Limits\n"
    "come from a configuration among the files, otherwise they are the chart's.\n"
    "Exit code: 0 valid (warnings included), 1 a file cannot be read, 2 usage, 78 invalid.";

}  // namespace

void add_check_command(CLI::App& app, Run& run) {
    wire::add_check_command(
        app,
        run,
        {"Say what is wrong with configurations, declarations and spec.routing blocks before "
         "anything runs on them",
         footer},
        [](const std::string& name) { return net::read_text_input(name, std::cin); },
        [](const std::string& text, int code) {
            return net::exit_code_of(net::print(text), code);
        });
}

}  // namespace ome::observer
