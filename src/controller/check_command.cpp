// `ome-trafficmap check FILE...`
#include "commands.hpp"
#include <ome/net/text_file.hpp>
#include <ome/wire/check_report.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <memory>

namespace ome::controller {
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

constexpr const char* footer =
    "Takes the inferenceservice-config ConfigMap or the multicluster object in it, the values of\n"
    "the chart (ome.multicluster...), and InferenceServices, alone or as a List; what a file is\n"
    "shows in its content. InferenceServices are held to what the API server checks and to what\n"
    "the controller checks at each pass. Limits come from a configuration among the files,\n"
    "otherwise they are the chart's.\n"
    "\n"
    "Examples:\n"
    "  ome-trafficmap check values.yaml isvc.yaml\n"
    "  kubectl get isvc -A -o json | ome-trafficmap check -\n"
    "  kubectl get configmap inferenceservice-config -n ome -o yaml | ome-trafficmap check -\n"
    "\n"
    "Exit codes: 0 valid (warnings included), 1 a file cannot be read, 2 wrong usage, 78 invalid.";

}  // namespace

void add_check_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand(
        "check", "Say what is wrong with configurations and InferenceServices before they run");
    command->add_option("FILE", arguments->files, "JSON or YAML files; - is standard input")
        ->required();
    command->add_option("--output,-o", arguments->output, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->footer(footer);
    command->callback([arguments, &run] { run = [arguments] { return run_check(*arguments); }; });
}

}  // namespace ome::controller
