#include "published_object_text.hpp"

#include <ome/wire/published_object_document.hpp>

#include <boost/json.hpp>

namespace ome::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view gateway_group = "gateway.networking.k8s.io";

json::object parent_document(const routing::GatewayParent& parent) {
    json::object made{{"group", gateway_group}, {"kind", "Gateway"}};
    if (parent.ns) {
        made["namespace"] = *parent.ns;
    }
    made["name"] = parent.name;
    return made;
}

json::object backend_document(const routing::HttpRouteSpec::Backend& backend) {
    json::object made{{"kind", "Service"},
                      {"name", backend.service},
                      {"namespace", backend.ns},
                      {"port", backend.port},
                      {"weight", backend.weight}};
    if (backend.rewrite_hostname) {
        made["filters"] = json::array{
            json::object{{"type", "URLRewrite"},
                         {"urlRewrite", json::object{{"hostname", *backend.rewrite_hostname}}}}};
    }
    return made;
}

json::array texts(const std::vector<std::string>& values) {
    return json::array(values.begin(), values.end());
}

json::object members_of(const routing::HttpRouteSpec& spec) {
    json::array parents;
    for (const routing::GatewayParent& parent : spec.parents) {
        parents.push_back(parent_document(parent));
    }
    json::array backends;
    for (const auto& backend : spec.backends) {
        backends.push_back(backend_document(backend));
    }
    json::object rule{{"matches",
                       json::array{json::object{
                           {"path", json::object{{"type", "PathPrefix"}, {"value", "/"}}}}}}};
    if (!backends.empty()) {
        rule["backendRefs"] = std::move(backends);
    }
    return {{"spec",
             json::object{{"parentRefs", std::move(parents)},
                          {"hostnames", texts(spec.hostnames)},
                          {"rules", json::array{std::move(rule)}}}}};
}

json::object members_of(const routing::ServiceSpec& spec) {
    json::object made;
    if (spec.external_name.empty()) {
        made = {{"type", "ClusterIP"}, {"clusterIP", "None"}};
    } else {
        made = {{"type", "ExternalName"}, {"externalName", spec.external_name}};
    }
    made["ports"] = json::array{json::object{{"port", spec.port}}};
    return {{"spec", std::move(made)}};
}

json::object members_of(const routing::EndpointSliceSpec& spec) {
    json::array endpoints;
    for (const std::string& address : spec.addresses) {
        endpoints.push_back(json::object{
            {"addresses", json::array{json::value(address)}},
            {"conditions",
             json::object{{"ready", true}, {"serving", true}, {"terminating", false}}}});
    }
    return {{"addressType", spec.v6 ? "IPv6" : "IPv4"},
            {"endpoints", std::move(endpoints)},
            {"ports", json::array{json::object{{"protocol", "TCP"}, {"port", spec.port}}}}};
}

json::object members_of(const routing::BackendTlsPolicySpec& spec) {
    return {{"spec",
             json::object{{"targetRefs",
                           json::array{json::object{
                               {"group", ""}, {"kind", "Service"}, {"name", spec.service}}}},
                          {"validation",
                           json::object{{"wellKnownCACertificates", spec.authorities},
                                        {"hostname", spec.hostname}}}}}};
}

json::object* object_in(json::object& parent, std::string_view name) {
    json::value* member = parent.if_contains(name);
    return member == nullptr ? nullptr : member->if_object();
}

json::object& made_object(json::object& parent, std::string_view name) {
    json::value& member = parent[name];
    return member.is_object() ? member.get_object() : member.emplace_object();
}

// An API server takes no update without them.
void keep_assigned(const json::object* before, json::object& members) {
    json::object* spec = object_in(members, "spec");
    if (before == nullptr || spec == nullptr || !spec->contains("clusterIP")) {
        return;
    }
    for (const char* name : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
        if (const json::value* assigned = before->if_contains(name)) {
            (*spec)[name] = *assigned;
        }
    }
}

json::object new_document(const routing::PublishedObject& object) {
    return {{"apiVersion", api_version_of(object.kind())},
            {"kind", routing::to_string(object.kind())},
            {"metadata",
             json::object{{"name", object.meta.key.name}, {"namespace", object.meta.key.ns}}}};
}

}  // namespace

json::object spec_members(const routing::PublishedObject& object) {
    return std::visit([](const auto& spec) { return members_of(spec); }, object.spec);
}

std::string_view api_version_of(routing::ObjectKind kind) {
    switch (kind) {
        case routing::ObjectKind::Service:
            return "v1";
        case routing::ObjectKind::EndpointSlice:
            return "discovery.k8s.io/v1";
        case routing::ObjectKind::HttpRoute:
        case routing::ObjectKind::BackendTlsPolicy:
            break;
    }
    return "gateway.networking.k8s.io/v1";
}

json::object written_object(const routing::PublishedObject& object, const json::object* stored) {
    json::object document = stored != nullptr ? *stored : new_document(object);
    json::object& labels = made_object(made_object(document, "metadata"), "labels");
    for (const auto& [name, value] : object.meta.labels) {
        labels[name] = value;
    }
    json::object members = spec_members(object);
    if (object.kind() == routing::ObjectKind::Service) {
        const json::value* spec = stored == nullptr ? nullptr : stored->if_contains("spec");
        keep_assigned(spec == nullptr ? nullptr : spec->if_object(), members);
    }
    for (auto& [name, value] : members) {
        document[name] = std::move(value);
    }
    return document;
}

}  // namespace ome::wire
