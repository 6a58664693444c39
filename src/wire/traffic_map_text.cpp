// A TrafficMap as text. One description of the document serves JSON and YAML; what is left out is
// what contract/trafficmap.md 2.1 and 12 say.
#include "json_writer.hpp"
#include "yaml_writer.hpp"
#include <ome/core/attempt.hpp>
#include <ome/wire/json_text.hpp>
#include <ome/wire/traffic_map_document.hpp>

namespace ome::wire {
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
            text("apiVersion", "v1");
            to_.name("items");
            to_.begin_list();
            for (const routing::TrafficMap& map : maps) {
                to_.begin_object();
                write(map);
                to_.end_object();
            }
            to_.end_list();
            text("kind", "List");
        }
        to_.end_object();
    }

private:
    void text_unless_empty(std::string_view name, std::string_view text) {
        if (!text.empty()) {
            to_.name(name);
            to_.text(text);
        }
    }

    void text(std::string_view name, std::string_view text) {
        to_.name(name);
        to_.text(text);
    }

    void integer(std::string_view name, std::int64_t value) {
        to_.name(name);
        to_.integer(value);
    }

    void integer_unless_zero(std::string_view name, std::int64_t value) {
        if (value != 0) {
            integer(name, value);
        }
    }

    void flag(std::string_view name, std::optional<bool> value) {
        if (value) {
            to_.name(name);
            to_.flag(*value);
        }
    }

    // Whole seconds: `2026-09-28T10:00:00Z`.
    void time(std::string_view name, const std::optional<core::WallTime>& at) {
        if (at) {
            std::string quoted;
            append_json_time(quoted, {at->seconds, 0});
            constexpr std::size_t length_to_seconds = 19;
            text(name, quoted.substr(1, length_to_seconds) + "Z");
        }
    }

    void texts(std::string_view name, const std::vector<std::string>& values) {
        if (values.empty()) {
            return;
        }
        to_.name(name);
        to_.begin_list();
        for (const std::string& value : values) {
            to_.text(value);
        }
        to_.end_list();
    }

    void pairs(std::string_view name, const std::map<std::string, std::string>& values) {
        if (values.empty()) {
            return;
        }
        to_.name(name);
        to_.begin_object();
        for (const auto& [key, value] : values) {
            to_.key(key);
            to_.text(value);
        }
        to_.end_object();
    }

    template <typename Value>
    void objects(std::string_view name, const std::vector<Value>& values) {
        to_.name(name);
        to_.begin_list();
        for (const Value& value : values) {
            to_.begin_object();
            write(value);
            to_.end_object();
        }
        to_.end_list();
    }

    template <typename Value>
    void objects_unless_empty(std::string_view name, const std::vector<Value>& values) {
        if (!values.empty()) {
            objects(name, values);
        }
    }

    template <typename Value>
    void object(std::string_view name, const Value& value) {
        to_.name(name);
        to_.begin_object();
        write(value);
        to_.end_object();
    }

    template <typename Value>
    void object(std::string_view name, const std::optional<Value>& value) {
        if (value) {
            object(name, *value);
        }
    }

    void write(const routing::OwnerReference& owner) {
        text("apiVersion", owner.api_version);
        flag("blockOwnerDeletion", owner.block_owner_deletion);
        flag("controller", owner.controller);
        text("kind", owner.kind);
        text("name", owner.name);
        text("uid", owner.uid);
    }

    void write(const routing::ObjectMeta& meta) {
        pairs("annotations", meta.annotations);
        time("creationTimestamp", meta.creation_timestamp);
        time("deletionTimestamp", meta.deletion_timestamp);
        texts("finalizers", meta.finalizers);
        integer_unless_zero("generation", meta.generation);
        pairs("labels", meta.labels);
        text("name", meta.key.name);
        text("namespace", meta.key.ns);
        objects_unless_empty("ownerReferences", meta.owner_references);
        text_unless_empty("resourceVersion", meta.resource_version);
        text_unless_empty("uid", meta.uid);
    }

    void write(const routing::EntryCapacity& capacity) {
        const bool endpoint = capacity.source == routing::CapacitySource::Endpoint;
        integer_unless_zero("allocated", capacity.allocated);
        if (capacity.factor) {
            text("factor", *capacity.factor);
        }
        text_unless_empty("fallbackReason", capacity.fallback_reason);
        integer_unless_zero("ready", capacity.ready);
        if (capacity.reported) {
            integer("reported", *capacity.reported);
        }
        text("source", endpoint ? "Endpoint" : "ControlPlane");
    }

    void write(const routing::EntryProbe& probe) {
        integer_unless_zero("consecutiveFailures", probe.consecutive_failures);
        flag("gated", probe.gated ? std::optional(true) : std::nullopt);
        time("lastProbeTime", probe.last_probe_time);
        text_unless_empty("message", probe.message);
        text_unless_empty("policyDigest", probe.policy_digest);
        text("result", core::to_string(probe.result));
    }

    void write(const routing::Entry& entry) {
        object("capacity", entry.capacity);
        text("cluster", entry.cluster);
        texts("drainRefs", entry.drain_refs);
        text("endpoint", entry.endpoint);
        flag("healthy", entry.healthy);
        object("probe", entry.probe);
        integer("weight", entry.weight);
    }

    void write(const routing::TrafficMapSpec& spec) {
        objects_unless_empty("entries", spec.entries);
        text_unless_empty("mode", spec.mode);
        integer_unless_zero("observedISVCGeneration", spec.observed_isvc_generation);
        text_unless_empty("placementPlanID", spec.placement_plan_id);
        text("service", spec.service);
    }

    void write(const routing::Condition& condition) {
        time("lastTransitionTime", condition.last_transition_time);
        text("message", condition.message);
        integer_unless_zero("observedGeneration", condition.observed_generation);
        text("reason", condition.reason);
        text("status", condition.status);
        text("type", condition.type);
    }

    void write(const routing::GatewayRef& gateway) {
        text_unless_empty("group", gateway.group);
        text("kind", gateway.kind);
        text("name", gateway.name);
        text_unless_empty("namespace", gateway.ns);
    }

    void write(const routing::PublisherState::Target& target) {
        text("target", target.target);
        integer("weight", target.weight);
    }

    void write(const routing::PublisherState::LastPositive& last) {
        integer("observedISVCGeneration", last.observed_isvc_generation);
        text("planCompatibilityDigest", last.plan_compatibility_digest);
        objects("targets", last.targets);
        integer("trafficMapGeneration", last.traffic_map_generation);
    }

    void write(const routing::PublisherState& publisher) {
        texts("claimedTargets", publisher.claimed_targets);
        object("lastPositive", publisher.last_positive);
        text_unless_empty("observedOptionsDigest", publisher.observed_options_digest);
        text("publisherName", publisher.publisher_name);
    }

    void write(const routing::TrafficMapStatus& status) {
        objects_unless_empty("conditions", status.conditions);
        object("gatewayRef", status.gateway_ref);
        if (status.published || status.observed_traffic_map_generation != 0) {
            integer("observedTrafficMapGeneration", status.observed_traffic_map_generation);
        }
        flag("published", status.published);
        object("publisher", status.publisher);
        text_unless_empty("sourceUID", status.source_uid);
    }

    void write(const routing::TrafficMap& map) {
        text("apiVersion", routing::api_version);
        text("kind", "TrafficMap");
        object("metadata", map.meta);
        object("spec", map.spec);
        if (map.status != routing::TrafficMapStatus{}) {
            object("status", map.status);
        }
    }

    Writer to_;
};

}  // namespace

void append_traffic_map_json(std::string& out, const routing::TrafficMap& map) {
    MapText<JsonWriter>(out).write_all({&map, 1});
}

void append_traffic_map_yaml(std::string& out, const routing::TrafficMap& map) {
    MapText<YamlWriter>(out).write_all({&map, 1});
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
