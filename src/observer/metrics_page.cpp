#include "metrics_page.hpp"

#include <ome/telemetry/metrics.hpp>
#include <ome/telemetry/process_metrics.hpp>

#include <cstdlib>

namespace ome::observer {
namespace {

using telemetry::MetricsPage;

double number(auto value) {
    return static_cast<double>(value);
}

/// All reactors together, so that no label grows with the number of cores.
template <typename Value>
auto sum(const std::vector<ShardStats>& shards, Value value) {
    decltype(value(shards.front())) total{};
    for (const ShardStats& shard : shards) {
        total += value(shard);
    }
    return total;
}

Latency merged(const std::vector<ShardStats>& shards, auto member) {
    Latency total;
    for (const ShardStats& shard : shards) {
        total.merge(member(shard));
    }
    return total;
}

void add_attempts(MetricsPage& page, const std::vector<ShardStats>& shards) {
    const auto add =
        [&](const char* kind, const char* result, std::uint64_t core::AttemptTotals::*member) {
            page.counter(
                "ome_observer_attempts_total",
                "Attempts that ended, by kind and result.",
                number(sum(shards, [&](const ShardStats& s) { return s.fleet.attempts.*member; })),
                {{"kind", kind}, {"result", result}});
        };
    add("poll", "accepted", &core::AttemptTotals::polls_accepted);
    add("poll", "failed", &core::AttemptTotals::polls_failed);
    add("probe", "passing", &core::AttemptTotals::probes_passing);
    add("probe", "failing", &core::AttemptTotals::probes_failing);
    add("probe", "unknown", &core::AttemptTotals::probes_unknown);
    const auto no_result = [&](const char* reason, std::uint64_t core::AttemptTotals::*member) {
        page.counter(
            "ome_observer_attempts_without_result_total",
            "Attempts that changed nothing: cancelled by their owner, abandoned because this "
            "process stood still, or superseded by a declaration.",
            number(sum(shards, [&](const ShardStats& s) { return s.fleet.attempts.*member; })),
            {{"reason", reason}});
    };
    no_result("cancelled", &core::AttemptTotals::cancelled);
    no_result("stalled", &core::AttemptTotals::stalled);
    no_result("superseded", &core::AttemptTotals::superseded);
}

void add_latencies(MetricsPage& page, const std::vector<ShardStats>& shards) {
    constexpr std::array<std::pair<const char*, Latency KindStats::*>, 5> phases{{
        {"dns", &KindStats::dns},
        {"connect", &KindStats::connect},
        {"tls", &KindStats::tls},
        {"first_byte", &KindStats::first_byte},
        {"total", &KindStats::total},
    }};
    for (const core::Kind kind : {core::Kind::Poll, core::Kind::Probe}) {
        for (const auto& [phase, histogram] : phases) {
            const auto member = histogram;  // clang 14 captures no structured binding
            page.histogram("ome_observer_request_seconds",
                           "Time of an attempt, by kind and phase; a phase that did not happen is "
                           "not counted.",
                           merged(shards,
                                  [&](const ShardStats& s) -> const Latency& {
                                      return s.kinds[static_cast<std::size_t>(kind)].*member;
                                  }),
                           {{"kind", std::string(core::to_string(kind))}, {"phase", phase}});
        }
    }
    page.histogram(
        "ome_observer_slot_wait_seconds",
        "From an attempt being due to its start, first attempts included.",
        merged(shards, [](const ShardStats& s) -> const Latency& { return s.slot_wait; }));
    page.histogram(
        "ome_observer_schedule_lateness_seconds",
        "From an attempt being due to its start, first attempts left out.",
        merged(shards, [](const ShardStats& s) -> const Latency& { return s.lateness; }));
}

void add_budget(MetricsPage& page, const StatusFigures& figures) {
    const auto& shards = figures.shards;
    page.gauge("ome_observer_requests_in_flight",
               "Requests under way now.",
               number(sum(shards, [](const ShardStats& s) { return s.in_use; })));
    page.gauge("ome_observer_slots",
               "The request budget (maxConcurrentRequests).",
               number(figures.limits.max_concurrent_requests));
    page.gauge("ome_observer_slots_needed",
               "Slots that the homes need on average: latency divided by period, summed.",
               sum(shards, [](const ShardStats& s) { return s.needed; }));
    page.gauge("ome_observer_attempts_waiting",
               "Attempts that are due and wait for a slot.",
               number(sum(shards, [](const ShardStats& s) { return s.fleet.waiting; })));
}

void add_homes(MetricsPage& page, const StatusFigures& figures) {
    const auto& shards = figures.shards;
    page.gauge("ome_observer_services", "Services declared.", number(figures.services));
    page.gauge("ome_observer_homes",
               "Homes declared.",
               number(sum(shards, [](const ShardStats& s) { return s.fleet.homes; })));
    page.gauge("ome_observer_gated_homes",
               "Homes whose gate is closed.",
               number(sum(shards, [](const ShardStats& s) { return s.fleet.gated; })));
    page.gauge("ome_observer_fallback_homes",
               "Homes that are polled and have no ceiling.",
               number(sum(shards, [](const ShardStats& s) { return s.fleet.fallback; })));
    page.counter("ome_observer_reading_changes_total",
                 "Changes of readings that were announced.",
                 number(sum(shards, [](const ShardStats& s) { return s.reading_changes; })));
}

// Absent rather than 0 while no answer has told of one.
void add_extremes(MetricsPage& page, const std::vector<ShardStats>& shards) {
    std::optional<core::WallTime> expiry;
    std::optional<std::int32_t> skew;
    for (const ShardStats& shard : shards) {
        const core::FleetExtremes& found = shard.extremes;
        if (found.earliest_expiry && (!expiry || *found.earliest_expiry < *expiry)) {
            expiry = found.earliest_expiry;
        }
        if (found.largest_skew && (!skew || std::abs(*found.largest_skew) > std::abs(*skew))) {
            skew = found.largest_skew;
        }
    }
    if (expiry) {
        page.gauge("ome_observer_earliest_certificate_expiry_timestamp_seconds",
                   "When the first of the homes' certificates expires, in seconds since 1970.",
                   number(expiry->seconds));
    }
    if (skew) {
        page.gauge("ome_observer_largest_reporter_clock_skew_seconds",
                   "The reporter's clock that is farthest off by its Date header; positive: ahead.",
                   number(*skew));
    }
}

void add_connections(MetricsPage& page, const std::vector<ShardStats>& shards) {
    const auto add = [&](const char* name,
                         const char* help,
                         std::uint64_t net::ClientStats::*member) {
        page.counter(
            name, help, number(sum(shards, [&](const ShardStats& s) { return s.client.*member; })));
    };
    add("ome_observer_connects_total", "Connections opened.", &net::ClientStats::connects);
    add("ome_observer_connection_reuses_total",
        "Attempts begun on a kept connection.",
        &net::ClientStats::reuses);
    add("ome_observer_tls_handshakes_total",
        "TLS handshakes completed.",
        &net::ClientStats::handshakes);
    add("ome_observer_dns_lookups_total",
        "Lookups sent, one a family.",
        &net::ClientStats::lookups);
    add("ome_observer_refused_attempts_total",
        "Attempts that the address policy stopped.",
        &net::ClientStats::refused);
    add("ome_observer_descriptor_shortages_total",
        "Attempts that found no file descriptor.",
        &net::ClientStats::shortages);
    page.gauge("ome_observer_idle_connections",
               "Kept connections that wait for their next poll.",
               number(sum(shards, [](const ShardStats& s) { return s.client.idle_connections; })));
}

void add_recording(MetricsPage& page, const RecorderStats& recording) {
    const auto add = [&](const char* result, std::uint64_t lines) {
        page.counter("ome_observer_recorded_attempts_total",
                     "Lines for --record (attempts, and changes of what is observed): written, or "
                     "lost to a slow or full disk.",
                     number(lines),
                     {{"result", result}});
    };
    add("written", recording.written);
    add("lost", recording.lost);
}

void add_reactors(MetricsPage& page, const std::vector<double>& busy_seconds) {
    for (std::size_t i = 0; i < busy_seconds.size(); ++i) {
        page.counter("ome_observer_reactor_busy_seconds_total",
                     "CPU time of a reactor's thread.",
                     busy_seconds[i],
                     {{"reactor", std::to_string(i)}});
    }
}

}  // namespace

std::string metrics_page(const StatusFigures& figures) {
    MetricsPage page;
    add_attempts(page, figures.shards);
    add_latencies(page, figures.shards);
    add_budget(page, figures);
    add_homes(page, figures);
    add_extremes(page, figures.shards);
    add_connections(page, figures.shards);
    add_reactors(page, figures.busy_seconds);
    if (figures.recording) {
        add_recording(page, *figures.recording);
    }
    telemetry::add_process_metrics(page);
    return telemetry::to_text(page);
}

}  // namespace ome::observer
