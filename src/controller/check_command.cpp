// `ome-trafficmap check FILE...`
#include "commands.hpp"
#include <ome/net/standard_output.hpp>
#include <ome/net/text_file.hpp>
#include <ome/wire/check_command.hpp>

#include <iostream>

namespace ome::controller {
namespace {

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
    "  kubectl get configmap inferenceservice-config -n ome -o yaml |\n"
    "      ome-trafficmap check -\n"
    "\n"
    "Exit codes: 0 valid (warnings included), 1 a file cannot be read, 2 wrong usage, 78 invalid.";

}  // namespace

void add_check_command(CLI::App& app, Run& run) {
    wire::add_check_command(
        app,
        run,
        {"Say what is wrong with configurations and InferenceServices before they run",
         footer,
         wire::CheckFor::Controller},
        [](const std::string& name) { return net::read_text_input(name, std::cin); },
        [](const std::string& text, int code) {
            return net::exit_code_of(net::print(text), code);
        });
}

}  // namespace ome::controller
