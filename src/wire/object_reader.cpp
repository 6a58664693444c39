#include "object_reader.hpp"

#include "manifest_reader.hpp"
#include <ome/core/text.hpp>

#include <fmt/format.h>

namespace ome::wire {
namespace {

constexpr Range not_negative_int64{0, any_int64.most};

std::int64_t wide(Members& members, std::string_view name) {
    return members.integer(name, any_int64).value_or(0);
}

std::string text(Members& members, std::string_view name) {
    return members.text(name).value_or("");
}

routing::OwnerReference read_owner(Members members) {
    return {
        .api_version = text(members, "apiVersion"),
        .kind = text(members, "kind"),
        .name = text(members, "name"),
        .uid = text(members, "uid"),
        .controller = members.flag("controller"),
        .block_owner_deletion = members.flag("blockOwnerDeletion"),
    };
}

}  // namespace

std::optional<core::WallTime> read_seconds(Members& members, std::string_view name) {
    std::optional<core::WallTime> at = members.time(name);
    if (at) {
        at->nanoseconds = 0;
    }
    return at;
}

routing::ObjectMeta read_object_meta(Members members) {
    routing::ObjectMeta meta;
    meta.key = read_key(members);
    meta.uid = text(members, "uid");
    meta.generation = wide(members, "generation");
    meta.resource_version = text(members, "resourceVersion");
    meta.creation_timestamp = read_seconds(members, "creationTimestamp");
    meta.deletion_timestamp = read_seconds(members, "deletionTimestamp");
    meta.labels = members.texts("labels").value_or(core::Options{});
    meta.annotations = members.texts("annotations").value_or(core::Options{});
    meta.finalizers = members.list_of_texts("finalizers");
    members.each("ownerReferences", [&meta](Members owner) {
        meta.owner_references.push_back(read_owner(std::move(owner)));
    });
    return meta;
}

routing::Condition read_condition(Members members) {
    routing::Condition condition;
    condition.type = members.required_text("type").value_or("");
    condition.status = members.required_text("status").value_or("Unknown");
    if (condition.status != "True" && condition.status != "False" &&
        condition.status != "Unknown") {
        members.refuse(
            "status",
            fmt::format("{} must be True, False, or Unknown", core::go_quote(condition.status)));
    }
    condition.reason = text(members, "reason");
    condition.message = text(members, "message");
    condition.last_transition_time =
        read_seconds(members, "lastTransitionTime").value_or(core::WallTime{});
    condition.observed_generation =
        members.integer("observedGeneration", not_negative_int64).value_or(0);
    return condition;
}

}  // namespace ome::wire
