#include "manifest_reader.hpp"
#include "object_reader.hpp"
#include "published_object_text.hpp"
#include "yaml_writer.hpp"
#include <ome/wire/json_document.hpp>
#include <ome/wire/published_object_document.hpp>

#include <boost/json.hpp>

#include <array>

namespace ome::wire {
namespace {

constexpr std::array kinds{routing::ObjectKind::HttpRoute,
                           routing::ObjectKind::Service,
                           routing::ObjectKind::EndpointSlice,
                           routing::ObjectKind::BackendTlsPolicy};
constexpr std::string_view gateway_group = "gateway.networking.k8s.io";

std::string_view text_in(const json::object& object, std::string_view name) {
    const json::value* member = object.if_contains(name);
    return member != nullptr && member->is_string() ? std::string_view(member->get_string())
                                                    : std::string_view();
}

// `gateway.networking.k8s.io/v1beta1` -> `gateway.networking.k8s.io`; `v1` -> empty.
std::string_view group_of(std::string_view version) {
    const std::size_t slash = version.find('/');
    return slash == version.npos ? std::string_view() : version.substr(0, slash);
}

std::string text(Members& members, std::string_view name) {
    return members.text(name).value_or("");
}

// Only Gateways count; absent for other kinds.
std::optional<routing::GatewayParent> read_parent(Members& members) {
    const std::string group = members.text("group").value_or(std::string(gateway_group));
    const std::string kind = members.text("kind").value_or("Gateway");
    routing::GatewayParent parent{members.text("namespace"), text(members, "name")};
    return group == gateway_group && kind == "Gateway" ? std::optional(std::move(parent))
                                                       : std::nullopt;
}

std::vector<routing::GatewayParent> read_parents(Members& spec) {
    std::vector<routing::GatewayParent> parents;
    spec.each("parentRefs", [&parents](Members members) {
        if (auto parent = read_parent(members)) {
            parents.push_back(*std::move(parent));
        }
    });
    return parents;
}

routing::HttpRouteSpec::Backend read_backend(Members members, const std::string& ns) {
    routing::HttpRouteSpec::Backend backend{.service = text(members, "name"),
                                            .ns = members.text("namespace").value_or(ns),
                                            .port = members.integer("port").value_or(0),
                                            .weight = members.integer("weight").value_or(1)};
    members.each("filters", [&backend](Members filter) {
        if (std::optional<Members> rewrite = filter.members("urlRewrite")) {
            backend.rewrite_hostname = rewrite->text("hostname");
        }
    });
    return backend;
}

routing::HttpRouteSpec read_route(Members& object, const std::string& ns) {
    routing::HttpRouteSpec route;
    std::optional<Members> spec = object.members("spec");
    if (!spec) {
        return route;
    }
    route.parents = read_parents(*spec);
    route.hostnames = spec->list_of_texts("hostnames");
    bool first = true;
    spec->each("rules", [&](Members rule) {
        if (std::exchange(first, false)) {
            rule.each("backendRefs", [&](Members backend) {
                route.backends.push_back(read_backend(std::move(backend), ns));
            });
        }
    });
    return route;
}

std::int64_t first_port(Members& spec) {
    std::int64_t port = 0;
    spec.each("ports",
              [&port](Members one) { port = port == 0 ? one.integer("port").value_or(0) : port; });
    return port;
}

routing::ServiceSpec read_service(Members& object) {
    routing::ServiceSpec service;
    if (std::optional<Members> spec = object.members("spec")) {
        service.external_name = text(*spec, "externalName");
        service.port = first_port(*spec);
    }
    return service;
}

routing::EndpointSliceSpec read_slice(Members& object) {
    routing::EndpointSliceSpec slice{.v6 = object.text("addressType") == "IPv6", .addresses = {}};
    object.each("endpoints", [&slice](Members endpoint) {
        for (std::string& address : endpoint.list_of_texts("addresses")) {
            slice.addresses.push_back(std::move(address));
        }
    });
    slice.port = first_port(object);
    return slice;
}

routing::BackendTlsPolicySpec read_policy(Members& object) {
    routing::BackendTlsPolicySpec policy;
    std::optional<Members> spec = object.members("spec");
    if (!spec) {
        return policy;
    }
    spec->each("targetRefs", [&policy](Members target) { policy.service = text(target, "name"); });
    if (std::optional<Members> validation = spec->members("validation")) {
        policy.authorities = text(*validation, "wellKnownCACertificates");
        policy.hostname = text(*validation, "hostname");
    }
    return policy;
}

std::vector<routing::RouteParentStatus> read_route_status(Members& object) {
    std::vector<routing::RouteParentStatus> all;
    std::optional<Members> status = object.members("status");
    if (!status) {
        return all;
    }
    status->each("parents", [&all](Members members) {
        routing::RouteParentStatus one;
        one.controller = text(members, "controllerName");
        std::optional<Members> parent = members.members("parentRef");
        one.parent = parent ? read_parent(*parent).value_or(routing::GatewayParent{}) : one.parent;
        members.each("conditions", [&one](Members condition) {
            one.conditions.push_back(read_condition(std::move(condition)));
        });
        all.push_back(std::move(one));
    });
    return all;
}

routing::ObjectSpec read_spec(routing::ObjectKind kind, Members& object, const std::string& ns) {
    switch (kind) {
        case routing::ObjectKind::HttpRoute:
            return read_route(object, ns);
        case routing::ObjectKind::Service:
            return read_service(object);
        case routing::ObjectKind::EndpointSlice:
            return read_slice(object);
        case routing::ObjectKind::BackendTlsPolicy:
            break;
    }
    return read_policy(object);
}

template <typename Value, typename Read>
core::Result<Value> read_from(const json::value& document, const Read& read) {
    const json::object* object = document.if_object();
    if (object == nullptr) {
        return core::Problem{shown(document) + " must be an object"};
    }
    Notes notes;
    Members members(*object, "", notes);
    Value value = read(members);
    if (!notes.errors.empty()) {
        return as_one(notes.errors);
    }
    return value;
}

void append(YamlWriter& to, const json::value& value) {
    if (const json::object* object = value.if_object()) {
        to.begin_object();
        for (const auto& [name, member] : *object) {
            to.key(name);
            append(to, member);
        }
        to.end_object();
    } else if (const json::array* list = value.if_array()) {
        to.begin_list();
        for (const json::value& item : *list) {
            append(to, item);
        }
        to.end_list();
    } else if (value.is_int64()) {
        to.integer(value.get_int64());
    } else if (value.is_bool()) {
        to.flag(value.get_bool());
    } else {
        to.text(value.is_string() ? std::string(value.get_string()) : to_text(value));
    }
}

}  // namespace

std::optional<routing::ObjectKind> object_kind_of(const json::value& document) {
    const json::object* object = document.if_object();
    if (object == nullptr) {
        return std::nullopt;
    }
    for (const routing::ObjectKind kind : kinds) {
        if (text_in(*object, "kind") == routing::to_string(kind) &&
            group_of(text_in(*object, "apiVersion")) == group_of(api_version_of(kind))) {
            return kind;
        }
    }
    return std::nullopt;
}

core::Result<routing::PublishedObject> read_published_object(const json::value& document) {
    const auto kind = object_kind_of(document);
    if (!kind) {
        return core::Problem{"kind must be HTTPRoute, Service, EndpointSlice or BackendTLSPolicy",
                             "kind"};
    }
    return read_published_object(*kind, document);
}

core::Result<routing::PublishedObject> read_published_object(routing::ObjectKind kind,
                                                             const json::value& document) {
    return read_from<routing::PublishedObject>(document, [&](Members& members) {
        routing::PublishedObject object;
        if (std::optional<Members> meta = meta_of(members)) {
            object.meta = read_object_meta(std::move(*meta));
        }
        object.spec = read_spec(kind, members, object.meta.key.ns);
        if (kind == routing::ObjectKind::HttpRoute) {
            object.route_status = read_route_status(members);
        }
        object.foreign_parts = normal_spec_members(document.get_object(), object.key()) !=
                               normal_spec_members(spec_members(object), object.key());
        return object;
    });
}

core::Result<std::vector<json::value>> read_documents(std::string_view text) {
    std::vector<json::value> documents;
    std::optional<core::Problem> twice;
    const auto problem = with_sources(text, [&](const std::vector<Source>& sources) {
        documents.clear();
        for (const Source& source : sources) {
            if (!source.duplicates.empty()) {
                twice = source.duplicates.front();
            }
        }
        each_manifest(sources, "", [&documents](const Manifest& manifest) {
            documents.push_back(manifest.value);
        });
        return false;
    });
    if (problem) {
        return *problem;
    }
    if (twice) {
        return *twice;
    }
    return documents;
}

core::Result<routing::ServingRoute> read_serving_route(const json::value& document) {
    return read_from<routing::ServingRoute>(document, [](Members& members) {
        routing::ServingRoute route;
        if (std::optional<Members> spec = members.members("spec")) {
            route.hostnames = spec->list_of_texts("hostnames");
            route.parents = read_parents(*spec);
        }
        return route;
    });
}

core::Result<std::vector<routing::GatewayAddress>> read_gateway_addresses(
    const json::value& document) {
    return read_from<std::vector<routing::GatewayAddress>>(document, [](Members& members) {
        std::vector<routing::GatewayAddress> addresses;
        if (std::optional<Members> status = members.members("status")) {
            status->each("addresses", [&addresses](Members address) {
                addresses.push_back({address.text("type"), text(address, "value")});
            });
        }
        return addresses;
    });
}

void append_yaml(std::string& out, const json::value& value) {
    YamlWriter writer(out);
    append(writer, value);
}

}  // namespace ome::wire
