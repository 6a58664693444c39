#include "json_writer.hpp"
#include <ome/core/duration.hpp>
#include <ome/wire/declaration_text.hpp>

namespace ome::wire {
namespace {

void text(JsonWriter& to, std::string_view name, std::string_view value) {
    to.name(name);
    to.text(value);
}

void integer(JsonWriter& to, std::string_view name, std::int64_t value) {
    to.name(name);
    to.integer(value);
}

void statuses(JsonWriter& to, std::string_view name, const std::vector<std::int32_t>& values) {
    to.name(name);
    to.begin_list();
    for (const std::int32_t value : values) {
        to.integer(value);
    }
    to.end_list();
}

void write_options(JsonWriter& to, const std::map<std::string, std::string>& options) {
    if (options.empty()) {
        return;
    }
    to.name("options");
    to.begin_object();
    for (const auto& [key, value] : options) {
        to.key(key);
        to.text(value);
    }
    to.end_object();
}

void write(JsonWriter& to, const core::CapacityPolicy& policy) {
    to.name("capacity");
    to.begin_object();
    text(to, "path", policy.path);
    text(to, "method", core::to_string(policy.method));
    text(to, "format", policy.format);
    write_options(to, policy.options);
    integer(to, "samples", policy.samples);
    integer(to, "quorum", policy.quorum);
    text(to, "period", core::format_duration(policy.period));
    text(to, "timeout", core::format_duration(policy.timeout));
    text(to, "maxAge", core::format_duration(policy.max_age));
    to.end_object();
}

void write(JsonWriter& to, const core::ProbePolicy& policy) {
    to.name("probe");
    to.begin_object();
    text(to, "path", policy.path);
    text(to, "method", core::to_string(policy.method));
    statuses(to, "acceptStatuses", policy.accept_statuses);
    statuses(to, "gateStatuses", policy.gate_statuses);
    text(to, "period", core::format_duration(policy.period));
    text(to, "timeout", core::format_duration(policy.timeout));
    integer(to, "failureThreshold", policy.failure_threshold);
    integer(to, "successThreshold", policy.success_threshold);
    text(to, "allFailedPolicy", core::to_string(policy.all_failed_policy));
    to.end_object();
}

void write(JsonWriter& to, const core::RestoredProbe& restored) {
    to.name("restored");
    to.begin_object();
    text(to, "policyDigest", restored.policy_digest);
    to.name("gated");
    to.flag(restored.gated);
    integer(to, "consecutiveFailures", restored.consecutive_failures);
    text(to, "result", core::to_string(restored.result));
    text(to, "message", restored.message);
    if (restored.last_probe_time) {
        to.name("lastProbeTime");
        to.time(*restored.last_probe_time);
    }
    to.end_object();
}

void write(JsonWriter& to, const core::HomeDeclaration& home) {
    to.begin_object();
    text(to, "cluster", home.cluster);
    text(to, "endpoint", home.endpoint);
    if (home.restored) {
        write(to, *home.restored);
    }
    to.end_object();
}

// What a suspended service has kept is not told.
void write_observation(JsonWriter& to, const core::ServiceDeclaration& declaration) {
    if (declaration.capacity) {
        write(to, *declaration.capacity);
    }
    if (declaration.probe) {
        write(to, *declaration.probe);
    }
    to.name("homes");
    to.begin_list();
    for (const core::HomeDeclaration& home : declaration.homes) {
        write(to, home);
    }
    to.end_list();
}

}  // namespace

void append_declaration(std::string& out, const core::ServiceDeclaration& declaration) {
    JsonWriter to(out);
    to.begin_object();
    text(to, "namespace", declaration.key.ns);
    text(to, "name", declaration.key.name);
    text(to, "ownerUID", declaration.owner_uid);
    to.name("suspended");
    to.flag(declaration.suspended);
    if (!declaration.suspended) {
        write_observation(to, declaration);
    }
    to.end_object();
}

}  // namespace ome::wire
