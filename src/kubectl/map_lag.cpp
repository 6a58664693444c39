#include "map_lag.hpp"

#include "output.hpp"
#include <ome/routing/traffic_pass.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace ome::kubectl {
namespace {

constexpr const char* who_writes = "does a controller run, and may it write?";

const routing::Entry* entry_of(const WhyFacts& facts, const std::string& cluster) {
    for (const routing::Entry& entry : facts.map->spec.entries) {
        if (entry.cluster == cluster) {
            return &entry;
        }
    }
    return nullptr;
}

bool holds(const routing::Entry& entry, const std::string& id) {
    return std::find(entry.drain_refs.begin(), entry.drain_refs.end(), id) !=
           entry.drain_refs.end();
}

std::optional<core::WallTime> lapsed_at(const WhyFacts& facts, const routing::Drain& drain) {
    for (const routing::DrainExpiry& expiry : facts.expiries) {
        if (expiry.drain == drain && expiry.until <= facts.now) {
            return expiry.until;
        }
    }
    return std::nullopt;
}

// Empty: as it should be.
std::string lag_of(const WhyFacts& facts, const routing::Drain& drain, bool frozen) {
    const routing::Entry* entry = entry_of(facts, drain.cluster);
    if (const auto at = lapsed_at(facts, drain)) {
        return fmt::format(
            "drain {} lapsed {} ago and is not taken off yet: {}",
            clean(drain.id),
            age_text(facts.now - *at),
            frozen ? std::string("the map is frozen")
                   : fmt::format("{} OME's own controller knows no expiry", who_writes));
    }
    if (entry == nullptr || holds(*entry, drain.id)) {
        return "";
    }
    return frozen
               ? fmt::format("drain {} is not in force: the map is frozen", clean(drain.id))
               : fmt::format("the map does not hold drain {} yet: {}", clean(drain.id), who_writes);
}

// Empty: the map has the home as the service says it is.
std::string difference_of(const routing::Home& home, const routing::Entry* entry) {
    if (entry == nullptr) {
        return "no entry yet";
    }
    if (entry->endpoint != home.endpoint) {
        return "another endpoint";
    }
    if (entry->capacity.ready != home.ready) {
        return fmt::format("ready {}, the map has {}", home.ready, entry->capacity.ready);
    }
    return "";
}

}  // namespace

std::vector<std::string> drain_lags(const WhyFacts& facts, bool frozen) {
    std::vector<std::string> out;
    if (!facts.drains_known) {
        return out;  // which freezes the map: nothing is known of what is wanted
    }
    for (const routing::Drain& drain : facts.drains) {
        if (std::string lag = lag_of(facts, drain, frozen); !lag.empty()) {
            out.push_back(std::move(lag));
        }
    }
    return out;
}

std::vector<std::string> drains_left_behind(const WhyFacts& facts, bool frozen) {
    std::vector<std::string> out;
    if (!facts.drains_known) {
        return out;
    }
    for (const routing::Entry& entry : facts.map->spec.entries) {
        for (const std::string& id : entry.drain_refs) {
            if (std::none_of(facts.drains.begin(), facts.drains.end(), [&](const auto& drain) {
                    return drain.id == id && drain.cluster == entry.cluster;
                })) {
                out.push_back(
                    fmt::format("the map still holds {} by drain {}, which was taken off: {}",
                                clean(entry.cluster),
                                clean(id),
                                frozen ? "the map is frozen" : who_writes));
            }
        }
    }
    return out;
}

std::string home_lag(const WhyFacts& facts) {
    if (!routing::placed(facts.service)) {
        return "";
    }
    const std::vector<routing::Home> homes = routing::serving_homes(facts.service);
    std::vector<std::string> parts;
    for (const routing::Home& home : homes) {
        const std::string what = difference_of(home, entry_of(facts, home.cluster));
        if (!what.empty()) {
            parts.push_back(fmt::format("{} ({})", clean(home.cluster), what));
        }
    }
    for (const routing::Entry& entry : facts.map->spec.entries) {
        if (std::none_of(homes.begin(), homes.end(), [&entry](const routing::Home& home) {
                return home.cluster == entry.cluster;
            })) {
            parts.push_back(fmt::format("{} (no home any more)", clean(entry.cluster)));
        }
    }
    return parts.empty()
               ? std::string()
               : fmt::format("the map has not followed what the service says now of {}: {}",
                             fmt::join(parts, ", "),
                             who_writes);
}

}  // namespace ome::kubectl
