// `kubectl ome traffic top`
#include "commands.hpp"
#include "map_state.hpp"
#include "members.hpp"
#include "output_failed.hpp"
#include <ome/core/duration.hpp>
#include <ome/routing/stored_evidence.hpp>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <thread>

namespace ome::kubectl {
namespace {

constexpr core::Duration shortest_interval = std::chrono::milliseconds(200);
constexpr core::Duration patience = std::chrono::milliseconds(100);

struct Arguments {
    std::string output = "table";
    std::string interval = "2s";
    std::size_t most = 0;
    bool all_namespaces = false;
    bool once = false;
};

core::Result<std::vector<MapState>> states_of(Session& session,
                                              Cluster& cluster,
                                              const std::string& ns) {
    const auto maps =
        list_all(cluster, {.kind = Kind::TrafficMap, .ns = ns}, session.request_time());
    if (!maps) {
        return core::Problem{fmt::format(
            "list trafficmaps{}: {}", ns.empty() ? "" : " " + ns, words_of(maps.error()))};
    }
    for (const std::string& problem : maps->left_out) {
        session.warn(problem);
    }
    // Without the services it is not known which maps are frozen; the rest is worth showing.
    const auto services =
        list_all(cluster, {.kind = Kind::InferenceService, .ns = ns}, session.request_time());
    std::map<core::ServiceKey, const json::value*> by_key;
    if (services) {
        for (const json::value& service : services->items) {
            by_key[{text_at(service, {"metadata", "namespace"}),
                    text_at(service, {"metadata", "name"})}] = &service;
        }
    } else {
        session.warn(fmt::format("list inferenceservices: {}", words_of(services.error())));
    }
    const core::RoutingSettings installation = routing::assumed_installation();
    std::vector<MapState> states;
    for (const json::value& map : maps->items) {
        const auto service = by_key.find(
            {text_at(map, {"metadata", "namespace"}), text_at(map, {"metadata", "name"})});
        states.push_back(
            map_state(map, service != by_key.end() ? service->second : nullptr, installation));
    }
    sort_worst_first(states);
    return states;
}

std::string summary_of(const std::vector<MapState>& states, core::WallTime now) {
    std::map<Health, std::size_t> counts;
    for (const MapState& state : states) {
        ++counts[state.health];
    }
    std::vector<std::string> parts;
    for (const auto& [health, count] : counts) {
        parts.push_back(fmt::format("{} {}", count, to_string(health)));
    }
    return fmt::format("{}  {} maps: {}\n",
                       stamp_text(now),
                       states.size(),
                       states.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", ")));
}

// Lines of a screen that are too long would wrap and tear the table.
std::string fitted(const std::string& text, std::size_t columns) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        out += bounded(std::string_view(text).substr(begin, end - begin), columns) + "\n";
        begin = end + 1;
    }
    return out;
}

void sleep(Session& session, core::Duration interval) {
    const auto until = std::chrono::steady_clock::now() + interval;
    while (std::chrono::steady_clock::now() < until && !session.terminal().interrupted()) {
        std::this_thread::sleep_for(patience);
    }
}

int run_top(Session& session, const Arguments& arguments) {
    const auto format = parse_format(arguments.output);
    const auto interval = core::parse_duration(arguments.interval);
    if (!format) {
        return session.fail(format_rule);
    }
    if (!interval || *interval < shortest_interval) {
        return session.fail(fmt::format("--interval {} must be a duration of at least {}",
                                        arguments.interval,
                                        core::format_duration(shortest_interval)));
    }
    const auto cluster = session.cluster();
    if (!cluster) {
        return session.fail(cluster.error().message);
    }
    const std::string ns = arguments.all_namespaces ? "" : session.ns();
    const bool as_table = *format == Format::Table || *format == Format::Wide;
    const bool live = as_table && !arguments.once && session.terminal().is_screen();
    do {
        auto states = states_of(session, **cluster, ns);
        if (!states) {
            return session.fail(states.error().message);
        }
        const core::WallTime now = session.now().wall;
        const std::string summary = summary_of(*states, now);
        if (arguments.most > 0 && states->size() > arguments.most) {
            states->resize(arguments.most);
        }
        std::string text = as_table ? summary + state_table(*states, arguments.all_namespaces)
                                    : document(state_document(*states, now), *format);
        if (live) {
            text = "\x1b[H\x1b[2J" + fitted(text, session.terminal().columns());
        }
        if (!session.terminal().out(text)) {
            return output_failed(session);
        }
        if (live) {
            sleep(session, *interval);
        }
    } while (live && !session.terminal().interrupted());
    return 0;
}

constexpr const char* footer =
    "STATE is the worst that is true of a map: NotRoutable, Frozen, Unreadable, Unpublished, "
    "Behind,\n"
    "Gated, Fallback, Drained, Fine. On a screen the table stays current until Ctrl-C.\n"
    "\n"
    "Examples:\n"
    "  kubectl ome traffic top -A\n"
    "  kubectl ome traffic top -A --most 20 --interval 5s\n"
    "  kubectl ome traffic top -A --once -o json\n"
    "\n"
    "Exit codes: 0 done, 1 failure.";

}  // namespace

void add_top_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App& traffic = group(app, "traffic", "Drains, and why a weight is what it is");
    CLI::App* command = traffic.add_subcommand("top", "Show the maps live, the worst first");
    command->fallthrough();
    command->add_flag("-A,--all-namespaces", arguments->all_namespaces, "of all namespaces");
    command->add_flag("--once", arguments->once, "print once, also on a screen");
    command->add_option("--interval", arguments->interval, "between two looks")
        ->capture_default_str();
    command->add_option("--most", arguments->most, "rows; 0: all")->capture_default_str();
    command->add_option("-o,--output", arguments->output, "table, wide, json or yaml")
        ->capture_default_str();
    command->footer(footer);
    command->callback([arguments, &run] {
        run = [arguments](Session& session) { return run_top(session, *arguments); };
    });
}

}  // namespace ome::kubectl
