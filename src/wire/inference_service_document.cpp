#include "inference_service_reader.hpp"
#include "manifest_reader.hpp"
#include "placement_check.hpp"
#include "settings_reader.hpp"
#include <ome/core/text.hpp>
#include <ome/routing/drain_expiry.hpp>
#include <ome/routing/shadow.hpp>
#include <ome/routing/traffic_map.hpp>
#include <ome/wire/inference_service_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

constexpr std::string_view our_kind = "InferenceService";

std::int32_t replicas(Members& members, std::string_view name) {
    return static_cast<std::int32_t>(members.integer(name).value_or(0));
}

// A pointer to a structure in the reference: what is in it does not matter.
bool is_there(Members& members, std::string_view name) {
    const json::value* value = members.any(name);
    return value != nullptr && *value != json::value(false);
}

routing::Allocation read_allocation(Members members) {
    return {
        .current_replicas = replicas(members, "currentReplicas"),
        .desired_replicas = replicas(members, "desiredReplicas"),
        .current_home = is_there(members, "currentHome"),
        .desired_home = is_there(members, "desiredHome"),
        .race_candidate = members.flag("raceCandidate").value_or(false),
        .drain_requested = members.flag("drainRequested").value_or(false),
    };
}

routing::Candidate read_candidate(Members members) {
    routing::Candidate candidate{
        .cluster = members.text("cluster").value_or(""),
        .phase = members.text("phase").value_or(""),
        .endpoint = members.text("endpoint").value_or(""),
        .admitted_replicas = replicas(members, "admittedReplicas"),
        .ready_replicas = replicas(members, "readyReplicas"),
    };
    if (std::optional<Members> allocation = members.members("allocation")) {
        candidate.allocation = read_allocation(std::move(*allocation));
    }
    return candidate;
}

// The key of a list map: an API server would refuse a second one.
void refuse_second(const std::vector<routing::Candidate>& candidates, Members& status) {
    std::vector<std::string_view> clusters;
    clusters.reserve(candidates.size());
    for (const routing::Candidate& candidate : candidates) {
        clusters.emplace_back(candidate.cluster);
    }
    std::sort(clusters.begin(), clusters.end());
    const auto twice = std::adjacent_find(clusters.begin(), clusters.end());
    if (twice != clusters.end()) {
        status.refuse("candidates",
                      fmt::format("name the cluster {} twice", core::go_quote(*twice)));
    }
}

std::vector<routing::Candidate> read_candidates(Members& status) {
    std::vector<routing::Candidate> candidates;
    status.each("candidates", [&candidates](Members candidate) {
        candidates.push_back(read_candidate(std::move(candidate)));
    });
    refuse_second(candidates, status);
    return candidates;
}

routing::PlacementPlan read_plan(Members members) {
    routing::PlacementPlan plan{
        .id = members.text("id").value_or(""),
        .revision = members.integer("revision", any_int64).value_or(0),
        .mode = members.text("mode").value_or(""),
        .winner = members.text("winner").value_or(""),
    };
    if (std::optional<Members> move = members.members("singleMove")) {
        plan.move_selected = move->text("selected").value_or("");
    }
    return plan;
}

routing::PlacementStatus read_placement_status(Members members) {
    routing::PlacementStatus status;
    status.phase = members.text("phase").value_or("");
    if (std::optional<Members> plan = members.members("plan")) {
        status.plan = read_plan(std::move(*plan));
    }
    status.candidates = read_candidates(members);
    return status;
}

routing::PlacementIntent read_placement(Members members) {
    routing::PlacementIntent intent{
        .policy = members.text("policy").value_or(""),
        .mode = members.text("mode").value_or(""),
        .replacement_timeout = members.duration("replacementTimeout"),
    };
    if (std::optional<Members> split = members.members("split")) {
        intent.split = {
            .replicas = split->integer("replicas", any_int64),
            .max_replicas_per_cluster = split->integer("maxReplicasPerCluster", any_int64)};
    }
    return intent;
}

bool is_set(Members& members, std::string_view name) {
    const std::optional<std::string> text = members.text(name);
    return text && !text->empty();
}

void read_labels_and_annotations(Members& meta, routing::InferenceService& service) {
    if (std::optional<Members> labels = meta.members("labels")) {
        service.derived_copy = is_set(*labels, "ome.io/placement-origin");
    }
    if (std::optional<Members> annotations = meta.members("annotations")) {
        const bool copied = is_set(*annotations, "ome.io/placement-origin-uid");
        service.derived_copy = service.derived_copy || copied;
        service.drains = annotations->text(routing::drain_annotation);
        service.drain_expiries = annotations->text(routing::drain_expiry_annotation);
        service.global_host = annotations->text("ome.io/global-host");
        service.shadow = annotations->text(routing::shadow_annotation);
        service.has_accelerator_requirements =
            annotations->contains("ome.io/accelerator-requirements");
        service.has_cluster_selector = annotations->contains("ome.io/cluster-selector");
    }
}

void read_meta(Members meta, Named named, routing::InferenceService& service) {
    if (named == Named::Always || meta.contains("name")) {
        service.key = read_key(meta);
    }
    service.uid = meta.text("uid").value_or("");
    service.generation = meta.integer("generation", any_int64).value_or(0);
    service.resource_version = meta.text("resourceVersion").value_or("");
    service.deleting = meta.any("deletionTimestamp") != nullptr;
    service.finalizers = meta.list_of_texts("finalizers");
    read_labels_and_annotations(meta, service);
}

bool names_its_namespace(const json::value& value) {
    const json::value* meta = value.get_object().if_contains("metadata");
    const json::value* ns = meta != nullptr && meta->is_object()
                                ? meta->get_object().if_contains("namespace")
                                : nullptr;
    return ns != nullptr && *ns != json::value(nullptr) && *ns != json::value("");
}

class Reading {
public:
    explicit Reading(std::string_view default_namespace) : default_namespace_(default_namespace) {}

    /// Whether there is anything to tell.
    bool run(const std::vector<Source>& sources) {
        out_ = {};
        telling_ = false;
        out_.services.reserve(count_manifests(sources, our_kind));
        each_manifest(sources, our_kind, [this](const Manifest& manifest) { take(manifest); });
        return telling_;
    }

    InferenceServiceDocuments release() { return std::move(out_); }

private:
    void take(const Manifest& manifest) {
        if (!manifest.is_of(our_kind, routing::api_version)) {
            out_.others.push_back(
                {manifest.index, manifest.line, manifest.kind(routing::api_version)});
            return;
        }
        Notes notes;
        routing::InferenceService service =
            read_service_object(manifest.value, Named::Always, notes);
        std::optional<core::ServiceKey> key;
        if (!service.key.name.empty()) {
            if (!default_namespace_.empty() && !names_its_namespace(manifest.value)) {
                service.key.ns = default_namespace_;
            }
            key = service.key;
        }
        std::optional<core::Problem> problem = problem_of(manifest, std::move(notes));
        out_.services.push_back(
            {manifest.index, manifest.line, std::move(key), std::move(service)});
        InferenceServiceDocument& made = out_.services.back();
        if (problem) {
            made.service = *std::move(problem);
        } else {
            made.warnings = manifest_warnings(manifest);
        }
        telling_ = telling_ || !made.service || !made.warnings.empty();
    }

    std::string_view default_namespace_;
    InferenceServiceDocuments out_;
    bool telling_ = false;
};

void take_slips(const std::vector<core::Problem>& warnings, routing::InferenceService& service) {
    for (const core::Problem& warning : warnings) {
        if (warning.message.find("; did you mean ") != warning.message.npos) {
            service.slips.push_back(warning);
        }
    }
}

// Only `spec.routing` is reported on while it is read.
void take_placement_slips(Members& spec, routing::InferenceService& service) {
    const json::value* placement = spec.any("placement");
    if (placement == nullptr || !placement->is_object()) {
        return;
    }
    Notes notes;
    check_intent_members({placement->get_object(), spec.path_of("placement"), notes});
    take_slips(notes.warnings, service);
}

}  // namespace

routing::InferenceService read_service_object(const json::value& value, Named named, Notes& notes) {
    routing::InferenceService service;
    const json::object* object = value.if_object();
    if (object == nullptr) {
        notes.errors.push_back({fmt::format("{} must be an object", shown(value))});
        return service;
    }
    Members members(*object, "", notes);
    if (std::optional<Members> meta =
            named == Named::Always ? meta_of(members) : members.members("metadata")) {
        read_meta(std::move(*meta), named, service);
    }
    if (std::optional<Members> spec = members.members("spec")) {
        if (std::optional<Members> placement = spec->members("placement")) {
            service.placement = read_placement(std::move(*placement));
        }
        take_placement_slips(*spec, service);
        if (std::optional<Members> routing = spec->members("routing")) {
            const std::size_t before = notes.warnings.size();
            service.routing = service_routing_of(std::move(*routing));
            take_slips({notes.warnings.begin() + static_cast<std::ptrdiff_t>(before),
                        notes.warnings.end()},
                       service);
        }
    }
    std::optional<Members> status = members.members("status");
    std::optional<Members> placement = status ? status->members("placement") : std::nullopt;
    if (placement) {
        service.status = read_placement_status(std::move(*placement));
    }
    return service;
}

core::Result<InferenceServiceDocuments> read_inference_services(
    std::string_view text, std::string_view default_namespace) {
    Reading reading(default_namespace);
    if (std::optional<core::Problem> problem = with_sources(
            text, [&](const std::vector<Source>& sources) { return reading.run(sources); })) {
        return *problem;
    }
    return reading.release();
}

core::Result<routing::InferenceService> read_inference_service(const json::value& object) {
    Notes notes;
    routing::InferenceService service = read_service_object(object, Named::Perhaps, notes);
    if (!notes.errors.empty()) {
        return as_one(notes.errors);
    }
    return service;
}

}  // namespace ome::wire
