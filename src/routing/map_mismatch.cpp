#include <ome/routing/map_mismatch.hpp>
#include <ome/routing/publication_status.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

namespace ome::routing {
namespace {

std::string text_of(const std::string& value) {
    return value;
}
std::string text_of(bool value) {
    return value ? "true" : "false";
}
template <typename Number>
requires std::is_integral_v<Number> std::string text_of(Number value) {
    return std::to_string(value);
}
std::string text_of(CapacitySource source) {
    return source == CapacitySource::Endpoint ? "Endpoint" : "ControlPlane";
}
std::string text_of(const std::vector<std::string>& values) {
    return fmt::format("{}", fmt::join(values, ","));
}
template <typename Value>
std::string text_of(const std::optional<Value>& value) {
    return value ? text_of(*value) : std::string();
}

class Comparison {
public:
    explicit Comparison(const core::Policies& policies) : policies_(policies) {}

    void compare(const TrafficMapSpec& live, const TrafficMapSpec& wanted) {
        add("spec.service", live.service, wanted.service);
        add("spec.mode", live.mode, wanted.mode);
        add("spec.observedISVCGeneration",
            live.observed_isvc_generation,
            wanted.observed_isvc_generation);
        add("spec.placementPlanID", live.placement_plan_id, wanted.placement_plan_id);
        // In the order of both lists, which are sorted.
        std::map<std::string_view, std::pair<const Entry*, const Entry*>> entries;
        for (const Entry& entry : live.entries) {
            entries[entry.cluster].first = &entry;
        }
        for (const Entry& entry : wanted.entries) {
            entries[entry.cluster].second = &entry;
        }
        for (const auto& [cluster, both] : entries) {
            compare(fmt::format("spec.entries[{}]", cluster), both.first, both.second);
        }
    }

    void compare(const TrafficMapStatus& live, const TrafficMapStatus& wanted) {
        add("status.sourceUID", live.source_uid, wanted.source_uid);
        for (const char* type : {"Routable", "CapacityFallback", "OverrideActive"}) {
            compare(type, find_condition(live, type), find_condition(wanted, type));
        }
    }

    [[nodiscard]] std::vector<Mismatch> take() { return std::move(found_); }

private:
    template <typename Value>
    void add(std::string field, const Value& live, const Value& wanted) {
        if (live != wanted) {
            found_.push_back({std::move(field), text_of(live), text_of(wanted)});
        }
    }

    // What difference() says counts: quantities by value, stamps not at all.
    [[nodiscard]] bool same(const Entry& live, const Entry& wanted) const {
        TrafficMapSpec one;
        TrafficMapSpec other;
        one.entries.push_back(live);
        other.entries.push_back(wanted);
        return difference(one, other, policies_) != Difference::Substance;
    }

    void compare(const std::string& at, const Entry* live, const Entry* wanted) {
        if (live == nullptr || wanted == nullptr) {
            found_.push_back({at, live ? "an entry" : "", wanted ? "an entry" : ""});
            return;
        }
        if (same(*live, *wanted)) {
            return;
        }
        add(at + ".endpoint", live->endpoint, wanted->endpoint);
        add(at + ".weight", live->weight, wanted->weight);
        add(at + ".healthy", live->healthy, wanted->healthy);
        compare(at + ".capacity", live->capacity, wanted->capacity);
        compare(at + ".probe", live->probe, wanted->probe);
        add(at + ".drainRefs", live->drain_refs, wanted->drain_refs);
    }

    void compare(const std::string& at, const EntryCapacity& live, const EntryCapacity& wanted) {
        add(at + ".allocated", live.allocated, wanted.allocated);
        add(at + ".ready", live.ready, wanted.ready);
        add(at + ".factor", live.factor, wanted.factor);
        add(at + ".source", live.source, wanted.source);
        add(at + ".reported", live.reported, wanted.reported);
        add(at + ".fallbackReason", live.fallback_reason, wanted.fallback_reason);
    }

    void compare(const std::string& at,
                 const std::optional<EntryProbe>& live,
                 const std::optional<EntryProbe>& wanted) {
        if (!live || !wanted) {
            if (live || wanted) {
                found_.push_back({at, live ? "a probe" : "", wanted ? "a probe" : ""});
            }
            return;
        }
        add(at + ".policyDigest", live->policy_digest, wanted->policy_digest);
        add(at + ".result",
            std::string(core::to_string(live->result)),
            std::string(core::to_string(wanted->result)));
        add(at + ".gated", live->gated, wanted->gated);
        add(at + ".consecutiveFailures", live->consecutive_failures, wanted->consecutive_failures);
        add(at + ".message", live->message, wanted->message);
    }

    void compare(const std::string& type, const Condition* live, const Condition* wanted) {
        const auto shown = [](const Condition* condition) {
            return condition == nullptr
                       ? std::string()
                       : fmt::format(
                             "{} {}: {}", condition->status, condition->reason, condition->message);
        };
        add(fmt::format("status.conditions[{}]", type), shown(live), shown(wanted));
    }

    const core::Policies& policies_;
    std::vector<Mismatch> found_;
};

}  // namespace

std::vector<Mismatch> mismatches(const TrafficMap& live,
                                 const TrafficMap& wanted,
                                 const core::Policies& policies) {
    Comparison comparison(policies);
    comparison.compare(live.spec, wanted.spec);
    comparison.compare(live.status, wanted.status);
    return comparison.take();
}

}  // namespace ome::routing
