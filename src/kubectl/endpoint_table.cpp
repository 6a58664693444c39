// `placement endpoint` as a table of fields. Names longer than a cell print cut, as the contract
// wants them.
#include "endpoint_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ome::kubectl {
namespace {

constexpr std::size_t name_width = 18;
constexpr std::size_t value_width = 56;
constexpr std::size_t entries_without_wide = 4;

std::string or_word(const std::string& text, const char* suffix, const char* word) {
    return text.empty() ? word : text + suffix;
}

std::string preview_text(const Preview& preview) {
    return fmt::format(
        "{} {}/{}; truncated={}", preview.state, preview.kept, preview.total, preview.truncated);
}

std::string with_freshness(const ConditionView& view) {
    return fmt::format("{}: {} ({})", view.status, view.reason, to_string(view.freshness));
}

/// Adds the rows one after the other.
class Rows {
public:
    Rows(const EndpointReport& report, bool wide) : report_(report), wide_(wide) {}

    std::vector<Field> make() {
        add_placement();
        add_acquisition();
        add_routing();
        add_entries();
        add_issues("", false);
        add("Hint", "Routing generation does not date placement");
        add("Hint", "Recorded probes only; no CLI network probe");
        add("View", "Bounded cells; use -o json for complete identities");
        return std::move(fields_);
    }

private:
    void add(const char* name, std::string value) { fields_.emplace_back(name, std::move(value)); }

    void add_placement() {
        const PlacementView& placement = report_.placement;
        add("Mode", or_word(placement.mode, " (Declared)", "NotDeclared"));
        add("Placement", or_word(placement.phase, " (reported)", "NotReported"));
        add("Freshness", "Unverifiable");
        add("Input source", or_word(placement.input_source, " (Declared)", "NotDeclared"));
        add("Selectors", or_word(placement.selectors, " (Declared)", "NotDeclared"));
        add("Reported cluster", or_word(placement.cluster, "", "NotReported"));
        add("Endpoint origin", placement.endpoint.text());
        add("Service origin", placement.service_url.text());
        add("Home inspection", preview_text(placement.homes));
        add("Provenance inspect", preview_text(placement.provenance));
        add_issues("Placement", true);
    }

    void add_acquisition() {
        const Acquisition& acquisition = report_.acquisition;
        add("TrafficMap state", acquisition.state);
        add("TrafficMap reason", or_word(acquisition.reason, "", "-"));
        add("TrafficMap Returned", std::to_string(acquisition.returned));
        add("TrafficMap Admitted", std::to_string(acquisition.admitted));
        add("TrafficMap Pages", std::to_string(acquisition.pages));
        add("TrafficMap Complete", fmt::format("{}", acquisition.complete));
        add("TrafficMap Truncated", fmt::format("{}", acquisition.truncated));
    }

    void add_routing() {
        add("Entry inspection", preview_text(report_.entries.preview));
        add("Probe inspection", preview_text(report_.entries.probes));
        add("Condition inspect", preview_text(report_.conditions));
        add("Routing freshness", std::string(to_string(report_.routing)));
        add("Traffic override", with_freshness(report_.override_active));
        add("Capacity fallback", with_freshness(report_.capacity_fallback));
        const ConditionView& routable = report_.routable;
        add("Routable", fmt::format("{}: {}", routable.status, routable.reason));
        const std::string_view why = reason_of(routable.freshness);
        add("Routable freshness",
            why.empty() ? std::string(to_string(routable.freshness))
                        : fmt::format("{}: {}", to_string(routable.freshness), why));
        add("Published", with_freshness(report_.published));
        add("Publisher", report_.acknowledgement.state);
        add("Publisher fresh", std::string(to_string(report_.acknowledgement.freshness)));
    }

    void add_entries() {
        const std::vector<EntryView>& entries = report_.entries.entries;
        const std::size_t shown =
            wide_ ? entries.size() : std::min(entries.size(), entries_without_wide);
        if (entries.size() > entries_without_wide) {
            add("Route preview",
                fmt::format("{}/{}; use -o wide or json", shown, report_.entries.preview.total));
        }
        for (std::size_t i = 0; i < shown; ++i) {
            add_entry(entries[i]);
        }
    }

    void add_entry(const EntryView& entry) {
        add("Route home", entry.cluster);
        add("Endpoint origin", entry.address.text());
        add("Final weight", fmt::format("{}; healthy={}", entry.weight, entry.healthy));
        add("Recorded probe", entry.probe.result);
        add("Route evidence",
            fmt::format("drains={}; gate={}; fallback={}",
                        entry.drains,
                        entry.probe.gate(),
                        entry.fallback));
        add("Probe policy",
            entry.probe.digest.empty() ? entry.probe.digest_state : entry.probe.digest);
        if (wide_) {
            add_wide(entry);
        }
    }

    void add_wide(const EntryView& entry) {
        if (entry.capacity) {
            add("Capacity provenance", entry.capacity->source);
            add("Allocated count", entry.capacity->allocated.text());
            add("Ready count", entry.capacity->ready.text());
        }
        add("Probe freshness", entry.probe.freshness);
        add("Drain refs",
            entry.drain_refs.empty() ? entry.drain_preview.state
                                     : fmt::format("{}", fmt::join(entry.drain_refs, ", ")));
        add("Probe gate", entry.probe.gate());
        add("Home cap fallback", entry.fallback);
    }

    // Those of placement come with its rows, the others at the end.
    void add_issues(std::string_view prefix, bool of_placement) {
        for (const auto& [what, count] : report_.issues) {
            if (what.first.starts_with("Placement") == of_placement &&
                what.first.starts_with(prefix)) {
                add("Issue", fmt::format("{}: {} ({})", what.first, what.second, count));
            }
        }
    }

    const EndpointReport& report_;
    bool wide_;
    std::vector<Field> fields_;
};

}  // namespace

std::string endpoint_table(const EndpointReport& report, bool wide) {
    return field_table(Rows(report, wide).make(), name_width, value_width);
}

}  // namespace ome::kubectl
