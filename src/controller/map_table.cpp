#include "map_table.hpp"

#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::controller {
namespace {

using core::Cell;
using core::Tone;

constexpr std::size_t longest_reason = 100;

std::string service_name(const routing::TrafficMap& map) {
    return fmt::format("{}/{}", map.meta.key.ns, map.meta.key.name);
}

std::int64_t total_weight(const routing::TrafficMapSpec& spec) {
    std::int64_t total = 0;
    for (const routing::Entry& entry : spec.entries) {
        total += entry.weight;
    }
    return total;
}

std::string share(std::int32_t weight, std::int64_t total) {
    return total == 0 ? "-" : fmt::format("{:.1f}%", 100.0 * weight / static_cast<double>(total));
}

Cell gate_cell(const std::optional<routing::EntryProbe>& probe) {
    if (!probe) {
        return {"-", Tone::Muted};
    }
    return probe->gated ? Cell("gated", Tone::Bad) : Cell("open", Tone::Good);
}

core::Row row(const std::string& service, const routing::Entry& entry, std::int64_t total) {
    return {
        service,
        core::sanitize_detail(entry.cluster),
        Cell(fmt::to_string(entry.weight), entry.weight == 0 ? Tone::Bad : Tone::Plain),
        share(entry.weight, total),
        fmt::to_string(entry.capacity.ready),
        fmt::to_string(entry.capacity.allocated),
        entry.capacity.reported ? Cell(fmt::to_string(*entry.capacity.reported))
                                : Cell("-", Tone::Muted),
        gate_cell(entry.probe),
        core::sanitize_detail(entry_reason(entry), longest_reason),
    };
}

std::string routable_text(const routing::TrafficMap& map) {
    const auto& conditions = map.status.conditions;
    const auto routable =
        std::find_if(conditions.begin(), conditions.end(), [](const routing::Condition& one) {
            return one.type == "Routable";
        });
    return routable == conditions.end()
               ? "no entries"
               : fmt::format("{}: {}", routable->reason, routable->message);
}

}  // namespace

core::Row map_table_heading() {
    core::Row heading;
    for (const char* name : {"SERVICE",
                             "CLUSTER",
                             "WEIGHT",
                             "SHARE",
                             "READY",
                             "ALLOCATED",
                             "CEILING",
                             "GATE",
                             "REASON"}) {
        heading.emplace_back(name, Tone::Heading);
    }
    return heading;
}

std::vector<core::Row> map_table_rows(const routing::TrafficMap& map) {
    const std::string service = service_name(map);
    if (map.spec.entries.empty()) {
        return {{service, "-", "-", "-", "-", "-", "-", "-", routable_text(map)}};
    }
    const std::int64_t total = total_weight(map.spec);
    std::vector<core::Row> rows;
    for (const routing::Entry& entry : map.spec.entries) {
        rows.push_back(row(service, entry, total));
    }
    return rows;
}

std::string entry_reason(const routing::Entry& entry) {
    const routing::EntryCapacity& capacity = entry.capacity;
    if (!entry.drain_refs.empty()) {
        return fmt::format("drained by {}", fmt::join(entry.drain_refs, ", "));
    }
    if (capacity.ready <= 0) {
        return "no ready replica";
    }
    if (capacity.allocated <= 0) {
        return capacity.source == routing::CapacitySource::Endpoint
                   ? "reports that it can serve nothing"
                   : "no replica admitted";
    }
    if (entry.probe && entry.probe->gated) {
        return fmt::format(
            "{}{}", entry.weight > 0 ? "traffic preserved: " : "", entry.probe->message);
    }
    if (entry.weight == 0) {
        return "withdrawn by the placement plan";
    }
    return capacity.fallback_reason;
}

}  // namespace ome::controller
