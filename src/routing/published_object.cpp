#include <ome/routing/published_object.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::routing {
namespace {

const std::string* label(const ObjectMeta& meta, std::string_view name) {
    const auto found = meta.labels.find(std::string(name));
    return found == meta.labels.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view to_string(ObjectKind kind) {
    switch (kind) {
        case ObjectKind::HttpRoute:
            return "HTTPRoute";
        case ObjectKind::Service:
            return "Service";
        case ObjectKind::EndpointSlice:
            return "EndpointSlice";
        case ObjectKind::BackendTlsPolicy:
            break;
    }
    return "BackendTLSPolicy";
}

std::string_view spoken(ObjectKind kind) {
    switch (kind) {
        case ObjectKind::HttpRoute:
            return "global HTTPRoute";
        case ObjectKind::Service:
            return "global backend Service";
        case ObjectKind::EndpointSlice:
            return "global backend EndpointSlice";
        case ObjectKind::BackendTlsPolicy:
            break;
    }
    return "global BackendTLSPolicy";
}

std::string path_of(const ObjectKey& key) {
    return key.ns + "/" + key.name;
}

Labels source_labels(const core::ServiceKey& source) {
    return {{std::string(managed_by_label), std::string(manager)},
            {std::string(source_name_label), source.name},
            {std::string(source_namespace_label), source.ns}};
}

bool belongs_to(const ObjectMeta& meta, const core::ServiceKey& source) {
    return source_of(meta) == source;
}

std::optional<core::ServiceKey> source_of(const ObjectMeta& meta) {
    const std::string* by = label(meta, managed_by_label);
    const std::string* name = label(meta, source_name_label);
    const std::string* ns = label(meta, source_namespace_label);
    if (by == nullptr || *by != manager || name == nullptr || ns == nullptr) {
        return std::nullopt;
    }
    return core::ServiceKey{*ns, *name};
}

void drop_unused(PublishedObject& observed) {
    observed.meta.annotations.clear();
    observed.meta.owner_references.clear();
    if (source_of(observed.meta)) {
        return;
    }
    observed.meta.labels.clear();
    observed.meta.finalizers.clear();
    observed.route_status.clear();
    if (auto* route = std::get_if<HttpRouteSpec>(&observed.spec)) {
        route->backends.clear();
    } else if (auto* slice = std::get_if<EndpointSliceSpec>(&observed.spec)) {
        slice->addresses.clear();
    }
}

std::string gateway_objection(const PublishedObject& route) {
    std::string said;
    for (const RouteParentStatus& parent : route.route_status) {
        for (const Condition& condition : parent.conditions) {
            const bool counts = condition.type == "Accepted" || condition.type == "ResolvedRefs";
            if (counts && condition.status == "False") {
                said += fmt::format("{}Gateway {}: {} is False, {}: {} (by {})",
                                    said.empty() ? "" : "; ",
                                    parent.parent.name,
                                    condition.type,
                                    condition.reason,
                                    condition.message,
                                    parent.controller);
            }
        }
    }
    return said;
}

bool satisfies(const PublishedObject& observed, const PublishedObject& desired) {
    return !observed.foreign_parts && observed.spec == desired.spec &&
           std::all_of(
               desired.meta.labels.begin(), desired.meta.labels.end(), [&](const auto& wanted) {
                   const std::string* there = label(observed.meta, wanted.first);
                   return there != nullptr && *there == wanted.second;
               });
}

}  // namespace ome::routing
