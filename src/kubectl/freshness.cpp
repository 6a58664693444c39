#include "freshness.hpp"

#include "members.hpp"
#include <ome/core/timestamp.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace ome::kubectl {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 7> routable_reasons{"Routable",
                                                           "AllHomesProbeFailed",
                                                           "NotPlaced",
                                                           "NoAddressableHome",
                                                           "TrafficDrain",
                                                           "AllHomesUnready",
                                                           "NoRoutableCapacity"};
constexpr std::array<std::string_view, 3> override_reasons{
    "OverridesApplied", "OverridesPending", "NoOverrides"};
constexpr std::array<std::string_view, 4> fallback_reasons{"EndpointCapacityUnavailable",
                                                           "EndpointCapacityAvailable",
                                                           "CapacityPollingDisabled",
                                                           "NoCapacityTargets"};
// Transitioning and Finalizing are known here, other than in the reference (design.md D18).
constexpr std::array<std::string_view, 14> published_reasons{"Published",
                                                             "Transitioning",
                                                             "Finalizing",
                                                             "Withdrawn",
                                                             "InvalidOwner",
                                                             "InvalidOptions",
                                                             "InvalidPlan",
                                                             "LegacyLifecycleActive",
                                                             "ClaimRejected",
                                                             "DrainFailed",
                                                             "ApplyFailed",
                                                             "UnpublishFailed",
                                                             "PublisherChanged",
                                                             "Unpublished"};

Names known_reasons(std::string_view type) {
    if (type == "Routable") {
        return routable_reasons;
    }
    if (type == "OverrideActive") {
        return override_reasons;
    }
    return type == "CapacityFallback" ? Names(fallback_reasons) : Names(published_reasons);
}

bool is_malformed(const json::value& condition, core::WallTime now) {
    const std::string status = text_at(condition, {"status"});
    if (status != "True" && status != "False" && status != "Unknown") {
        return true;
    }
    if (text_at(condition, {"reason"}).empty()) {
        return true;
    }
    const json::value* generation = find(condition, {"observedGeneration"});
    if (generation != nullptr && integer_at(condition, {"observedGeneration"}).value_or(-1) < 0) {
        return true;
    }
    if (find(condition, {"lastTransitionTime"}) == nullptr) {
        return false;
    }
    const auto at = core::parse_timestamp(text_at(condition, {"lastTransitionTime"}));
    return !at || *at > now;
}

ConditionView invalid(ConditionView view, std::string_view why) {
    view.status = "Unknown";
    view.reason = why;
    view.freshness = Freshness::Unverifiable;
    view.recorded = true;
    view.valid = false;
    return view;
}

std::vector<const json::value*> of_type(const json::array& conditions, std::string_view type) {
    std::vector<const json::value*> found;
    for (const json::value& condition : conditions) {
        if (text_at(condition, {"type"}) == type) {
            found.push_back(&condition);
        }
    }
    return found;
}

}  // namespace

std::string_view to_string(Freshness freshness) {
    constexpr std::array<std::string_view, 4> words{"Current", "Stale", "Invalid", "Unverifiable"};
    return words.at(static_cast<std::size_t>(freshness));
}

std::string_view reason_of(Freshness freshness) {
    constexpr std::array<std::string_view, 4> words{
        "", "StaleGeneration", "InvalidGeneration", "NoObservationGeneration"};
    return words.at(static_cast<std::size_t>(freshness));
}

Freshness freshness_of(std::int64_t observed, std::int64_t current) {
    if (observed < 0 || current < 0 || observed > current) {
        return Freshness::Invalid;
    }
    if (observed == 0 || current == 0) {
        return Freshness::Unverifiable;
    }
    return observed < current ? Freshness::Stale : Freshness::Current;
}

ConditionView condition_view(const json::value& map, std::string_view type, core::WallTime now) {
    ConditionView view{.type = std::string(type)};
    const json::array* conditions = array_at(map, {"status", "conditions"});
    if (conditions == nullptr) {
        return view;
    }
    if (conditions->size() > most_conditions) {
        return invalid(std::move(view), "BudgetExceeded");
    }
    const std::vector<const json::value*> found = of_type(*conditions, type);
    if (found.empty()) {
        return view;
    }
    if (std::any_of(found.begin(), found.end(), [now](const json::value* one) {
            return is_malformed(*one, now);
        })) {
        return invalid(std::move(view), "MalformedCondition");
    }
    const json::value& first = *found.front();
    if (std::any_of(found.begin(), found.end(), [&first](const json::value* one) {
            return *one != first;
        })) {
        return invalid(std::move(view), "ConflictingDuplicates");
    }
    const Names known = known_reasons(type);
    view.recorded = true;
    view.status = text_at(first, {"status"});
    view.reason = text_at(first, {"reason"});
    if (std::find(known.begin(), known.end(), view.reason) == known.end()) {
        view.reason = "OtherReportedReason";
    }
    view.observed_generation = integer_at(first, {"observedGeneration"}).value_or(0);
    view.freshness = freshness_of(view.observed_generation,
                                  integer_at(map, {"metadata", "generation"}).value_or(0));
    return view;
}

bool is_withdrawn(const ConditionView& published) {
    return published.status == "False" && published.reason == "Withdrawn" &&
           published.freshness == Freshness::Current;
}

PlainCondition current_condition(const json::value& map, std::string_view type) {
    const json::array* conditions = array_at(map, {"status", "conditions"});
    const auto found =
        conditions != nullptr ? of_type(*conditions, type) : std::vector<const json::value*>{};
    if (found.empty() || integer_at(*found.front(), {"observedGeneration"}).value_or(0) !=
                             integer_at(map, {"metadata", "generation"}).value_or(0)) {
        return {};
    }
    PlainCondition plain{text_at(*found.front(), {"status"}), text_at(*found.front(), {"reason"})};
    plain.status = plain.status.empty() ? "Unknown" : plain.status;
    plain.reason = plain.reason.empty() ? "-" : plain.reason;
    return plain;
}

}  // namespace ome::kubectl
