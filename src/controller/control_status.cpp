#include "control_status.hpp"

#include <ome/core/duration.hpp>
#include <ome/core/text_table.hpp>
#include <ome/core/timestamp.hpp>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::controller {
namespace {

namespace json = boost::json;

double seconds(core::Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

std::string counted(std::size_t number, std::string_view what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string heard_text(const Engine& engine, const core::Now& now) {
    const auto heard = engine.reconciler().last_heard();
    if (!heard) {
        return "never heard";
    }
    const auto ago = std::chrono::floor<std::chrono::milliseconds>(now.steady - *heard);
    return fmt::format("heard {} ago", core::format_duration(ago));
}

// As far as people read it: to the second.
std::string moment(core::WallTime at) {
    std::string text = core::format_timestamp({at.seconds, 0});
    if (const std::size_t fraction = text.find(".000"); fraction != std::string::npos) {
        text.erase(fraction, 4);
    }
    return text;
}

const char* lead_text(const Engine& engine) {
    if (engine.leading() && !engine.ready()) {
        return engine.dry_run() ? "dry run, reading the store" : "reading the store";
    }
    if (engine.leading()) {
        return engine.dry_run() ? "dry run, nothing is written" : "leading";
    }
    return engine.lead_known() && lease_trouble(engine) == nullptr ? "standby"
                                                                   : "finding out who leads";
}

json::object map_document(const MapStatus& map) {
    json::object document{{"namespace", map.key.ns},
                          {"name", map.key.name},
                          {"mode", map.mode},
                          {"homes", map.homes},
                          {"gated", map.gated},
                          {"routable", map.routable},
                          {"published", map.published}};
    if (map.fallback_homes) {
        document["fallbackHomes"] = *map.fallback_homes;
    }
    if (!map.frozen.empty()) {
        document["frozen"] = map.frozen;
    }
    return document;
}

json::array rights_document(const std::vector<MissingRight>& rights) {
    json::array all;
    for (const MissingRight& right : rights) {
        all.push_back({{"verb", right.verb},
                       {"resource", right.resource},
                       {"namespace", right.ns},
                       {"since", moment(right.since)},
                       {"hinders", right.hinders},
                       {"problem", right.problem}});
    }
    return all;
}

// In one line.
std::string spoken_trouble(const StoreTrouble& trouble) {
    return fmt::format("{}, since {}: {}", trouble.at, moment(trouble.since), trouble.problem);
}

void add_troubles(json::object& document, const std::vector<StoreTrouble>& troubles) {
    json::array all;
    for (const StoreTrouble& trouble : troubles) {
        all.push_back(
            {{"at", trouble.at}, {"since", moment(trouble.since)}, {"problem", trouble.problem}});
    }
    document["troubles"] = std::move(all);
    if (!troubles.empty()) {
        document["trouble"] = spoken_trouble(troubles.front());
    }
}

json::object configuration_document(const ConfigurationView& configuration) {
    json::object document{{"source", configuration.source},
                          {"problem", configuration.problem},
                          {"routingOff", configuration.routing_off}};
    json::array warnings;
    for (const std::string& warning : configuration.warnings) {
        warnings.emplace_back(warning);
    }
    document["warnings"] = std::move(warnings);
    return document;
}

json::object observer_document(const Engine& engine,
                               const StatusFrame& frame,
                               const core::Now& now) {
    const LinkStatus& link = engine.link();
    json::object document{{"url", frame.observer},
                          {"connected", link.connected},
                          {"instance", link.instance},
                          {"silent", engine.reconciler().observer_silent(now)},
                          {"problem", link.problem}};
    if (const auto heard = engine.reconciler().last_heard()) {
        const core::WallTime at = now.wall + (*heard - now.steady);
        document["heard"] = core::format_timestamp({at.seconds, 0});
    }
    return document;
}

json::object lease_document(const LeaseSeen& lease) {
    json::object document{{"name", lease.name},
                          {"holder", lease.holder},
                          {"ours", lease.ours},
                          {"since", lease.since},
                          {"renewed", lease.renewed},
                          {"transitions", lease.transitions}};
    if (lease.valid_until) {
        document["validUntil"] = moment(*lease.valid_until);
    }
    return document;
}

// What was seen last may be over.
std::string lease_doubts(const Engine& engine, const LeaseSeen& lease, const core::Now& now) {
    const StoreTrouble* trouble = lease_trouble(engine);
    if (trouble == nullptr) {
        return {};
    }
    const std::string until =
        !lease.valid_until
            ? ""
            : fmt::format("; {} {}",
                          now.wall < *lease.valid_until ? "valid until" : "ran out at",
                          moment(*lease.valid_until));
    return fmt::format("; neither read nor renewed since {}{}", moment(trouble->since), until);
}

std::string lease_text(const Engine& engine, const core::Now& now) {
    const auto& lease = engine.store_state().lease;
    if (!lease) {
        return {};
    }
    if (lease->holder.empty()) {
        return fmt::format("lease     {}: held by nobody\n", lease->name);
    }
    return fmt::format("lease     {}: held by {}{} since {}, renewed {}{}\n",
                       lease->name,
                       lease->holder,
                       lease->ours ? " (this process)" : "",
                       lease->since,
                       lease->renewed,
                       lease_doubts(engine, *lease, now));
}

std::uint64_t writes_of(const ReconcilerCounts& counts) {
    return counts.created + counts.updated + counts.times_alone + counts.deleted;
}

std::string writes_text(const ReconcilerCounts& counts, bool dry_run) {
    return fmt::format("{}{} created, {} updated, {} stamps, {} deleted",
                       dry_run ? "nothing written; would have been: " : "",
                       counts.created,
                       counts.updated,
                       counts.times_alone,
                       counts.deleted);
}

std::string rights_text(const std::vector<MissingRight>& rights) {
    std::string text;
    for (const MissingRight& right : rights) {
        text += fmt::format(
            "missing right: {} since {}: {}\n", spoken(right), moment(right.since), right.hinders);
    }
    return text;
}

}  // namespace

std::vector<MissingRight> missing_rights(const Engine& engine,
                                         const ConfigurationView& configuration) {
    std::vector<MissingRight> all = configuration.missing_rights;
    const auto& more = engine.store_state().missing_rights;
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::vector<StoreTrouble> troubles(const Engine& engine, const ConfigurationView& configuration) {
    std::vector<StoreTrouble> all = engine.store_state().troubles;
    const auto& more = configuration.troubles;
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

const StoreTrouble* lease_trouble(const Engine& engine) {
    const auto& all = engine.store_state().troubles;
    const auto found =
        std::find_if(all.begin(), all.end(), [](const auto& one) { return one.at == at_lease; });
    return found == all.end() ? nullptr : &*found;
}

json::object status_document(const Engine& engine,
                             const ConfigurationView& configuration,
                             const StatusFrame& frame,
                             const core::Now& now) {
    const ReconcilerCounts counts = engine.reconciler().counts(now);
    json::array maps;
    for (const MapStatus& map : engine.reconciler().statuses()) {
        maps.push_back(map_document(map));
    }
    json::array unusable;
    for (const auto& [file, complaint] : engine.complaints()) {
        unusable.push_back({{"at", complaint.place},
                            {"field", complaint.problem.field},
                            {"problem", complaint.problem.message}});
    }
    json::object document{
        {"version", frame.version},
        {"uptimeSeconds", seconds(frame.uptime)},
        {"store", frame.store},
        {"leading", engine.writes()},
        {"dryRun", engine.dry_run()},
        {"ready", engine.ready()},
        {"configuration", configuration_document(configuration)},
        {"observer", observer_document(engine, frame, now)},
        {"services", counts.services},
        {"queued", counts.queued},
        {"passes", counts.passes},
        {"writes", engine.dry_run() ? 0 : writes_of(counts)},
        {"maps", std::move(maps)},
        {"unusable", std::move(unusable)},
        {"missingRights", rights_document(missing_rights(engine, configuration))}};
    if (const auto& lease = engine.store_state().lease) {
        document["lease"] = lease_document(*lease);
    }
    add_troubles(document, troubles(engine, configuration));
    if (engine.dry_run()) {
        document["wouldWrite"] = writes_of(counts);
    }
    return document;
}

std::string status_text(const Engine& engine,
                        const ConfigurationView& configuration,
                        const StatusFrame& frame,
                        const core::Now& now) {
    const ReconcilerCounts counts = engine.reconciler().counts(now);
    const LinkStatus& link = engine.link();
    std::string text = fmt::format(
        "ome-trafficmap {}, up {}, {}\n"
        "store     {}: {}, {}, {}\n"
        "observer  {}: {}, {}{}\n"
        "queue     {} waiting, {} writes in flight; {} passes, {}\n",
        frame.version,
        core::format_duration(std::chrono::floor<std::chrono::seconds>(frame.uptime)),
        lead_text(engine),
        frame.store,
        counted(counts.services, "service"),
        counted(counts.maps, "map"),
        fmt::format("{} unusable", engine.complaints().size()),
        frame.observer,
        link.connected ? "connected" : "not connected",
        heard_text(engine, now),
        link.problem.empty() ? "" : ": " + link.problem,
        counts.queued,
        counts.writing,
        counts.passes,
        writes_text(counts, engine.dry_run()));
    for (const StoreTrouble& trouble : troubles(engine, configuration)) {
        text += fmt::format("trouble   {}\n", spoken_trouble(trouble));
    }
    text += lease_text(engine, now);
    if (!configuration.problem.empty()) {
        text += fmt::format("config    {}; an earlier one is in force\n", configuration.problem);
    }
    for (const std::string& warning : configuration.warnings) {
        text += fmt::format("warning   {}\n", warning);
    }
    if (!configuration.routing_off.empty()) {
        text += fmt::format("routing   OFF, no map is kept: {}\n", configuration.routing_off);
    }
    text += rights_text(missing_rights(engine, configuration));
    std::vector<core::Row> rows{
        {"MAP", "MODE", "HOMES", "GATED", "FALLBACK", "ROUTABLE", "PUBLISHED", "FROZEN"}};
    for (const MapStatus& map : engine.reconciler().statuses()) {
        rows.push_back({map.key.ns + "/" + map.key.name,
                        map.mode,
                        std::to_string(map.homes),
                        std::to_string(map.gated),
                        map.fallback_homes ? std::to_string(*map.fallback_homes) : "-",
                        map.routable,
                        map.published,
                        map.frozen});
    }
    text += "\n" + core::align(rows, false);
    for (const auto& [file, complaint] : engine.complaints()) {
        text += fmt::format("\nunusable: {}: {}", complaint.place, complaint.problem.message);
    }
    return text + (engine.complaints().empty() ? "" : "\n");
}

}  // namespace ome::controller
