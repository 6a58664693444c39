#include "why_gateway.hpp"

#include "members.hpp"
#include "why_facts.hpp"
#include <ome/wire/published_object_document.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::kubectl {
namespace {

bool accepts(const routing::RouteParentStatus& parent) {
    return std::any_of(parent.conditions.begin(), parent.conditions.end(), [](const auto& one) {
        return one.type == "Accepted" && one.status == "True";
    });
}

std::string acceptance(const routing::PublishedObject& route) {
    std::string by;
    for (const routing::RouteParentStatus& parent : route.route_status) {
        if (accepts(parent)) {
            by += (by.empty() ? "" : ", ") + parent.controller;
        }
    }
    return by.empty() ? "has not said anything of the route" : "accepted by " + clean(by);
}

}  // namespace

std::optional<core::ServiceKey> route_of(const json::value& map) {
    const json::value* route = find(map, {"status", "gatewayRef"});
    if (route == nullptr || text_at(*route, {"name"}).empty()) {
        return std::nullopt;
    }
    const std::string ns = text_at(*route, {"namespace"});
    return core::ServiceKey{ns.empty() ? text_at(map, {"metadata", "namespace"}) : ns,
                            text_at(*route, {"name"})};
}

GatewayWord gateway_word(const core::ServiceKey& key, const Answer<json::value>& route) {
    const std::string named = clean(fmt::format("HTTPRoute {}/{}", key.ns, key.name));
    if (!route && route.error().what == Failure::NotFound) {
        return {"there is no such route", named + " is not there, although the map says it is"};
    }
    if (!route) {
        return {
            fmt::format("not known: {} read unavailable: {}", named, words_in_full(route.error()))};
    }
    const auto read = wire::read_published_object(routing::ObjectKind::HttpRoute, *route);
    if (!read) {
        return {fmt::format(
            "not known: {} cannot be understood: {}", named, clean(read.error().message))};
    }
    const std::string objection = clean(routing::gateway_objection(*read));
    return objection.empty()
               ? GatewayWord{acceptance(*read)}
               : GatewayWord{"refused", "the gateway does not take the route: " + objection};
}

}  // namespace ome::kubectl
