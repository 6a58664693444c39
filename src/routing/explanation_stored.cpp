// What a stored map says of its homes, and explanations as text.
#include "explanation_shares.hpp"
#include <ome/core/quantity.hpp>
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/routing/explanation.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::routing {
namespace {

std::string gate_text(const EntryProbe& probe) {
    const std::string message = probe.message.empty()
                                    ? std::string()
                                    : fmt::format(" ({})", core::sanitize_detail(probe.message));
    return "gated by probe" + message;
}

std::string drains_text(const std::vector<std::string>& ids) {
    std::vector<std::string> clean;
    clean.reserve(ids.size());
    for (const std::string& id : ids) {
        clean.push_back(core::sanitize_detail(id));
    }
    return fmt::format("drained by {}", fmt::join(clean, ", "));
}

std::string facts_of(const Entry& entry) {
    std::string text =
        fmt::format("allocated {}, ready {}", entry.capacity.allocated, entry.capacity.ready);
    if (entry.capacity.reported) {
        text += fmt::format(", ceiling {}", *entry.capacity.reported);
    }
    if (entry.capacity.factor) {
        text += fmt::format(", factor {}", core::decimal_of(*entry.capacity.factor));
    }
    if (entry.probe && entry.probe->gated) {
        text += "; " + gate_text(*entry.probe);
    }
    if (!entry.drain_refs.empty()) {
        text += "; " + drains_text(entry.drain_refs);
    }
    return text;
}

std::string routable_of(const TrafficMap* stored) {
    if (stored == nullptr) {
        return "there is no map whose weights could be in force";
    }
    const auto& conditions = stored->status.conditions;
    const auto found =
        std::find_if(conditions.begin(), conditions.end(), [](const Condition& condition) {
            return condition.type == "Routable";
        });
    return found == conditions.end() ? "the map has no condition Routable"
                                     : fmt::format("{}: {}", found->reason, found->message);
}

}  // namespace

void set_shares(std::vector<HomeExplanation>& homes) {
    std::int64_t sum = 0;
    for (const HomeExplanation& home : homes) {
        sum += home.weight;
    }
    for (HomeExplanation& home : homes) {
        home.share = sum > 0 ? static_cast<double>(home.weight) / static_cast<double>(sum) : 0;
    }
}

Explanation explain_frozen(const TrafficMap* stored, std::string why) {
    Explanation explanation;
    explanation.frozen = std::move(why);
    explanation.routable = routable_of(stored);
    if (stored == nullptr) {
        return explanation;
    }
    for (const Entry& entry : stored->spec.entries) {
        HomeExplanation& home = explanation.homes.emplace_back();
        home.cluster = entry.cluster;
        home.weight = entry.weight;
        const std::string facts = facts_of(entry);
        home.text = fmt::format("{} {}: in force as stored: {}", home.cluster, home.weight, facts);
        home.steps = {{"stored", facts, std::to_string(home.weight)}};
    }
    set_shares(explanation.homes);
    return explanation;
}

std::string sentence(const LastGood& held) {
    return fmt::format("the last good state is in force, since {}, because {} cannot be used: {}",
                       core::format_timestamp({held.since.seconds, 0}),
                       held.place,
                       held.problem.message);
}

std::string text_of(const Explanation& explanation, std::string_view indent) {
    std::string text;
    if (explanation.last_good) {
        text += sentence(*explanation.last_good) + "\n";
        text += indent;
    }
    if (!explanation.frozen.empty()) {
        text += fmt::format("frozen because {}\n", explanation.frozen);
        text += indent;
    }
    text += explanation.routable + "\n";
    for (const HomeExplanation& home : explanation.homes) {
        text += fmt::format("{}{}\n", indent, home.text);
    }
    if (!explanation.shadow.empty()) {
        text += fmt::format(
            "{}in shadow: probes gate nothing and ceilings lower nothing; with them "
            "it would be\n",
            indent);
    }
    for (const HomeExplanation& home : explanation.shadow) {
        text += fmt::format("{}  {}\n", indent, home.text);
    }
    for (const std::string& note : explanation.notes) {
        text += fmt::format("{}note: {}\n", indent, note);
    }
    return text;
}

}  // namespace ome::routing
