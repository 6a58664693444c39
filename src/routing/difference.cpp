#include <ome/core/quantity.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <algorithm>

namespace ome::routing {
namespace {

using Seconds = std::optional<std::int64_t>;

Seconds whole_seconds(const std::optional<core::WallTime>& at) {
    return at ? Seconds(at->seconds) : std::nullopt;
}

bool same_quantity(const std::optional<std::string>& a, const std::optional<std::string>& b) {
    if (a == b || !a || !b) {
        return a == b;
    }
    const auto left = core::parse_quantity(*a);
    const auto right = core::parse_quantity(*b);
    return left && right && left->negative == right->negative && left->digits == right->digits &&
           left->exponent == right->exponent;
}

bool same_but_for_probe(Entry stored, Entry wanted) {
    if (!same_quantity(stored.capacity.factor, wanted.capacity.factor)) {
        return false;
    }
    stored.capacity.factor = wanted.capacity.factor = std::nullopt;
    stored.probe = wanted.probe = std::nullopt;
    return stored == wanted;
}

// Beyond the threshold a count says nothing new; below it, it says how near the gate is.
bool counts_for_nothing(std::int32_t a, std::int32_t b, const core::Policies& policies) {
    return a == b || (policies.probe && std::min(a, b) >= policies.probe->failure_threshold);
}

Difference compare(EntryProbe stored, EntryProbe wanted, const core::Policies& policies) {
    const bool same_time =
        whole_seconds(stored.last_probe_time) == whole_seconds(wanted.last_probe_time);
    const bool same_count = stored.consecutive_failures == wanted.consecutive_failures;
    if (!counts_for_nothing(stored.consecutive_failures, wanted.consecutive_failures, policies)) {
        return Difference::Substance;
    }
    stored.last_probe_time = wanted.last_probe_time = std::nullopt;
    stored.consecutive_failures = wanted.consecutive_failures = 0;
    if (stored != wanted) {
        return Difference::Substance;
    }
    return same_time && same_count ? Difference::None : Difference::TimesAlone;
}

Difference compare(const Entry& stored, const Entry& wanted, const core::Policies& policies) {
    if (!same_but_for_probe(stored, wanted) ||
        stored.probe.has_value() != wanted.probe.has_value()) {
        return Difference::Substance;
    }
    return stored.probe ? compare(*stored.probe, *wanted.probe, policies) : Difference::None;
}

}  // namespace

Difference difference(const TrafficMapSpec& stored,
                      const TrafficMapSpec& wanted,
                      const core::Policies& policies) {
    if (stored.service != wanted.service || stored.mode != wanted.mode ||
        stored.observed_isvc_generation != wanted.observed_isvc_generation ||
        stored.placement_plan_id != wanted.placement_plan_id ||
        stored.entries.size() != wanted.entries.size()) {
        return Difference::Substance;
    }
    Difference found = Difference::None;
    for (std::size_t i = 0; i < stored.entries.size(); ++i) {
        found = std::max(found, compare(stored.entries[i], wanted.entries[i], policies));
    }
    return found;
}

}  // namespace ome::routing
