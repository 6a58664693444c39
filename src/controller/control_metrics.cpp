#include "control_metrics.hpp"

#include "control_status.hpp"
#include <ome/core/timestamp.hpp>
#include <ome/telemetry/metrics.hpp>
#include <ome/telemetry/process_metrics.hpp>

#include <array>
#include <utility>

namespace ome::controller {
namespace {

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

}  // namespace

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

}  // namespace ome::controller
