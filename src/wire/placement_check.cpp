#include "placement_check.hpp"

#include "annotation_check.hpp"
#include "inference_service_reader.hpp"
#include <ome/core/endpoint_remarks.hpp>
#include <ome/routing/unknown_phase.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <span>

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

void check_endpoint(Members& candidate) {
    const std::string endpoint = candidate.text("endpoint").value_or("");
    const std::string path = candidate.path_of("endpoint");
    for (const std::string_view remark : core::endpoint_remarks(endpoint)) {
        candidate.notes().warnings.push_back({fmt::format("{}: {}", path, remark), path});
    }
}

void check_candidate(Members candidate) {
    check_endpoint(candidate);
    report_others(candidate, candidate_names);
    check_counts(
        candidate, candidate_counts, ": a home cannot have fewer than none, its weight is 0");
    if (std::optional<Members> allocation = candidate.members("allocation")) {
        report_others(*allocation, allocation_names);
        check_counts(*allocation, allocation_counts, ": a plan cannot give fewer than none");
    }
}

void check_status(Members placement) {
    report_others(placement, status_names);
    if (std::optional<Members> plan = placement.members("plan")) {
        report_others(*plan, plan_names);
    }
    placement.each("candidates", check_candidate);
}

}  // namespace

void check_intent_members(Members placement) {
    report_others(placement, intent_names);
    if (std::optional<Members> split = placement.members("split")) {
        report_others(*split, split_names);
    }
}

void check_placement_members(const json::value& object,
                             const routing::InferenceService& service,
                             Notes& notes) {
    Members members(object.get_object(), "", notes);
    report_others(members, object_names);
    std::optional<Members> spec = members.members("spec");
    if (std::optional<Members> intent = spec ? spec->members("placement") : std::nullopt) {
        check_intent_members(std::move(*intent));
    }
    std::optional<Members> status = members.members("status");
    if (std::optional<Members> placement = status ? status->members("placement") : std::nullopt) {
        check_status(std::move(*placement));
    }
    for (const routing::UnknownPhase& one : routing::unknown_phases(service)) {
        notes.warnings.push_back({routing::sentence(one), one.field});
    }
}

std::vector<core::Problem> manifest_warnings(const Manifest& manifest) {
    Notes notes;
    const routing::InferenceService service =
        read_service_object(manifest.value, Named::Always, notes);
    check_annotations(manifest.value, service, notes);
    check_placement_members(manifest.value, service, notes);
    return warnings_of(manifest, std::move(notes));
}

}  // namespace ome::wire
