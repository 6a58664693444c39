#include "map_change.hpp"

#include <ome/core/quantity.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/zero_weight.hpp>

#include <fmt/format.h>

#include <map>

namespace ome::kubectl {
namespace {

using routing::Entry;

std::string clean(const std::string& text) {
    return core::sanitize_detail(text);
}

std::map<std::string, const Entry*> by_cluster(const routing::TrafficMap& map) {
    std::map<std::string, const Entry*> entries;
    for (const Entry& entry : map.spec.entries) {
        entries[entry.cluster] = &entry;
    }
    return entries;
}

std::string why_zero(const Entry& entry) {
    switch (routing::zero_weight(entry, false)) {
        case routing::ZeroWeight::Serving:
            return "";
        case routing::ZeroWeight::Drained:
            return clean(fmt::format("drained by {}", fmt::join(entry.drain_refs, ", ")));
        case routing::ZeroWeight::NotReady:
            return "no replica is ready";
        case routing::ZeroWeight::ReportsNothing:
            return "it reports that it can serve nothing";
        case routing::ZeroWeight::NotAdmitted:
            return "placement admitted no replica";
        case routing::ZeroWeight::Gated:
            return fmt::format(
                "gated by probe ({}, {})",
                clean(entry.probe->message),
                core::counted(static_cast<std::size_t>(entry.probe->consecutive_failures),
                              "failure",
                              "failures"));
        case routing::ZeroWeight::Withdrawn:
        case routing::ZeroWeight::Unexplained:
            break;
    }
    return "withdrawn by the placement plan, or for a reason the entry does not tell";
}

/// What else is new of a home, in the order in which it would change the weight.
std::vector<std::string> reasons(const Entry& before, const Entry& after) {
    std::vector<std::string> out;
    const auto counts = [](const Entry& entry) {
        return fmt::format("{}/{}", entry.capacity.ready, entry.capacity.allocated);
    };
    if (counts(before) != counts(after)) {
        out.push_back(fmt::format("ready/allocated {} -> {}", counts(before), counts(after)));
    }
    if (before.capacity.reported != after.capacity.reported && after.capacity.reported) {
        out.push_back(fmt::format("it reports {}", *after.capacity.reported));
    }
    if (before.capacity.fallback_reason != after.capacity.fallback_reason) {
        out.push_back(after.capacity.fallback_reason.empty()
                          ? "reports are back"
                          : "no report: " + clean(after.capacity.fallback_reason));
    }
    if (before.capacity.factor != after.capacity.factor) {
        out.push_back(
            fmt::format("factor {}", clean(core::decimal_of(after.capacity.factor.value_or("1")))));
    }
    const bool was_gated = before.probe && before.probe->gated;
    const bool is_gated = after.probe && after.probe->gated;
    if (was_gated != is_gated) {
        out.emplace_back(is_gated ? "gate closed" : "gate lifted");
    }
    if (before.drain_refs != after.drain_refs) {
        out.push_back(after.drain_refs.empty()
                          ? std::string("drains taken off")
                          : clean(fmt::format("drains: {}", fmt::join(after.drain_refs, ", "))));
    }
    if (before.endpoint != after.endpoint) {
        out.emplace_back("another endpoint");
    }
    return out;
}

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, "; "));
}

void append_entry(std::vector<std::string>& lines, const Entry& before, const Entry& after) {
    std::vector<std::string> why = reasons(before, after);
    if (before.weight != after.weight) {
        if (after.weight == 0) {
            why = {why_zero(after)};
        }
        lines.push_back(fmt::format("{} {} -> {}{}{}",
                                    after.cluster,
                                    before.weight,
                                    after.weight,
                                    why.empty() ? "" : ": ",
                                    joined(why)));
    } else if (!why.empty()) {
        lines.push_back(fmt::format("{} {}: {}", after.cluster, after.weight, joined(why)));
    }
}

std::string condition_text(const routing::Condition* condition) {
    return condition == nullptr ? std::string("not recorded")
                                : clean(fmt::format("{} {}", condition->status, condition->reason));
}

const routing::Condition* condition_of(const routing::TrafficMap& map, std::string_view type) {
    for (const routing::Condition& condition : map.status.conditions) {
        if (condition.type == type) {
            return &condition;
        }
    }
    return nullptr;
}

void append_conditions(std::vector<std::string>& lines,
                       const routing::TrafficMap& before,
                       const routing::TrafficMap& after) {
    for (const std::string_view type : {"Routable", "Published"}) {
        const routing::Condition* now = condition_of(after, type);
        const std::string old_text = condition_text(condition_of(before, type));
        const std::string new_text = condition_text(now);
        if (old_text != new_text) {
            lines.push_back(fmt::format("{} {} -> {}{}",
                                        type,
                                        old_text,
                                        new_text,
                                        now != nullptr && !now->message.empty()
                                            ? ": " + clean(now->message)
                                            : std::string()));
        }
    }
}

}  // namespace

std::vector<std::string> changes_between(const routing::TrafficMap* before,
                                         const routing::TrafficMap* after) {
    std::vector<std::string> lines;
    if (after == nullptr) {
        return before == nullptr ? lines : std::vector<std::string>{"the map is gone"};
    }
    const routing::TrafficMap none;
    if (before == nullptr) {
        lines.push_back(fmt::format("a new map with {}",
                                    core::counted(after->spec.entries.size(), "home", "homes")));
        before = &none;
    }
    const auto old_entries = by_cluster(*before);
    const auto new_entries = by_cluster(*after);
    for (const auto& [cluster, entry] : new_entries) {
        const auto old_entry = old_entries.find(cluster);
        if (old_entry != old_entries.end()) {
            append_entry(lines, *old_entry->second, *entry);
        } else {
            const std::string why = why_zero(*entry);
            lines.push_back(fmt::format("{} is a home with weight {}{}{}",
                                        cluster,
                                        entry->weight,
                                        why.empty() ? "" : ": ",
                                        why));
        }
    }
    for (const auto& [cluster, entry] : old_entries) {
        if (!new_entries.contains(cluster)) {
            lines.push_back(
                fmt::format("{} is no home any more; its weight was {}", cluster, entry->weight));
        }
    }
    append_conditions(lines, *before, *after);
    return lines;
}

}  // namespace ome::kubectl
