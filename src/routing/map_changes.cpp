#include <ome/core/text.hpp>
#include <ome/routing/map_changes.hpp>
#include <ome/routing/observation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

namespace ome::routing {
namespace {

// What one kind of change says of a home; empty: nothing.
using Say = std::string (*)(const Entry& before, const Entry& after);

struct Kind {
    bool warning;
    std::string_view reason;
    Say say;
};

// A home that has begun to report has not lost or found anything.
bool is_beginning(std::string_view reason) {
    return reason == no_report_reason || reason.starts_with("capacity report awaiting quorum");
}

bool is_gated(const Entry& entry) {
    return entry.probe && entry.probe->gated;
}

std::string gate_closed(const Entry& before, const Entry& after) {
    if (is_gated(before) || !is_gated(after)) {
        return {};
    }
    // Not that it gets no traffic: when all are gated, PreserveTraffic lets it have some.
    return fmt::format("{} is gated: {} probe(s) in a row failed ({})",
                       after.cluster,
                       after.probe->consecutive_failures,
                       after.probe->message);
}

std::string gate_lifted(const Entry& before, const Entry& after) {
    return is_gated(before) && !is_gated(after)
               ? fmt::format("{} is not held back by its probe any more", after.cluster)
               : std::string();
}

std::string ceiling_lost(const Entry& before, const Entry& after) {
    const std::string& why = after.capacity.fallback_reason;
    if (!before.capacity.reported || why.empty() || is_beginning(why)) {
        return {};
    }
    return fmt::format("{} counts as planned: {}", after.cluster, why);
}

std::string ceiling_back(const Entry& before, const Entry& after) {
    const std::string& why = before.capacity.fallback_reason;
    if (!after.capacity.reported || why.empty() || is_beginning(why)) {
        return {};
    }
    return fmt::format(
        "{} reports again: {} replica(s) can serve", after.cluster, *after.capacity.reported);
}

// The drains of `some` that are not among `others`; both are sorted.
std::string difference_of(const Entry& some, const Entry& others) {
    std::vector<std::string> ids;
    std::set_difference(some.drain_refs.begin(),
                        some.drain_refs.end(),
                        others.drain_refs.begin(),
                        others.drain_refs.end(),
                        std::back_inserter(ids));
    std::string text;
    for (const std::string& id : ids) {
        text += (text.empty() ? "" : ", ") + id;
    }
    return text;
}

std::string drain_applied(const Entry& before, const Entry& after) {
    const std::string ids = difference_of(after, before);
    return ids.empty() ? ids : fmt::format("{} is drained by {}", after.cluster, ids);
}

std::string drain_removed(const Entry& before, const Entry& after) {
    const std::string ids = difference_of(before, after);
    return ids.empty() ? ids : fmt::format("{} is not drained by {} any more", after.cluster, ids);
}

constexpr std::array kinds{
    Kind{true, "GateClosed", gate_closed},
    Kind{false, "GateLifted", gate_lifted},
    Kind{true, "CeilingLost", ceiling_lost},
    Kind{false, "CeilingBack", ceiling_back},
    Kind{false, "DrainApplied", drain_applied},
    Kind{false, "DrainRemoved", drain_removed},
};

}  // namespace

std::vector<MapChange> map_changes(const TrafficMapSpec& before, const TrafficMapSpec& after) {
    static const Entry none;
    std::map<std::string_view, const Entry*> known;
    for (const Entry& entry : before.entries) {
        known.emplace(entry.cluster, &entry);
    }
    std::array<std::string, kinds.size()> messages;
    for (const Entry& entry : after.entries) {
        const auto found = known.find(entry.cluster);
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const std::string said =
                kinds[i].say(found == known.end() ? none : *found->second, entry);
            messages[i] += (messages[i].empty() || said.empty() ? "" : "; ") + said;
        }
    }
    std::vector<MapChange> changes;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (!messages[i].empty()) {
            changes.push_back(
                {kinds[i].warning, kinds[i].reason, core::sanitize_detail(messages[i])});
        }
    }
    return changes;
}

}  // namespace ome::routing
