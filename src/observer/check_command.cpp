// `ome-observer check FILE...`
#include "commands.hpp"
#include <ome/net/text_file.hpp>
#include <ome/wire/check_report.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <memory>

namespace ome::observer {
namespace {

struct Arguments {
    std::vector<std::string> files;
    std::string output = "text";
};

int run_check(const Arguments& arguments) {
    const wire::CheckRun run = wire::check_files(arguments.files, [](const std::string& name) {
        return net::read_text_input(name, std::cin);
    });
    const std::string report =
        arguments.output == "json" ? wire::as_json(run.files) : wire::as_text(run.files);
    std::fputs(report.c_str(), stdout);
    for (const std::string& unreadable : run.unreadable) {
        std::fprintf(stderr, "error: %s\n", unreadable.c_str());
    }
    return wire::exit_code(run);
}

}  // namespace

void add_check_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand(
        "check",
        "Say what is wrong with configurations, declarations and spec.routing blocks before "
        "anything runs on them");
    command->add_option("FILE", arguments->files, "JSON or YAML files; - is standard input")
        ->required();
    command->add_option("--output,-o", arguments->output, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->footer(
        "Takes a multicluster configuration (or its ConfigMap), a declaration, a list of services\n"
        "as for --services, or an InferenceService; what a file is shows in its content. Limits\n"
        "come from a configuration among the files, otherwise they are the chart's.\n"
        "Exit code: 0 valid (warnings included), 1 a file cannot be read, 2 usage, 78 invalid.");
    command->callback([arguments, &run] { run = [arguments] { return run_check(*arguments); }; });
}

}  // namespace ome::observer
