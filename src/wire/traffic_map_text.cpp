// A TrafficMap as text. One description of the document serves JSON and YAML; what is left out is
// what contract/trafficmap.md 2.1 and 12 say.
#include "field_writer.hpp"
#include "yaml_writer.hpp"
#include <ome/core/attempt.hpp>
#include <ome/wire/object_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>

namespace ome::wire {
namespace json = boost::json;
namespace {

// As a class, so that the order of its functions does not matter.
template <typename Writer>
class MapText {
public:
    explicit MapText(std::string& out) : to_(out) {}

    void write_all(std::span<const routing::TrafficMap> maps) {
        to_.begin_object();
        if (maps.size() == 1) {
            write(maps.front());
        } else {
            to_.text("apiVersion", "v1");
            to_.list("items", maps, [this](const routing::TrafficMap& map) { item(map); });
            to_.text("kind", "List");
        }
        to_.end_object();
    }

private:
    template <typename Value>
    void objects(std::string_view name, const std::vector<Value>& values) {
        to_.list(name, values, [this](const Value& value) { item(value); });
    }

    template <typename Value>
    void objects_unless_empty(std::string_view name, const std::vector<Value>& values) {
        if (!values.empty()) {
            objects(name, values);
        }
    }

    template <typename Value>
    void item(const Value& value) {
        to_.begin_object();
        write(value);
        to_.end_object();
    }

    template <typename Value>
    void object(std::string_view name, const Value& value) {
        to_.name(name);
        item(value);
    }

    template <typename Value>
    void object(std::string_view name, const std::optional<Value>& value) {
        if (value) {
            object(name, *value);
        }
    }

    void write(const routing::OwnerReference& owner) {
        to_.text("apiVersion", owner.api_version);
        to_.flag("blockOwnerDeletion", owner.block_owner_deletion);
        to_.flag("controller", owner.controller);
        to_.text("kind", owner.kind);
        to_.text("name", owner.name);
        to_.text("uid", owner.uid);
    }

    void write(const routing::ObjectMeta& meta) {
        to_.pairs_unless_empty("annotations", meta.annotations);
        to_.seconds("creationTimestamp", meta.creation_timestamp);
        to_.seconds("deletionTimestamp", meta.deletion_timestamp);
        to_.texts_unless_empty("finalizers", meta.finalizers);
        to_.integer_unless_zero("generation", meta.generation);
        to_.pairs_unless_empty("labels", meta.labels);
        to_.text("name", meta.key.name);
        to_.text("namespace", meta.key.ns);
        objects_unless_empty("ownerReferences", meta.owner_references);
        to_.text_unless_empty("resourceVersion", meta.resource_version);
        to_.text_unless_empty("uid", meta.uid);
    }

    void write(const routing::EntryCapacity& capacity) {
        const bool endpoint = capacity.source == routing::CapacitySource::Endpoint;
        to_.integer_unless_zero("allocated", capacity.allocated);
        if (capacity.factor) {
            to_.text("factor", *capacity.factor);
        }
        to_.text_unless_empty("fallbackReason", capacity.fallback_reason);
        to_.integer_unless_zero("ready", capacity.ready);
        if (capacity.reported) {
            to_.integer("reported", *capacity.reported);
        }
        to_.text("source", endpoint ? "Endpoint" : "ControlPlane");
    }

    void write(const routing::EntryProbe& probe) {
        to_.integer_unless_zero("consecutiveFailures", probe.consecutive_failures);
        to_.flag("gated", probe.gated ? std::optional(true) : std::nullopt);
        to_.seconds("lastProbeTime", probe.last_probe_time);
        to_.text_unless_empty("message", probe.message);
        to_.text_unless_empty("policyDigest", probe.policy_digest);
        to_.text("result", core::to_string(probe.result));
    }

    void write(const routing::Entry& entry) {
        object("capacity", entry.capacity);
        to_.text("cluster", entry.cluster);
        to_.texts_unless_empty("drainRefs", entry.drain_refs);
        to_.text("endpoint", entry.endpoint);
        to_.flag("healthy", entry.healthy);
        object("probe", entry.probe);
        to_.integer("weight", entry.weight);
    }

    void write(const routing::TrafficMapSpec& spec) {
        objects_unless_empty("entries", spec.entries);
        to_.text_unless_empty("mode", spec.mode);
        to_.integer_unless_zero("observedISVCGeneration", spec.observed_isvc_generation);
        to_.text_unless_empty("placementPlanID", spec.placement_plan_id);
        to_.text("service", spec.service);
    }

    void write(const routing::Condition& condition) {
        to_.seconds("lastTransitionTime", condition.last_transition_time);
        to_.text("message", condition.message);
        to_.integer_unless_zero("observedGeneration", condition.observed_generation);
        to_.text("reason", condition.reason);
        to_.text("status", condition.status);
        to_.text("type", condition.type);
    }

    void write(const routing::GatewayRef& gateway) {
        to_.text_unless_empty("group", gateway.group);
        to_.text("kind", gateway.kind);
        to_.text("name", gateway.name);
        to_.text_unless_empty("namespace", gateway.ns);
    }

    void write(const routing::PublisherState::Target& target) {
        to_.text("target", target.target);
        to_.integer("weight", target.weight);
    }

    void write(const routing::PublisherState::LastPositive& last) {
        to_.integer("observedISVCGeneration", last.observed_isvc_generation);
        to_.text("planCompatibilityDigest", last.plan_compatibility_digest);
        objects("targets", last.targets);
        to_.integer("trafficMapGeneration", last.traffic_map_generation);
    }

    void write(const routing::PublisherState& publisher) {
        to_.texts_unless_empty("claimedTargets", publisher.claimed_targets);
        object("lastPositive", publisher.last_positive);
        to_.text_unless_empty("observedOptionsDigest", publisher.observed_options_digest);
        to_.text("publisherName", publisher.publisher_name);
    }

    void write(const routing::TrafficMapStatus& status) {
        objects_unless_empty("conditions", status.conditions);
        object("gatewayRef", status.gateway_ref);
        if (status.published || status.observed_traffic_map_generation != 0) {
            to_.integer("observedTrafficMapGeneration", status.observed_traffic_map_generation);
        }
        to_.flag("published", status.published);
        object("publisher", status.publisher);
        to_.text_unless_empty("sourceUID", status.source_uid);
    }

    void write(const routing::TrafficMap& map) {
        to_.text("apiVersion", routing::api_version);
        to_.text("kind", "TrafficMap");
        object("metadata", map.meta);
        object("spec", map.spec);
        if (map.status != routing::TrafficMapStatus{}) {
            object("status", map.status);
        }
    }

    FieldWriter<Writer> to_;
};

}  // namespace

void append_traffic_map_json(std::string& out, const routing::TrafficMap& map) {
    MapText<JsonWriter>(out).write_all({&map, 1});
}

void append_traffic_map_yaml(std::string& out, const routing::TrafficMap& map) {
    MapText<YamlWriter>(out).write_all({&map, 1});
}

void append_traffic_map_yaml(std::string& out,
                             const routing::TrafficMap& map,
                             const boost::json::object& unknown) {
    if (unknown.empty()) {
        append_traffic_map_yaml(out, map);
        return;
    }
    std::string known;
    append_traffic_map_json(known, map);
    json::value document = unknown;
    merge_patch(document, json::parse(known));
    out += to_yaml_text(with_sorted_members(document));
}

std::string traffic_maps_json(std::span<const routing::TrafficMap> maps) {
    std::string out;
    MapText<JsonWriter>(out).write_all(maps);
    out += '\n';
    return out;
}

std::string traffic_maps_yaml(std::span<const routing::TrafficMap> maps) {
    std::string out;
    MapText<YamlWriter>(out).write_all(maps);
    return out;
}

}  // namespace ome::wire
