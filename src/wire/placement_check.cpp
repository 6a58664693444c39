#include "placement_check.hpp"

#include "inference_service_reader.hpp"
#include <ome/core/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

namespace ome::wire {
namespace {

using Names = std::span<const std::string_view>;

// Not only what a pass reads: also what the placement writes there for others
// (contract/trafficmap.md 1.1 and 1.2).
constexpr auto object_names =
    std::to_array<std::string_view>({"apiVersion", "kind", "metadata", "spec", "status"});
constexpr auto intent_names = std::to_array<std::string_view>(
    {"policy", "mode", "clusterAffinity", "split", "replacementTimeout"});
constexpr auto split_names = std::to_array<std::string_view>(
    {"replicas", "spread", "maxReplicasPerCluster", "minReplicasPerCluster"});
constexpr auto status_names =
    std::to_array<std::string_view>({"phase", "plan", "candidates", "cluster", "endpoint"});
constexpr auto plan_names = std::to_array<std::string_view>({"id",
                                                             "mode",
                                                             "winner",
                                                             "singleMove",
                                                             "revision",
                                                             "sourceUID",
                                                             "observedGeneration",
                                                             "inputDigest",
                                                             "pauseSurge",
                                                             "requestedReplicas",
                                                             "assignedReplicas",
                                                             "unassignedReplicas",
                                                             "originalUnassignedReplicas"});
constexpr auto candidate_names = std::to_array<std::string_view>({"cluster",
                                                                  "phase",
                                                                  "endpoint",
                                                                  "admittedReplicas",
                                                                  "readyReplicas",
                                                                  "allocation",
                                                                  "appliedPlanID",
                                                                  "observationKnown",
                                                                  "observationFailingSince",
                                                                  "autoscaling",
                                                                  "rollout"});
constexpr auto allocation_names = std::to_array<std::string_view>({"clusterUID",
                                                                   "matched",
                                                                   "originalReplicas",
                                                                   "currentReplicas",
                                                                   "desiredReplicas",
                                                                   "currentHome",
                                                                   "desiredHome",
                                                                   "raceCandidate",
                                                                   "drainRequested"});

// contract/trafficmap.md 1.1
constexpr auto phases =
    std::to_array<std::string_view>({"Pending", "Admitting", "Racing", "Placed", "Failed"});
constexpr auto candidate_phases =
    std::to_array<std::string_view>({"Admitting", "Placed", "Admitted"});

constexpr auto candidate_counts =
    std::to_array<std::string_view>({"admittedReplicas", "readyReplicas"});
constexpr auto allocation_counts =
    std::to_array<std::string_view>({"currentReplicas", "desiredReplicas"});

void report_others(Members& members, Names known) {
    for (const std::string_view name : known) {
        members.ignore(name);
    }
    members.report_unknown();
}

void check_counts(Members& members, Names counts, std::string_view effect) {
    for (const std::string_view name : counts) {
        const auto count = members.integer(name).value_or(0);
        if (count < 0) {
            const std::string path = members.path_of(name);
            members.notes().warnings.push_back(
                {fmt::format("{}: {} is negative{}", path, count, effect), path});
        }
    }
}

// Of an unknown phase nothing follows, like of one that is not reached yet.
void check_phase(Members& members, Names known, std::string_view effect) {
    const std::string phase = members.text("phase").value_or("");
    if (phase.empty() || std::find(known.begin(), known.end(), phase) != known.end()) {
        return;
    }
    const std::string path = members.path_of("phase");
    members.notes().warnings.push_back({fmt::format("{}: {} is none of {}: {}",
                                                    path,
                                                    core::go_quote(phase),
                                                    fmt::join(known, ", "),
                                                    effect),
                                        path});
}

void check_intent(Members placement) {
    report_others(placement, intent_names);
    if (std::optional<Members> split = placement.members("split")) {
        report_others(*split, split_names);
    }
}

void check_candidate(Members candidate) {
    report_others(candidate, candidate_names);
    check_phase(
        candidate, candidate_phases, "the cluster gets no traffic while it is not Admitted");
    check_counts(
        candidate, candidate_counts, ": a home cannot have fewer than none, its weight is 0");
    if (std::optional<Members> allocation = candidate.members("allocation")) {
        report_others(*allocation, allocation_names);
        check_counts(*allocation, allocation_counts, ": a plan cannot give fewer than none");
    }
}

void check_status(Members placement) {
    report_others(placement, status_names);
    check_phase(placement, phases, "no cluster gets traffic while it is not Placed");
    if (std::optional<Members> plan = placement.members("plan")) {
        report_others(*plan, plan_names);
    }
    placement.each("candidates", check_candidate);
}

}  // namespace

void check_placement_members(const json::value& object, Notes& notes) {
    Members members(object.get_object(), "", notes);
    report_others(members, object_names);
    std::optional<Members> spec = members.members("spec");
    if (std::optional<Members> intent = spec ? spec->members("placement") : std::nullopt) {
        check_intent(std::move(*intent));
    }
    std::optional<Members> status = members.members("status");
    if (std::optional<Members> placement = status ? status->members("placement") : std::nullopt) {
        check_status(std::move(*placement));
    }
}

std::vector<core::Problem> manifest_warnings(const Manifest& manifest) {
    Notes notes;
    std::ignore = read_service_object(manifest.value, Named::Always, notes);
    check_placement_members(manifest.value, notes);
    return warnings_of(manifest, std::move(notes));
}

}  // namespace ome::wire
