// TrafficMaps as others wrote them. Ranges and enums: contract/trafficmap.md 12.
#include "manifest_reader.hpp"
#include "object_reader.hpp"
#include <ome/core/text.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ome::wire {
namespace {

constexpr std::string_view our_kind = "TrafficMap";
constexpr std::int64_t most_weight = 1'000'000;
constexpr Range not_negative{0};
constexpr Range not_negative_int64{0, any_int64.most};

std::int32_t count(Members& members, std::string_view name, Range range = {}) {
    return static_cast<std::int32_t>(members.integer(name, range).value_or(0));
}

std::int64_t wide(Members& members, std::string_view name) {
    return members.integer(name, any_int64).value_or(0);
}

std::string text(Members& members, std::string_view name) {
    return members.text(name).value_or("");
}

routing::CapacitySource read_source(Members& members) {
    const std::string source = text(members, "source");
    if (!source.empty() && source != "ControlPlane" && source != "Endpoint") {
        members.refuse("source",
                       fmt::format("{} must be ControlPlane or Endpoint", core::go_quote(source)));
    }
    return source == "Endpoint" ? routing::CapacitySource::Endpoint
                                : routing::CapacitySource::ControlPlane;
}

routing::EntryCapacity read_capacity(Members members) {
    routing::EntryCapacity capacity{
        .allocated = count(members, "allocated"),
        .ready = count(members, "ready"),
        .factor = members.quantity("factor"),
        .source = read_source(members),
        .fallback_reason = text(members, "fallbackReason"),
    };
    if (const auto reported = members.integer("reported", not_negative)) {
        capacity.reported = static_cast<std::int32_t>(*reported);
    }
    return capacity;
}

routing::EntryProbe read_probe_state(Members members) {
    return {
        .policy_digest = text(members, "policyDigest"),
        .result = members.probe_result("result"),
        .gated = members.flag("gated").value_or(false),
        .last_probe_time = read_seconds(members, "lastProbeTime"),
        .consecutive_failures = count(members, "consecutiveFailures", not_negative),
        .message = text(members, "message"),
    };
}

routing::Entry read_entry(Members members) {
    routing::Entry entry;
    entry.cluster = members.required_text("cluster").value_or("");
    entry.endpoint = text(members, "endpoint");
    entry.weight = count(members, "weight", {0, most_weight});
    entry.healthy = members.flag("healthy").value_or(false);
    if (std::optional<Members> capacity = members.members("capacity")) {
        entry.capacity = read_capacity(std::move(*capacity));
    }
    if (std::optional<Members> probe = members.members("probe")) {
        entry.probe = read_probe_state(std::move(*probe));
    }
    entry.drain_refs = members.list_of_texts("drainRefs");
    return entry;
}

routing::TrafficMapSpec read_spec(Members& members) {
    routing::TrafficMapSpec spec;
    spec.service = text(members, "service");
    spec.mode = text(members, "mode");
    spec.observed_isvc_generation = wide(members, "observedISVCGeneration");
    spec.placement_plan_id = text(members, "placementPlanID");
    members.each("entries",
                 [&spec](Members entry) { spec.entries.push_back(read_entry(std::move(entry))); });
    return spec;
}

routing::PublisherState::LastPositive read_last_positive(Members members) {
    routing::PublisherState::LastPositive last;
    last.traffic_map_generation = wide(members, "trafficMapGeneration");
    last.observed_isvc_generation = wide(members, "observedISVCGeneration");
    last.plan_compatibility_digest = text(members, "planCompatibilityDigest");
    members.each("targets", [&last](Members target) {
        last.targets.push_back({target.required_text("target").value_or(""),
                                target.integer("weight", not_negative_int64).value_or(0)});
    });
    return last;
}

routing::PublisherState read_publisher_state(Members members) {
    routing::PublisherState publisher;
    publisher.publisher_name = text(members, "publisherName");
    publisher.claimed_targets = members.list_of_texts("claimedTargets");
    publisher.observed_options_digest = text(members, "observedOptionsDigest");
    if (std::optional<Members> last = members.members("lastPositive")) {
        publisher.last_positive = read_last_positive(std::move(*last));
    }
    return publisher;
}

routing::TrafficMapStatus read_status(Members& members) {
    routing::TrafficMapStatus status;
    status.source_uid = text(members, "sourceUID");
    status.published = members.flag("published");
    status.observed_traffic_map_generation = wide(members, "observedTrafficMapGeneration");
    if (std::optional<Members> gateway = members.members("gatewayRef")) {
        status.gateway_ref = {.group = text(*gateway, "group"),
                              .kind = text(*gateway, "kind"),
                              .ns = text(*gateway, "namespace"),
                              .name = text(*gateway, "name")};
    }
    if (std::optional<Members> publisher = members.members("publisher")) {
        status.publisher = read_publisher_state(std::move(*publisher));
    }
    members.each("conditions", [&status](Members condition) {
        status.conditions.push_back(read_condition(std::move(condition)));
    });
    return status;
}

// Into `unknown`, where there is something.
void keep_unknown(std::string_view name, const Members& members, json::object& unknown) {
    if (json::object found = members.unknown(); !found.empty()) {
        unknown[name] = std::move(found);
    }
}

// What is not known is kept in `unknown`, where the members of the document have it.
routing::TrafficMap read_object(const json::value& value, Notes& notes, json::object& unknown) {
    routing::TrafficMap map;
    const json::object* object = value.if_object();
    if (object == nullptr) {
        notes.errors.push_back({fmt::format("{} must be an object", shown(value))});
        return map;
    }
    Members members(*object, "", notes);
    if (std::optional<Members> meta = meta_of(members)) {
        map.meta = read_object_meta(std::move(*meta));
    }
    if (std::optional<Members> spec = members.members("spec")) {
        map.spec = read_spec(*spec);
        keep_unknown("spec", *spec, unknown);
    }
    if (std::optional<Members> status = members.members("status")) {
        map.status = read_status(*status);
        keep_unknown("status", *status, unknown);
    }
    members.ignore("apiVersion");
    members.ignore("kind");
    for (const auto& member : members.unknown()) {
        unknown[member.key()] = member.value();
    }
    return map;
}

class Reading {
public:
    /// Whether anything was wrong.
    bool run(const std::vector<Source>& sources) {
        out_.clear();
        wrong_ = false;
        each_manifest(sources, our_kind, [this](const Manifest& manifest) { take(manifest); });
        return wrong_;
    }

    std::vector<TrafficMapDocument> release() { return std::move(out_); }

private:
    void take(const Manifest& manifest) {
        if (!manifest.is_of(our_kind, routing::api_version)) {
            return;
        }
        Notes notes;
        json::object unknown;
        routing::TrafficMap map = read_object(manifest.value, notes, unknown);
        std::optional<core::ServiceKey> key;
        if (!map.meta.key.name.empty()) {
            key = map.meta.key;
        }
        std::optional<core::Problem> problem = problem_of(manifest, std::move(notes));
        wrong_ = wrong_ || problem;
        out_.push_back(
            {manifest.index, manifest.line, std::move(key), std::move(map), std::move(unknown)});
        if (problem) {
            out_.back().map = *std::move(problem);
        }
    }

    std::vector<TrafficMapDocument> out_;
    bool wrong_ = false;
};

}  // namespace

core::Result<std::vector<TrafficMapDocument>> read_traffic_maps(std::string_view text) {
    Reading reading;
    if (std::optional<core::Problem> problem = with_sources(
            text, [&](const std::vector<Source>& sources) { return reading.run(sources); })) {
        return *problem;
    }
    return reading.release();
}

core::Result<routing::TrafficMap> read_traffic_map(const json::value& object) {
    Notes notes;
    json::object unknown;
    routing::TrafficMap map = read_object(object, notes, unknown);
    if (!notes.errors.empty()) {
        return as_one(notes.errors);
    }
    return map;
}

}  // namespace ome::wire
