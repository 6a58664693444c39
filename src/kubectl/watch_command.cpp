// `kubectl ome traffic watch`
#include "commands.hpp"
#include "map_change.hpp"
#include "output.hpp"
#include "output_failed.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/text.hpp>
#include <ome/wire/json_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace ome::kubectl {
namespace {

constexpr core::Duration look_for_interrupts = std::chrono::milliseconds(250);

struct Arguments {
    std::vector<std::string> names;
    std::string output = "table";
    std::string timeout;
    bool all_namespaces = false;
    bool initial = false;
};

/// Turns changes of objects into lines.
class Follower {
public:
    Follower(Session& session, const Arguments& arguments)
        : session_(session), arguments_(arguments) {}

    /// False: nobody reads any more.
    bool take(const std::vector<Change>& changes) {
        for (const Change& change : changes) {
            const bool wanted =
                arguments_.names.empty() ||
                std::find(arguments_.names.begin(), arguments_.names.end(), change.key.name) !=
                    arguments_.names.end();
            if (wanted && !take_map(change)) {
                return false;
            }
        }
        first_ = false;
        return true;
    }

private:
    bool take_map(const Change& change) {
        std::optional<routing::TrafficMap> next;
        if (!change.object.is_null()) {
            auto map = wire::read_traffic_map(change.object);
            if (!map) {
                return print(
                    change.key,
                    "the map cannot be understood: " + core::sanitize_detail(map.error().message));
            }
            next = *std::move(map);
        }
        const auto held = maps_.find(change.key);
        const auto lines =
            changes_between(held != maps_.end() ? &held->second : nullptr, next ? &*next : nullptr);
        if (next) {
            maps_[change.key] = *std::move(next);
        } else {
            maps_.erase(change.key);
        }
        const bool quiet = first_ && !arguments_.initial;
        return quiet || std::all_of(lines.begin(), lines.end(), [&](const std::string& line) {
                   return print(change.key, line);
               });
    }

    bool print(const core::ServiceKey& key, const std::string& line) {
        const std::string at = stamp_text(session_.now().wall);
        if (arguments_.output == "json") {
            return session_.terminal().out(
                wire::to_text(json::object{
                    {"time", at}, {"namespace", key.ns}, {"name", key.name}, {"change", line}}) +
                "\n");
        }
        return session_.terminal().out(fmt::format("{}  {}/{}  {}\n", at, key.ns, key.name, line));
    }

    Session& session_;
    const Arguments& arguments_;
    std::map<core::ServiceKey, routing::TrafficMap> maps_;
    bool first_ = true;
};

// Of the services to follow one that is not there, and has left no map; where that can be told.
std::optional<core::ServiceKey> missing(Session& session,
                                        Cluster& cluster,
                                        const Arguments& arguments) {
    if (arguments.all_namespaces) {
        return std::nullopt;
    }
    const auto is_missing = [&](Kind kind, const core::ServiceKey& key) {
        const auto object = cluster.get(kind, key, session.request_time());
        return !object && object.error().what == Failure::NotFound;
    };
    for (const std::string& name : arguments.names) {
        const core::ServiceKey key{session.ns(), name};
        if (is_missing(Kind::InferenceService, key) && is_missing(Kind::TrafficMap, key)) {
            return key;
        }
    }
    return std::nullopt;
}

int run_watch(Session& session, const Arguments& arguments) {
    if (arguments.output != "table" && arguments.output != "json") {
        return session.fail("output must be table or json");
    }
    const auto timeout = core::parse_duration(arguments.timeout);
    if (!arguments.timeout.empty() && !timeout) {
        return session.fail(
            fmt::format("--timeout {} must be a duration such as 30s", arguments.timeout));
    }
    const auto cluster = session.cluster();
    if (!cluster) {
        return session.fail(cluster.error().message);
    }
    if (const auto key = missing(session, **cluster, arguments)) {
        return session.fail(fmt::format("watch trafficmaps: there is no InferenceService {}/{}",
                                        key->ns,
                                        core::sanitize_detail(key->name)));
    }
    auto watch = (*cluster)->watch(Kind::TrafficMap, arguments.all_namespaces ? "" : session.ns());
    if (!watch) {
        return session.fail(fmt::format("watch trafficmaps: {}", words_in_full(watch.error())));
    }
    Follower follower(session, arguments);
    const core::SteadyTime began = session.now().steady;
    while (!session.terminal().interrupted() &&
           (!timeout || session.now().steady - began < *timeout)) {
        const auto changes = (*watch)->next(look_for_interrupts);
        if (!changes) {
            return session.fail(
                fmt::format("watch trafficmaps: {}", words_in_full(changes.error())));
        }
        if (!follower.take(*changes)) {
            return output_failed(session);
        }
    }
    return 0;
}

constexpr const char* footer =
    "A line for each change that matters: weights with the reason, gates, reports, drains, homes\n"
    "that come and go, Routable and Published. Stamps of probes alone say nothing. Until Ctrl-C.\n"
    "\n"
    "Examples:\n"
    "  kubectl ome traffic watch -A\n"
    "  kubectl ome traffic watch chat search -n prod --initial\n"
    "  kubectl ome traffic watch -A -o json | jq -r .change\n"
    "\n"
    "Exit codes: 0 ended by Ctrl-C or --timeout, 1 failure.";

}  // namespace

void add_watch_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App& traffic = group(app, "traffic", "Drains, and why a weight is what it is");
    CLI::App* command =
        traffic.add_subcommand("watch", "Follow what changes in the maps, a line each");
    command->fallthrough();
    command->add_option("INFERENCESERVICE", arguments->names, "only these");
    command->add_flag("-A,--all-namespaces", arguments->all_namespaces, "of all namespaces");
    command->add_flag("--initial", arguments->initial, "begin with what is there");
    command->add_option("--timeout", arguments->timeout, "end after this time");
    command->add_option("-o,--output", arguments->output, "table or json (an object a line)")
        ->capture_default_str();
    command->footer(footer);
    command->callback([arguments, &run] {
        run = [arguments](Session& session) { return run_watch(session, *arguments); };
    });
}

}  // namespace ome::kubectl
