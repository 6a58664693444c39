// `kubectl ome get trafficmaps [NAME]` (contract/publisher-cli.md 2.1)
#include "commands.hpp"
#include "elsewhere.hpp"
#include "map_row.hpp"
#include "members.hpp"
#include "names.hpp"
#include "output_failed.hpp"
#include <ome/core/text.hpp>
#include <ome/wire/object_document.hpp>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace ome::kubectl {
namespace {

struct Arguments {
    std::vector<std::string> words;  ///< the resource, and perhaps a name
    std::string output = "table";
    std::string selector;
    bool all_namespaces = false;
};

bool is_trafficmaps(std::string word) {
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    });
    constexpr std::array<std::string_view, 4> names{"trafficmaps", "trafficmap", "tm", "tmap"};
    return std::find(names.begin(), names.end(), word) != names.end();
}

std::optional<std::string> usage_problem(const Arguments& arguments) {
    if (arguments.words.empty()) {
        return "name what to get: trafficmaps";
    }
    if (!is_trafficmaps(arguments.words[0])) {
        return fmt::format(
            "unknown resource type {}; it must be trafficmaps, trafficmap, tm or tmap",
            core::go_quote(arguments.words[0]));
    }
    if (arguments.words.size() > 2) {
        return "at most one NAME can be given";
    }
    if (!parse_format(arguments.output)) {
        return std::string(format_rule);
    }
    const bool named = arguments.words.size() == 2;
    if (named && arguments.all_namespaces) {
        return "NAME cannot be combined with -A/--all-namespaces";
    }
    if (named && !arguments.selector.empty()) {
        return "NAME cannot be combined with -l/--selector";
    }
    if (named && !is_subdomain(arguments.words[1])) {
        return fmt::format("invalid TrafficMap name {}", core::go_quote(arguments.words[1]));
    }
    return std::nullopt;
}

// As kubectl prints objects: who wrote which field is left out.
json::value as_printed(json::value object) {
    if (json::object* whole = object.if_object()) {
        json::value* meta = whole->if_contains("metadata");
        if (meta != nullptr && meta->is_object()) {
            meta->get_object().erase("managedFields");
        }
    }
    return object;
}

int print(Session& session,
          const Arguments& arguments,
          const std::vector<json::value>& maps,
          const json::value& whole) {
    const Format format = *parse_format(arguments.output);
    std::string text;
    if (format == Format::Json || format == Format::Yaml) {
        text = document(wire::with_sorted_members(whole), format);
    } else {
        const MapColumns columns{arguments.all_namespaces, format == Format::Wide};
        std::vector<TextRow> rows{map_header(columns)};
        for (const json::value& map : maps) {
            rows.push_back(map_row(map, columns, session.now().wall));
        }
        text = table(rows);
    }
    return session.terminal().out(text) ? 0 : output_failed(session);
}

int get_one(Session& session, Cluster& cluster, const Arguments& arguments) {
    const core::ServiceKey key{session.ns(), arguments.words[1]};
    const auto map = cluster.get(Kind::TrafficMap, key, session.request_time());
    if (!map) {
        return session.fail(
            fmt::format("get trafficmaps {}/{}: {}{}",
                        key.ns,
                        key.name,
                        words_of(map.error()),
                        elsewhere_hint(session, cluster, Kind::TrafficMap, key, map.error())));
    }
    return print(session, arguments, {*map}, as_printed(*map));
}

int list(Session& session, Cluster& cluster, const Arguments& arguments) {
    const std::string ns = arguments.all_namespaces ? "" : session.ns();
    const auto maps = list_all(cluster,
                               {.kind = Kind::TrafficMap, .ns = ns, .selector = arguments.selector},
                               session.request_time());
    if (!maps) {
        return session.fail(fmt::format(
            "list trafficmaps{}: {}", ns.empty() ? "" : " " + ns, words_of(maps.error())));
    }
    for (const std::string& problem : maps->left_out) {
        session.warn(problem);
    }
    if (maps->items.empty()) {
        session.terminal().err(ns.empty()
                                   ? std::string("No trafficmaps found\n")
                                   : fmt::format("No trafficmaps found in {} namespace.\n", ns));
        if (const Format format = *parse_format(arguments.output);
            format == Format::Table || format == Format::Wide) {
            return 0;
        }
    }
    json::array items;
    for (const json::value& map : maps->items) {
        items.push_back(as_printed(map));
    }
    const json::object list{{"apiVersion", "v1"},
                            {"items", std::move(items)},
                            {"kind", "List"},
                            {"metadata", json::object()}};
    return print(session, arguments, maps->items, list);
}

int run_get(Session& session, const Arguments& arguments) {
    if (const auto problem = usage_problem(arguments)) {
        return session.fail(*problem);
    }
    const auto cluster = session.cluster();
    if (!cluster) {
        return session.fail(cluster.error().message);
    }
    return arguments.words.size() == 2 ? get_one(session, **cluster, arguments)
                                       : list(session, **cluster, arguments);
}

constexpr const char* footer =
    "ROUTABLE, PUBLISHED and OVERRIDE are Unknown while they speak of an older table than the\n"
    "map's. -o wide adds the service, the entries with weight and the healthy ones, drains, the\n"
    "route, and whether the publisher has written the newest table.\n"
    "\n"
    "Examples:\n"
    "  kubectl ome get trafficmaps                     the maps of the namespace\n"
    "  kubectl ome get tm chat -n prod -o yaml         one map, whole\n"
    "  kubectl ome get tm -A -o wide                   all maps, with their routes\n"
    "  kubectl ome get tm -A -l team=search            those with a label\n"
    "  kubectl ome get tm -A --store dir:store         from a folder, no cluster\n"
    "\n"
    "Exit codes: 0 done, 1 failure.";

}  // namespace

void add_get_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("get", "List TrafficMaps, or show one");
    command->fallthrough();
    command->add_option("RESOURCE", arguments->words, "trafficmaps (tm, tmap), and perhaps a NAME");
    command->add_option("-o,--output", arguments->output, "table, wide, json or yaml")
        ->capture_default_str();
    command->add_option("-l,--selector", arguments->selector, "only maps with these labels");
    command->add_flag("-A,--all-namespaces", arguments->all_namespaces, "of all namespaces");
    command->footer(footer);
    command->callback([arguments, &run] {
        run = [arguments](Session& session) { return run_get(session, *arguments); };
    });
}

}  // namespace ome::kubectl
