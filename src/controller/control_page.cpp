#include "control_page.hpp"

#include <ome/core/duration.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/core/text_table.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/telemetry/process_metrics.hpp>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <array>
#include <utility>

namespace ome::controller {
namespace {

namespace json = boost::json;
using telemetry::MetricsPage;

double number(auto value) {
    return static_cast<double>(value);
}

double seconds(core::Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

telemetry::Labels labels_of(const core::ServiceKey& key) {
    return {{"namespace", key.ns}, {"trafficmap", key.name}};
}

void add_maps(MetricsPage& page, const std::vector<MapStatus>& maps) {
    for (const MapStatus& map : maps) {
        if (map.fallback_homes) {
            page.gauge(
                "ome_trafficmap_capacity_fallback_homes",
                "Number of homes currently using control-plane allocation because configured "
                "endpoint capacity did not produce a usable ceiling.",
                number(*map.fallback_homes),
                labels_of(map.key));
        }
    }
    for (const MapStatus& map : maps) {
        if (!map.published.empty()) {
            telemetry::Labels labels = labels_of(map.key);
            labels.emplace_back("publisher", "gatewayapi");
            page.gauge("ome_trafficmap_publication_fallback",
                       "1 while an earlier plan is published in place of the current one, which "
                       "this publisher never does.",
                       0,
                       labels);
        }
    }
    for (const MapStatus& map : maps) {
        if (!map.frozen.empty()) {
            page.gauge("ome_trafficmap_frozen",
                       "1 for each map that an error keeps as it was; the log, an event and the "
                       "status say why.",
                       1,
                       labels_of(map.key));
        }
    }
}

// What a dry run counts is no write.
void add_writes(MetricsPage& page, const ReconcilerCounts& counts, bool dry_run) {
    const std::array<std::pair<const char*, std::uint64_t>, 4> kinds{{
        {"created", counts.created},
        {"updated", counts.updated},
        {"stamps", counts.times_alone},
        {"deleted", counts.deleted},
    }};
    for (const auto& [kind, count] : kinds) {
        page.counter("ome_trafficmap_writes_total",
                     "Writes of maps: created, updated, stamps alone, deleted.",
                     dry_run ? 0 : number(count),
                     {{"kind", kind}});
    }
    if (!dry_run) {
        return;
    }
    for (const auto& [kind, count] : kinds) {
        page.counter("ome_trafficmap_dry_run_writes_total",
                     "What would have been written, by kind as writes_total: nothing was.",
                     number(count),
                     {{"kind", kind}});
    }
}

void add_counts(MetricsPage& page, const ReconcilerCounts& counts, bool dry_run) {
    page.gauge("ome_trafficmap_services", "InferenceServices known.", number(counts.services));
    page.gauge("ome_trafficmap_maps", "TrafficMaps stored.", number(counts.maps));
    page.counter("ome_trafficmap_passes_total", "Passes over a service.", number(counts.passes));
    page.counter("ome_trafficmap_pass_errors_total",
                 "Passes that ended with an error and froze the map.",
                 number(counts.pass_errors));
    page.gauge(
        "ome_trafficmap_queue_depth", "Services that wait for a pass.", number(counts.queued));
    page.gauge("ome_trafficmap_queue_age_seconds",
               "How long the first of them has waited.",
               seconds(counts.oldest));
    page.gauge("ome_trafficmap_writes_in_flight",
               "Writes that the store has not answered yet.",
               number(counts.writing));
    add_writes(page, counts, dry_run);
    page.counter("ome_trafficmap_write_conflicts_total",
                 "Writes that found another map than they expected, and were made again.",
                 number(counts.conflicts));
    page.counter("ome_trafficmap_write_failures_total",
                 "Writes that the store could not carry out.",
                 number(counts.write_failures));
    page.counter("ome_trafficmap_readings_total",
                 "Readings taken from the observer.",
                 number(counts.readings));
    page.gauge("ome_trafficmap_undeclared",
               "Services whose declaration to the observer is not up to date.",
               number(counts.undeclared));
}

void add_publications(MetricsPage& page, const Engine& engine) {
    const PublisherCounts counts = engine.publisher().counts();
    for (const auto& [reason, maps] : counts.maps) {
        page.gauge("ome_trafficmap_publications",
                   "Maps by the reason of their condition Published.",
                   number(maps),
                   {{"reason", reason}});
    }
    page.gauge("ome_trafficmap_routes_refused",
               "Published routes that their gateway does not accept or cannot resolve.",
               number(counts.refused));
    const auto writes = [&page](const char* kind, std::uint64_t value) {
        page.counter("ome_trafficmap_publisher_writes_total",
                     "Writes of the publisher: objects written, objects deleted, statuses of maps.",
                     number(value),
                     {{"kind", kind}});
    };
    writes("object", counts.object_writes);
    writes("delete", counts.object_deletes);
    writes("status", counts.status_writes);
    page.counter("ome_trafficmap_publisher_repairs_total",
                 "Objects put right after others had changed them.",
                 number(counts.repairs));
    page.counter("ome_trafficmap_publisher_conflicts_total",
                 "Writes that found another object than they expected, and were made again.",
                 number(counts.conflicts));
    page.counter("ome_trafficmap_publisher_failures_total",
                 "Writes of the publisher that the store could not carry out.",
                 number(counts.failures));
}

void add_link(MetricsPage& page, const Engine& engine, const core::Now& now) {
    const LinkStatus& link = engine.link();
    page.gauge("ome_trafficmap_observer_silent",
               "1 while nothing is heard from the observer and capacity falls open.",
               engine.reconciler().observer_silent(now) ? 1 : 0);
    page.counter("ome_trafficmap_observer_syncs_total",
                 "Times that everything was declared anew.",
                 number(link.syncs));
    page.counter("ome_trafficmap_observer_declarations_total",
                 "Declarations sent, those of whole sets included.",
                 number(link.declarations));
    page.gauge("ome_trafficmap_leading", "1 in the process that writes.", engine.writes() ? 1 : 0);
    page.gauge("ome_trafficmap_unusable_files",
               "Files of the store that cannot be used.",
               number(engine.complaints().size()));
}

// Bounded by MissingRights.
void add_rights(MetricsPage& page, const std::vector<MissingRight>& rights) {
    for (const MissingRight& right : rights) {
        page.gauge("ome_trafficmap_missing_right",
                   "1 for each right that the API server has refused and not given since; the log "
                   "and the status say what cannot be done meanwhile.",
                   1,
                   {{"verb", right.verb}, {"resource", right.resource}, {"namespace", right.ns}});
    }
}

void add_configuration(MetricsPage& page, const ConfigurationView& configuration) {
    page.gauge(
        "ome_trafficmap_configuration_unusable",
        "1 while the configuration that is there cannot be used; an earlier one is in force, "
        "if there was one.",
        configuration.problem.empty() ? 0 : 1);
}

void add_lease(MetricsPage& page, const Engine& engine) {
    const auto& lease = engine.store_state().lease;
    if (!lease) {
        return;
    }
    page.gauge("ome_trafficmap_lease_holder",
               "1, for who holds the Lease as this process last saw it; no holder: nobody.",
               1,
               {{"lease", lease->name}, {"holder", lease->holder}});
    page.gauge("ome_trafficmap_lease_transitions",
               "How often the Lease has changed hands.",
               number(lease->transitions));
    if (const auto renewed = core::parse_timestamp(lease->renewed)) {
        page.gauge("ome_trafficmap_lease_renewed_timestamp_seconds",
                   "When its holder renewed it last, by the holder's clock.",
                   number(renewed->seconds));
    }
}

std::string heard_text(const Engine& engine, const core::Now& now) {
    const auto heard = engine.reconciler().last_heard();
    if (!heard) {
        return "never heard";
    }
    const auto ago = std::chrono::floor<std::chrono::milliseconds>(now.steady - *heard);
    return fmt::format("heard {} ago", core::format_duration(ago));
}

const char* lead_text(const Engine& engine) {
    if (engine.leading() && !engine.ready()) {
        return engine.dry_run() ? "dry run, reading the store" : "reading the store";
    }
    if (engine.leading()) {
        return engine.dry_run() ? "dry run, nothing is written" : "leading";
    }
    return engine.lead_known() ? "standby" : "finding out who leads";
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

}  // namespace

std::vector<MissingRight> missing_rights(const Engine& engine,
                                         const ConfigurationView& configuration) {
    std::vector<MissingRight> all = configuration.missing_rights;
    const auto& more = engine.store_state().missing_rights;
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::string waiting_metrics(const ConfigurationView& configuration) {
    MetricsPage page;
    page.gauge("ome_trafficmap_leading", "1 in the process that writes.", 0);
    add_configuration(page, configuration);
    add_rights(page, configuration.missing_rights);
    telemetry::add_process_metrics(page);
    return telemetry::to_text(page);
}

std::string metrics_page(const Engine& engine,
                         const ConfigurationView& configuration,
                         const core::Now& now) {
    MetricsPage page;
    add_maps(page, engine.reconciler().statuses());
    add_counts(page, engine.reconciler().counts(now), engine.dry_run());
    page.histogram("ome_trafficmap_turn_seconds",
                   "One turn of the queue: up to 64 passes.",
                   engine.turn_seconds());
    page.histogram("ome_trafficmap_reading_to_map_seconds",
                   "From reading a change to the written map.",
                   engine.reconciler().write_seconds());
    add_publications(page, engine);
    add_link(page, engine, now);
    add_configuration(page, configuration);
    add_lease(page, engine);
    add_rights(page, missing_rights(engine, configuration));
    telemetry::add_process_metrics(page);
    return telemetry::to_text(page);
}

namespace {

json::array rights_document(const std::vector<MissingRight>& rights) {
    json::array all;
    for (const MissingRight& right : rights) {
        all.push_back({{"verb", right.verb},
                       {"resource", right.resource},
                       {"namespace", right.ns},
                       {"since", core::format_timestamp(right.since)},
                       {"hinders", right.hinders},
                       {"problem", right.problem}});
    }
    return all;
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
    return {{"name", lease.name},
            {"holder", lease.holder},
            {"ours", lease.ours},
            {"since", lease.since},
            {"renewed", lease.renewed},
            {"transitions", lease.transitions}};
}

std::string lease_text(const Engine& engine) {
    const auto& lease = engine.store_state().lease;
    if (!lease) {
        return {};
    }
    if (lease->holder.empty()) {
        return fmt::format("lease     {}: held by nobody\n", lease->name);
    }
    return fmt::format("lease     {}: held by {}{} since {}, renewed {}\n",
                       lease->name,
                       lease->holder,
                       lease->ours ? " (this process)" : "",
                       lease->since,
                       lease->renewed);
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
        text += fmt::format("missing right: {} since {}: {}\n",
                            spoken(right),
                            core::format_timestamp(right.since),
                            right.hinders);
    }
    return text;
}

}  // namespace

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
    if (const std::string& trouble = engine.store_state().trouble; !trouble.empty()) {
        document["trouble"] = trouble;
    }
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
        "store     {}: {} services, {} maps, {} unusable files\n"
        "observer  {}: {}, {}{}\n"
        "queue     {} waiting, {} writes in flight; {} passes, {}\n",
        frame.version,
        core::format_duration(std::chrono::floor<std::chrono::seconds>(frame.uptime)),
        lead_text(engine),
        frame.store,
        counts.services,
        counts.maps,
        engine.complaints().size(),
        frame.observer,
        link.connected ? "connected" : "not connected",
        heard_text(engine, now),
        link.problem.empty() ? "" : ": " + link.problem,
        counts.queued,
        counts.writing,
        counts.passes,
        writes_text(counts, engine.dry_run()));
    if (const std::string& trouble = engine.store_state().trouble; !trouble.empty()) {
        text += fmt::format("trouble   {}\n", trouble);
    }
    text += lease_text(engine);
    if (!configuration.problem.empty()) {
        text += fmt::format("config    {}; an earlier one is in force\n", configuration.problem);
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

namespace {

json::array homes_document(const std::vector<routing::HomeExplanation>& homes) {
    json::array all;
    for (const routing::HomeExplanation& home : homes) {
        json::array steps;
        for (const routing::Step& step : home.steps) {
            steps.push_back({{"what", step.what}, {"text", step.text}, {"value", step.value}});
        }
        all.push_back({{"cluster", home.cluster},
                       {"weight", home.weight},
                       {"share", home.share},
                       {"text", home.text},
                       {"steps", std::move(steps)}});
    }
    return all;
}

}  // namespace

json::object maps_document(const Reconciler& reconciler) {
    json::array maps;
    for (const auto& map : reconciler.maps()) {
        json::array entries;
        for (const routing::Entry& entry : map->spec.entries) {
            entries.push_back(json::object{{"cluster", entry.cluster},
                                           {"endpoint", core::mask_userinfo(entry.endpoint)},
                                           {"weight", entry.weight},
                                           {"drained", !entry.drain_refs.empty()},
                                           {"gated", entry.probe && entry.probe->gated}});
        }
        maps.push_back(json::object{{"namespace", map->meta.key.ns},
                                    {"name", map->meta.key.name},
                                    {"entries", std::move(entries)}});
    }
    return {{"maps", std::move(maps)}};
}

json::object explanation_document(const routing::Explanation& explanation) {
    json::object document{{"routable", explanation.routable},
                          {"homes", homes_document(explanation.homes)}};
    if (!explanation.frozen.empty()) {
        document["frozen"] = explanation.frozen;
    }
    if (!explanation.shadow.empty()) {
        document["shadow"] = homes_document(explanation.shadow);
    }
    if (const auto& held = explanation.last_good) {
        document["lastGood"] =
            json::object{{"since", core::format_timestamp({held->since.seconds, 0})},
                         {"at", held->place},
                         {"field", held->problem.field},
                         {"problem", held->problem.message}};
    }
    json::array notes;
    for (const std::string& note : explanation.notes) {
        notes.emplace_back(note);
    }
    document["notes"] = std::move(notes);
    return document;
}

}  // namespace ome::controller
