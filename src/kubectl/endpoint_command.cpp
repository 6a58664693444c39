// `kubectl ome placement endpoint INFERENCESERVICE` (contract/publisher-cli.md 2.2)
#include "commands.hpp"
#include "elsewhere.hpp"
#include "endpoint_report.hpp"
#include "names.hpp"
#include "output_failed.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace ome::kubectl {
namespace {

struct Arguments {
    std::vector<std::string> names;
    std::string output = "table";
};

int run_endpoint(Session& session, const Arguments& arguments) {
    if (arguments.names.size() != 1) {
        return session.fail("exactly one inference service is required");
    }
    const auto format = parse_format(arguments.output);
    if (!format) {
        return session.fail(format_rule);
    }
    if (!is_subdomain(arguments.names[0])) {
        return session.fail("invalid inference service name");
    }
    const auto cluster = session.cluster();
    if (!cluster) {
        return session.fail(cluster.error().message);
    }
    const core::ServiceKey key{session.ns(), arguments.names[0]};
    const auto service = (*cluster)->get(Kind::InferenceService, key, session.request_time());
    if (!service) {
        return session.fail(fmt::format(
            "InferenceService read unavailable: {}{}",
            words_of(service.error()),
            elsewhere_hint(session, **cluster, Kind::InferenceService, key, service.error())));
    }
    const auto map = (*cluster)->get(Kind::TrafficMap, key, session.request_time());
    const EndpointReport report = endpoint_report(*service, map, session.now().wall);
    const bool as_table = *format == Format::Table || *format == Format::Wide;
    const std::string text = as_table ? endpoint_table(report, *format == Format::Wide)
                                      : document(endpoint_document(report), *format);
    return session.terminal().out(text) ? 0 : output_failed(session);
}

constexpr const char* footer =
    "Reads the InferenceService and the TrafficMap of its name; changes nothing and sends nothing\n"
    "to any home. What it cannot vouch for it says in a word: NotRecorded, Unverifiable, Stale.\n"
    "For an explanation of the weights see `kubectl ome traffic why`.\n"
    "\n"
    "Examples:\n"
    "  kubectl ome placement endpoint chat -n prod\n"
    "  kubectl ome placement endpoint chat -n prod -o wide     capacity, gates, ...\n"
    "  kubectl ome placement endpoint chat -n prod -o json     complete\n"
    "\n"
    "Exit codes: 0 done, also without a map; 1 the InferenceService cannot be read.";

}  // namespace

void add_endpoint_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App& placement = group(app, "placement", "Where a service runs, and where it answers");
    CLI::App* command = placement.add_subcommand(
        "endpoint", "Show the homes of a service, their weights, and what is known of each");
    command->fallthrough();
    command->add_option("INFERENCESERVICE", arguments->names, "the service");
    command->add_option("-o,--output", arguments->output, "table, wide, json or yaml")
        ->capture_default_str();
    command->footer(footer);
    command->callback([arguments, &run] {
        run = [arguments](Session& session) { return run_endpoint(session, *arguments); };
    });
}

}  // namespace ome::kubectl
