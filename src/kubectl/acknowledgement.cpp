#include "acknowledgement.hpp"

#include "members.hpp"

#include <algorithm>
#include <array>

namespace ome::kubectl {
namespace {

// The last success may be older than these: a failure, or a publication that is under way.
bool may_follow_a_success(std::string_view reason) {
    constexpr std::array<std::string_view, 11> reasons{"InvalidOwner",
                                                       "InvalidOptions",
                                                       "InvalidPlan",
                                                       "LegacyLifecycleActive",
                                                       "ClaimRejected",
                                                       "DrainFailed",
                                                       "ApplyFailed",
                                                       "UnpublishFailed",
                                                       "PublisherChanged",
                                                       "Transitioning",
                                                       "Finalizing"};
    return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
}

bool is_a_known_pair(const ConditionView& published) {
    if (published.status == "True") {
        return published.reason == "Published";
    }
    return published.status == "False" &&
           (published.reason == "Withdrawn" || published.reason == "Unpublished" ||
            may_follow_a_success(published.reason));
}

Acknowledgement invalid() {
    return {"Invalid", Freshness::Invalid, "ConflictingAcknowledgement"};
}

Acknowledgement fresh(std::string state, Freshness freshness) {
    return {std::move(state), freshness, reason_of(freshness)};
}

Acknowledgement of_condition(const ConditionView& published, std::int64_t observed) {
    const bool behind = may_follow_a_success(published.reason);
    const std::int64_t told = published.observed_generation;
    if (observed != 0 && told != 0 && observed != told && !(behind && observed < told)) {
        return invalid();
    }
    const std::string state = published.status == "True" ? "ReportedTrue" : "ReportedFalse";
    return fresh(state, observed == 0 && !behind ? Freshness::Unverifiable : published.freshness);
}

}  // namespace

Acknowledgement acknowledgement_of(const json::value& map, const ConditionView& published) {
    const std::int64_t generation = integer_at(map, {"metadata", "generation"}).value_or(0);
    const std::int64_t observed =
        integer_at(map, {"status", "observedTrafficMapGeneration"}).value_or(0);
    const bool flagged = flag_at(map, {"status", "published"});
    if (!published.recorded && observed == 0 && !flagged) {
        return {};
    }
    if (observed < 0 || observed > generation) {
        return invalid();
    }
    if (!published.recorded) {
        return fresh(flagged ? "ReportedTrue" : "Unknown", freshness_of(observed, generation));
    }
    const bool contradicts = flagged && published.status != "True";
    if (!published.valid || published.freshness == Freshness::Invalid || contradicts ||
        !is_a_known_pair(published)) {
        return invalid();
    }
    return of_condition(published, observed);
}

}  // namespace ome::kubectl
