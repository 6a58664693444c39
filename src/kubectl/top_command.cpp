// `kubectl ome traffic top`
#include "cluster_folder.hpp"
#include "commands.hpp"
#include "live_objects.hpp"
#include "map_state.hpp"
#include "members.hpp"
#include "output_failed.hpp"
#include <ome/core/deadline.hpp>
#include <ome/core/duration.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/stored_evidence.hpp>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

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

using Objects = std::map<core::ServiceKey, json::value>;

core::Problem list_problem(const std::string& ns, const ClusterError& error) {
    return {
        fmt::format("list trafficmaps{}: {}", ns.empty() ? "" : " " + ns, words_in_full(error))};
}

Answer<Objects> list_objects(Session& session, Cluster& cluster, Kind kind, const std::string& ns) {
    auto listed = list_all(cluster, {.kind = kind, .ns = ns}, session.request_time());
    if (!listed) {
        return listed.error();
    }
    for (const std::string& problem : listed->left_out) {
        session.warn(problem);
    }
    Objects objects;
    for (json::value& object : listed->items) {
        core::ServiceKey key{text_at(object, {"metadata", "namespace"}),
                             text_at(object, {"metadata", "name"})};
        objects[std::move(key)] = std::move(object);
    }
    return objects;
}

// Without the services it is not known which maps are frozen; the rest is worth showing.
void warn_of_services(Session& session, const ClusterError& error) {
    session.warn(fmt::format("list inferenceservices: {}", words_in_full(error)));
}

// In a folder a service may be there and not be read; a server has no such objects.
ServiceView service_of(const core::ServiceKey& key, const Objects& services, Cluster& cluster) {
    if (const auto found = services.find(key); found != services.end()) {
        return {.object = &found->second};
    }
    if (dynamic_cast<FolderCluster*>(&cluster) == nullptr) {
        return {};
    }
    const auto read = cluster.get(Kind::InferenceService, key, core::Duration::zero());
    const bool there = !read && read.error().what == Failure::Unreadable;
    return there ? ServiceView{.unusable = read.error().detail} : ServiceView{};
}

std::vector<MapState> states_of(const Objects& maps,
                                const Objects& services,
                                Cluster& cluster,
                                core::WallTime now) {
    const core::RoutingSettings installation = routing::assumed_installation();
    std::vector<MapState> states;
    for (const auto& [key, map] : maps) {
        states.push_back(map_state(map, service_of(key, services, cluster), installation, now));
    }
    for (const auto& [key, service] : services) {
        if (maps.contains(key)) {
            continue;
        }
        if (auto missing = missing_map_state(service, installation)) {
            states.push_back(*std::move(missing));
        }
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
    const auto missing = counts.find(Health::NoMap);
    const std::size_t maps = states.size() - (missing == counts.end() ? 0 : missing->second);
    return fmt::format("{}  {}: {}\n",
                       stamp_text(now),
                       core::counted(maps, "map", "maps"),
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

/// What the flags ask to see, and how.
struct View {
    std::string ns;  ///< empty: all namespaces
    Format format = Format::Table;
    core::Duration interval{};
    std::size_t most = 0;
    bool with_namespace = false;

    [[nodiscard]] bool as_table() const {
        return format == Format::Table || format == Format::Wide;
    }
};

std::string text_of(const View& view, std::vector<MapState> states, core::WallTime now) {
    const std::string summary = summary_of(states, now);
    if (view.most > 0 && states.size() > view.most) {
        states.resize(view.most);
    }
    return view.as_table() ? summary + state_table(states, view.with_namespace)
                           : document(state_document(states, now), view.format);
}

int show_once(Session& session, Cluster& cluster, const View& view) {
    const auto maps = list_objects(session, cluster, Kind::TrafficMap, view.ns);
    if (!maps) {
        return session.fail(list_problem(view.ns, maps.error()).message);
    }
    const auto services = list_objects(session, cluster, Kind::InferenceService, view.ns);
    if (!services) {
        warn_of_services(session, services.error());
    }
    const Objects none;
    const auto states = states_of(*maps, services ? *services : none, cluster, session.now().wall);
    return session.terminal().out(text_of(view, states, session.now().wall))
               ? 0
               : output_failed(session);
}

/// The table that stays current until Ctrl-C.
class Screen {
public:
    Screen(Session& session, Cluster& cluster, const View& view)
        : session_(session), cluster_(cluster), view_(view) {}

    int run() {
        auto maps = LiveObjects::open(cluster_, Kind::TrafficMap, view_.ns);
        if (!maps) {
            return session_.fail(list_problem(view_.ns, maps.error()).message);
        }
        auto services = LiveObjects::open(cluster_, Kind::InferenceService, view_.ns);
        if (!services) {
            warn_of_services(session_, services.error());
        }
        LiveObjects* known = services ? &*services : nullptr;
        const Objects none;
        do {
            const auto states = states_of(maps->objects(),
                                          known != nullptr ? known->objects() : none,
                                          cluster_,
                                          session_.now().wall);
            const std::string text = text_of(view_, states, session_.now().wall);
            if (!session_.terminal().out("\x1b[H\x1b[2J" +
                                         fitted(text, session_.terminal().columns()))) {
                return output_failed(session_);
            }
            if (const auto error = follow(*maps, known)) {
                return session_.fail(list_problem(view_.ns, *error).message);
            }
        } while (!session_.terminal().interrupted());
        return 0;
    }

private:
    // For one interval. The error is that of the maps; without the services they are still shown.
    std::optional<ClusterError> follow(LiveObjects& maps, LiveObjects*& services) {
        const auto until = core::later(std::chrono::steady_clock::now(), view_.interval);
        for (;;) {
            const core::Duration left = until - std::chrono::steady_clock::now();
            if (left <= core::Duration::zero() || session_.terminal().interrupted()) {
                return std::nullopt;
            }
            if (auto error = maps.follow(std::min(left, patience))) {
                return error;
            }
            if (services != nullptr && services->follow(core::Duration::zero())) {
                services = nullptr;
            }
        }
    }

    Session& session_;
    Cluster& cluster_;
    const View& view_;
};

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
    const View view{.ns = arguments.all_namespaces ? "" : session.ns(),
                    .format = *format,
                    .interval = *interval,
                    .most = arguments.most,
                    .with_namespace = arguments.all_namespaces};
    const bool live = view.as_table() && !arguments.once && session.terminal().is_screen();
    return live ? Screen(session, **cluster, view).run() : show_once(session, **cluster, view);
}

constexpr const char* footer =
    "STATE is the worst that is true of a map: NotRoutable, NoMap (a service that is to be routed\n"
    "has none), Frozen, Unreadable, Unpublished, Behind, Gated, Fallback, Drained, Fine. On a\n"
    "screen the table stays current until Ctrl-C.\n"
    "Frozen is what the service and the map tell: a map that the installation's configuration\n"
    "freezes shows by staying behind, or in `traffic why SERVICE --config FILE`.\n"
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
