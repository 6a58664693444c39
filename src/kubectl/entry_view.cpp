#include "entry_view.hpp"

#include "members.hpp"
#include "names.hpp"
#include <ome/core/endpoint.hpp>
#include <ome/core/quantity.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/routing/fallback_code.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ome::kubectl {
namespace {

constexpr std::int64_t most_weight = 1'000'000;
constexpr std::size_t longest_factor = 256;
constexpr std::size_t longest_message = 4096;
constexpr std::size_t longest_drain_id = 128;

void count(Issues& issues, const char* group, std::string_view code) {
    ++issues[{group, std::string(code)}];
}

bool is_port(std::string_view text) {
    unsigned port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc{} && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

// Absent, or a number that is not negative.
bool is_count(const json::value& from, Path path) {
    return find(from, path) == nullptr || integer_at(from, path).value_or(-1) >= 0;
}

bool is_known_result(const std::string& result) {
    return result.empty() || result == "Passing" || result == "Failing" || result == "Unknown";
}

bool has_good_capacity(const json::value& entry) {
    if (find(entry, {"capacity"}) == nullptr) {
        return true;
    }
    const std::string source = text_at(entry, {"capacity", "source"});
    const std::string factor = text_at(entry, {"capacity", "factor"});
    if (!source.empty() && source != "ControlPlane" && source != "Endpoint") {
        return false;
    }
    const auto quantity = core::parse_quantity(factor);
    if (!factor.empty() && (factor.size() > longest_factor || !quantity || !quantity->positive())) {
        return false;
    }
    return is_count(entry, {"capacity", "allocated"}) && is_count(entry, {"capacity", "ready"}) &&
           is_count(entry, {"capacity", "reported"});
}

bool is_good(const json::value& entry) {
    const std::int64_t weight = integer_at(entry, {"weight"}).value_or(0);
    const bool weighted = find(entry, {"weight"}) == nullptr || integer_at(entry, {"weight"});
    return is_subdomain(text_at(entry, {"cluster"})) && weighted && weight >= 0 &&
           weight <= most_weight &&
           address_view(text_at(entry, {"endpoint"})).state != "InvalidEndpoint" &&
           has_good_capacity(entry) && is_known_result(text_at(entry, {"probe", "result"})) &&
           is_count(entry, {"probe", "consecutiveFailures"}) &&
           text_at(entry, {"probe", "message"}).size() <= longest_message;
}

bool is_digest(std::string_view text) {
    constexpr std::string_view prefix = "sha256:";
    return text.starts_with(prefix) && text.size() == prefix.size() + 64 &&
           std::all_of(text.begin() + prefix.size(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

bool is_drain_id(const std::string& id) {
    return !id.empty() && id.size() <= longest_drain_id && is_trimmed(id) && is_printable(id) &&
           !looks_like_credential(id);
}

// Empty when there is something that is no ID.
std::optional<std::vector<std::string>> drain_ids(const json::array& refs) {
    std::vector<std::string> ids;
    for (const json::value& ref : refs) {
        if (!ref.is_string() || !is_drain_id(std::string(ref.get_string()))) {
            return std::nullopt;
        }
        ids.emplace_back(ref.get_string());
    }
    std::sort(ids.begin(), ids.end());
    const bool twice = std::adjacent_find(ids.begin(), ids.end()) != ids.end();
    return twice ? std::nullopt : std::optional(std::move(ids));
}

void view_drains(const json::value& entry, EntryView& view, Issues& issues) {
    const json::array* refs = array_at(entry, {"drainRefs"});
    if (refs == nullptr) {
        return;
    }
    Preview& preview = view.drain_preview;
    preview.total = refs->size();
    auto ids = drain_ids(*refs);
    if (refs->size() > most_drains || !ids) {
        preview.state = refs->size() > most_drains ? "BudgetExceeded" : "MalformedPayload";
        view.drains = preview.state;
        count(issues, "DrainRefs", preview.state);
        return;
    }
    view.drains = std::to_string(ids->size());
    preview.truncated = ids->size() > most_drains_listed;
    ids->resize(std::min(ids->size(), most_drains_listed));
    preview.kept = ids->size();
    view.drain_refs = *std::move(ids);
}

std::optional<CapacityView> view_capacity(const json::value& entry) {
    if (find(entry, {"capacity"}) == nullptr) {
        return std::nullopt;
    }
    CapacityView view;
    view.allocated.value = integer_at(entry, {"capacity", "allocated"}).value_or(0);
    view.ready.value = integer_at(entry, {"capacity", "ready"}).value_or(0);
    view.factor = text_at(entry, {"capacity", "factor"});
    view.source = text_at(entry, {"capacity", "source"});
    view.source = view.source.empty() ? "UnknownOrDefaultedControlPlane" : view.source;
    view.reported = integer_at(entry, {"capacity", "reported"});
    return view;
}

// Empty: nothing is wrong with it.
std::string_view probe_problem(const json::value& entry, core::WallTime now) {
    if (find(entry, {"probe", "lastProbeTime"}) != nullptr) {
        const auto at = core::parse_timestamp(text_at(entry, {"probe", "lastProbeTime"}));
        if (!at) {
            return "MalformedPayload";
        }
        if (*at > now) {
            return "FutureObservationTime";
        }
    }
    const std::string digest = text_at(entry, {"probe", "policyDigest"});
    return !digest.empty() && !is_digest(digest) ? "MalformedPayload" : "";
}

void view_probe(const json::value& entry, core::WallTime now, ProbeView& view, Issues& issues) {
    if (find(entry, {"probe"}) == nullptr) {
        return;
    }
    view.recorded = true;
    if (const std::string_view problem = probe_problem(entry, now); !problem.empty()) {
        view.result = view.gated_state = view.freshness = "Invalid";
        view.digest_state = problem;
        count(issues, "RecordedProbes", problem);
        return;
    }
    view.result = text_at(entry, {"probe", "result"});
    view.result = view.result.empty() ? "Unknown" : view.result;
    view.digest = text_at(entry, {"probe", "policyDigest"});
    view.digest_state = view.digest.empty() ? "NotRecorded" : "Validated";
    view.gated = flag_at(entry, {"probe", "gated"});
    view.gated_state = "Reported";
    view.last_attempt = text_at(entry, {"probe", "lastProbeTime"});
    view.consecutive_failures = integer_at(entry, {"probe", "consecutiveFailures"}).value_or(0);
    view.freshness = "Unverifiable";  // no generation dates a probe
}

EntryView view_of(const json::value& entry, core::WallTime now, Issues& issues) {
    EntryView view;
    view.cluster = text_at(entry, {"cluster"});
    view.address = address_view(text_at(entry, {"endpoint"}));
    view.weight = integer_at(entry, {"weight"}).value_or(0);
    view.healthy = flag_at(entry, {"healthy"});
    view_drains(entry, view, issues);
    view.capacity = view_capacity(entry);
    view.fallback = routing::fallback_code(text_at(entry, {"capacity", "fallbackReason"}));
    if (view.fallback == "MalformedPayload") {
        count(issues, "CapacityFallbackReasons", view.fallback);
    }
    view_probe(entry, now, view.probe, issues);
    return view;
}

json::value without_reason(json::value entry) {
    if (json::value* capacity = entry.get_object().if_contains("capacity");
        capacity != nullptr && capacity->is_object()) {
        capacity->get_object().erase("fallbackReason");
    }
    return entry;
}

/// Entries of one cluster are one when they are alike; when their reasons alone differ, the
/// fallback is not known.
struct Merged {
    const json::value* entry;
    bool reasons_differ = false;
};

std::optional<std::map<std::string, Merged>> merge(const json::array& entries) {
    std::map<std::string, Merged> merged;
    for (const json::value& entry : entries) {
        const auto [held, fresh] =
            merged.try_emplace(text_at(entry, {"cluster"}), Merged{&entry, false});
        if (fresh || *held->second.entry == entry) {
            continue;
        }
        if (without_reason(*held->second.entry) != without_reason(entry)) {
            return std::nullopt;
        }
        held->second.reasons_differ = true;
    }
    return merged;
}

EntriesView refused(std::string_view why, std::size_t total, Issues& issues) {
    count(issues, "RoutingEntries", why);
    EntriesView view;
    view.preview = {std::string(why), total, 0, false};
    view.probes = {"Unavailable", 0, 0, false};
    return view;
}

Preview preview_of_probes(const std::vector<EntryView>& entries) {
    Preview preview;
    for (const EntryView& entry : entries) {
        preview.total += entry.probe.recorded ? 1U : 0U;
        preview.kept += entry.probe.recorded && entry.probe.result != "Invalid" ? 1U : 0U;
    }
    if (preview.total > 0) {
        preview.state = preview.kept == preview.total ? "Validated" : "Unavailable";
    }
    return preview;
}

}  // namespace

AddressView address_view(const std::string& endpoint) {
    if (endpoint.empty()) {
        return {};
    }
    AddressView view{.state = "InvalidEndpoint"};
    const auto parsed = core::canonicalize(endpoint);
    const bool usable = parsed && !parsed->host.empty() && is_printable(endpoint) &&
                        (parsed->port.empty() || is_port(parsed->port));
    if (!usable) {
        return view;
    }
    view.state = "Validated";
    view.origin = fmt::format("{}://{}{}{}",
                              parsed->https ? "https" : "http",
                              parsed->host,
                              parsed->port.empty() ? "" : ":",
                              parsed->port);
    view.path_present = !parsed->path.empty() && parsed->path != "/";
    return view;
}

std::string CountView::text() const {
    return value == 0 ? "Unknown" : fmt::format("{} (Reported)", value);
}

std::string ProbeView::gate() const {
    return gated_state == "Reported" ? (gated ? "True" : "False") : gated_state;
}

EntriesView entries_view(const json::value& map, core::WallTime now, Issues& issues) {
    const json::value* list = find(map, {"spec", "entries"});
    const json::array none;
    if (list != nullptr && !list->is_array()) {
        return refused("MalformedPayload", 0, issues);
    }
    const json::array& entries = list != nullptr ? list->get_array() : none;
    if (entries.size() > most_entries) {
        return refused("BudgetExceeded", entries.size(), issues);
    }
    if (!std::all_of(entries.begin(), entries.end(), is_good)) {
        return refused("MalformedPayload", entries.size(), issues);
    }
    const auto merged = merge(entries);
    if (!merged) {
        return refused("ConflictingDuplicates", entries.size(), issues);
    }
    EntriesView view;
    view.preview = {"Validated", merged->size(), 0, merged->size() > most_entries_kept};
    for (const auto& [cluster, one] : *merged) {
        if (view.entries.size() == most_entries_kept) {
            break;
        }
        view.entries.push_back(view_of(*one.entry, now, issues));
        if (one.reasons_differ) {
            view.entries.back().fallback = "ConflictingDuplicates";
            count(issues, "CapacityFallbackReasons", "ConflictingDuplicates");
        }
    }
    view.preview.kept = view.entries.size();
    view.probes = preview_of_probes(view.entries);
    return view;
}

}  // namespace ome::kubectl
