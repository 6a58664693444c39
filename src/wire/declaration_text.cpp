#include "field_writer.hpp"
#include <ome/core/duration.hpp>
#include <ome/wire/declaration_text.hpp>

namespace ome::wire {
namespace {

using Writer = FieldWriter<JsonWriter>;

void statuses(Writer& to, std::string_view name, const std::vector<std::int32_t>& values) {
    to.list(name, values, [&to](std::int32_t status) { to.integer(status); });
}

void write(Writer& to, const core::CapacityPolicy& policy) {
    to.name("capacity");
    to.begin_object();
    to.text("path", policy.path);
    to.text("method", core::to_string(policy.method));
    to.text("format", policy.format);
    to.pairs_unless_empty("options", policy.options);
    to.integer("samples", policy.samples);
    to.integer("quorum", policy.quorum);
    to.text("period", core::format_duration(policy.period));
    to.text("timeout", core::format_duration(policy.timeout));
    to.text("maxAge", core::format_duration(policy.max_age));
    to.end_object();
}

void write(Writer& to, const core::ProbePolicy& policy) {
    to.name("probe");
    to.begin_object();
    to.text("path", policy.path);
    to.text("method", core::to_string(policy.method));
    statuses(to, "acceptStatuses", policy.accept_statuses);
    statuses(to, "gateStatuses", policy.gate_statuses);
    to.text("period", core::format_duration(policy.period));
    to.text("timeout", core::format_duration(policy.timeout));
    to.integer("failureThreshold", policy.failure_threshold);
    to.integer("successThreshold", policy.success_threshold);
    to.text("allFailedPolicy", core::to_string(policy.all_failed_policy));
    to.end_object();
}

void write(Writer& to, const core::RestoredProbe& restored) {
    to.name("restored");
    to.begin_object();
    to.text("policyDigest", restored.policy_digest);
    to.flag("gated", restored.gated);
    to.integer("consecutiveFailures", restored.consecutive_failures);
    to.text("result", core::to_string(restored.result));
    to.text("message", restored.message);
    if (restored.last_probe_time) {
        to.name("lastProbeTime");
        to.time(*restored.last_probe_time);
    }
    to.end_object();
}

void write(Writer& to, const core::HomeDeclaration& home) {
    to.begin_object();
    to.text("cluster", home.cluster);
    to.text("endpoint", home.endpoint);
    if (home.restored) {
        write(to, *home.restored);
    }
    to.end_object();
}

// What a suspended service has kept is not told.
void write_observation(Writer& to, const core::ServiceDeclaration& declaration) {
    if (declaration.capacity) {
        write(to, *declaration.capacity);
    }
    if (declaration.probe) {
        write(to, *declaration.probe);
    }
    to.list(
        "homes", declaration.homes, [&to](const core::HomeDeclaration& home) { write(to, home); });
}

}  // namespace

void append_declaration(std::string& out, const core::ServiceDeclaration& declaration) {
    Writer to(out);
    to.begin_object();
    to.text("namespace", declaration.key.ns);
    to.text("name", declaration.key.name);
    to.text("ownerUID", declaration.owner_uid);
    to.flag("suspended", declaration.suspended);
    if (!declaration.suspended) {
        write_observation(to, declaration);
    }
    to.end_object();
}

}  // namespace ome::wire
