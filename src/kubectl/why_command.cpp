// `kubectl ome traffic why INFERENCESERVICE [--cluster C]`
#include "action_text.hpp"
#include "cluster_folder.hpp"
#include "commands.hpp"
#include "elsewhere.hpp"
#include "members.hpp"
#include "names.hpp"
#include "output_failed.hpp"
#include "why_gateway.hpp"
#include "why_report.hpp"
#include <ome/net/text_file.hpp>
#include <ome/wire/config_document.hpp>
#include <ome/wire/inference_service_document.hpp>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>

namespace ome::kubectl {
namespace {

struct Arguments {
    std::vector<std::string> names;
    std::string cluster;
    std::string config;
    std::string output = "table";
};

core::Result<std::optional<core::RoutingSettings>> read_installation(const std::string& path) {
    if (path.empty()) {
        return std::optional<core::RoutingSettings>();
    }
    const auto text = net::read_text_file(path);
    if (!text) {
        return text.error();
    }
    auto config = wire::read_config(*text);
    if (!config) {
        return core::Problem{fmt::format("{}: {}", path, config.error().message)};
    }
    return std::optional(std::move(config->routing));
}

// An object that is there and cannot be understood: a folder knows the line.
std::optional<std::string> trouble_in_folder(const Cluster& cluster, const core::ServiceKey& key) {
    const auto* folder = dynamic_cast<const FolderCluster*>(&cluster);
    return folder != nullptr ? folder->objects().trouble_of(key) : std::nullopt;
}

// Where it was looked for, and what is there: a namespace that nobody named is easily the wrong
// one.
std::string where_it_is_not(Session& session,
                            Cluster& cluster,
                            const core::ServiceKey& key,
                            const ClusterError& error) {
    if (error.what != Failure::NotFound) {
        return {};
    }
    constexpr std::size_t most_named = 5;
    std::vector<std::string> names;
    const auto all =
        list_all(cluster, {.kind = Kind::InferenceService, .ns = key.ns}, session.request_time());
    for (const json::value& object : all ? all->items : std::vector<json::value>()) {
        names.push_back(names.size() < most_named ? text_at(object, {"metadata", "name"}) : "...");
        if (names.size() > most_named) {
            break;
        }
    }
    const std::string others = !all ? ""
                               : names.empty()
                                   ? "; there are none"
                                   : fmt::format("; there are {}", fmt::join(names, ", "));
    return fmt::format(" (no {} in namespace {}{})", key.name, key.ns, others) +
           elsewhere_hint(session, cluster, Kind::InferenceService, key, error);
}

// Where nothing was said, the next command asks the same place without it.
std::string flags_of_place(const Connection& connection) {
    if (!connection.store.empty()) {
        return place_flag(connection.store);
    }
    return (connection.kubeconfig.empty()
                ? std::string()
                : fmt::format(" --kubeconfig={}", shell_word(connection.kubeconfig))) +
           place_flag(connection.context);
}

// Asked besides, and not demanded: who may read maps need not be let read routes.
void take_gateway(Cluster& cluster,
                  const core::ServiceKey& key,
                  const json::value& map,
                  core::Duration most,
                  WhyReport& report) {
    const auto route = route_of(map);
    if (!route) {
        return;
    }
    GatewayWord word = gateway_word(*route, cluster.route(key, *route, most));
    report.gateway = std::move(word.text);
    if (word.problem) {
        report.problems.push_back(*std::move(word.problem));
    }
}

int run_why(Session& session, const Arguments& arguments) {
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
    const auto installation = read_installation(arguments.config);
    if (!installation) {
        return session.fail(installation.error().message);
    }
    const auto cluster = session.cluster();
    if (!cluster) {
        return session.fail(cluster.error().message);
    }
    const core::ServiceKey key{session.ns(), arguments.names[0]};
    auto service = (*cluster)->get(Kind::InferenceService, key, session.request_time());
    // What cannot be read leaves its map as it was.
    const bool may_have_map = service || service.error().what == Failure::NotFound ||
                              service.error().what == Failure::Unreadable;
    const auto map = may_have_map ? (*cluster)->get(Kind::TrafficMap, key, session.request_time())
                                  : Answer<json::value>(service.error());
    if (service && map && !wire::read_inference_service(*service)) {
        if (const auto trouble = trouble_in_folder(**cluster, key)) {
            service = ClusterError{Failure::Unreadable, *trouble};
        }
    }
    if (!service && !map) {
        return session.fail(fmt::format("InferenceService read unavailable: {}{}",
                                        words_in_full(service.error()),
                                        where_it_is_not(session, **cluster, key, service.error())));
    }
    WhyReport report = why_report(key,
                                  service,
                                  map,
                                  arguments.cluster,
                                  *installation,
                                  flags_of_place(session.connection()),
                                  session.now().wall);
    if (map) {
        take_gateway(**cluster, key, *map, session.request_time(), report);
    }
    const bool as_text = *format == Format::Table || *format == Format::Wide;
    const std::string text = as_text ? why_text(report) : document(why_document(report), *format);
    return session.terminal().out(text) ? 0 : output_failed(session);
}

constexpr const char* footer =
    "From the InferenceService and its TrafficMap: each cluster's weight, the steps that lead to\n"
    "it, what they rest on and how old that is, and for a weight of 0 what would change it. Says\n"
    "as well when the map is frozen or behind, when the route does not follow it, and what the\n"
    "Gateway says of the route, where that may be read. Lines that begin with ! come first to "
    "mind.\n"
    "Clusters of the placement that are no homes are listed with the reason, and so is what the "
    "map\n"
    "does not hold yet of the service: drains, homes.\n"
    "\n"
    "A map that is frozen by the installation's configuration, and not by its service, is seen as\n"
    "that only with --config FILE.\n"
    "\n"
    "--cluster (or --workload-cluster) asks about one cluster, also one that is no home of the\n"
    "service. kubectl's own flag of that name goes before the command here:\n"
    "`kubectl ome --cluster hub traffic why ...`.\n"
    "\n"
    "`traffic status` and `traffic explain` are other names of this command.\n"
    "\n"
    "Examples:\n"
    "  kubectl ome traffic why chat -n prod\n"
    "  kubectl ome traffic why chat -n prod --cluster worker-b\n"
    "  kubectl ome traffic why chat -n prod --store dir:store --cluster worker-b\n"
    "  kubectl ome traffic why chat -n prod --config multicluster.json\n"
    "\n"
    "Exit codes: 0 done, also without a map; 1 failure.";

}  // namespace

void add_why_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App& traffic = group(app, "traffic", "Drains, and why a weight is what it is");
    CLI::App* command =
        traffic.add_subcommand("why", "Explain the weights of a service, above all those of 0");
    // What a drain's result names as the next step, and its sibling: with kubectl-ome-traffic
    // installed these words come here and not to OME's plugin.
    command->alias("status")->alias("explain");
    command->fallthrough();
    command->add_option("INFERENCESERVICE", arguments->names, "the service");
    command->add_option("--cluster,--workload-cluster", arguments->cluster, "only this home");
    command->add_option("--config", arguments->config, "the installation's configuration, a file");
    command->add_option("-o,--output", arguments->output, "table, wide, json or yaml")
        ->capture_default_str();
    command->footer(footer);
    command->callback([arguments, &run] {
        run = [arguments](Session& session) { return run_why(session, *arguments); };
    });
}

}  // namespace ome::kubectl
