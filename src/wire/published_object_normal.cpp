// Specs without the differences that only an API server makes: it fills in what was left out.
#include "published_object_text.hpp"

#include <boost/json.hpp>

#include <initializer_list>

namespace ome::wire {
namespace {

namespace json = boost::json;

void put_if_absent(json::object& object, std::string_view name, const json::value& value) {
    if (json::value& member = object[name]; member.is_null()) {
        member = value;
    }
}

void drop_if(json::object& object, std::string_view name, const json::value& filled_in) {
    const json::value* member = object.if_contains(name);
    if (member != nullptr && (member->is_null() || *member == filled_in)) {
        object.erase(name);
    }
}

void drop_if_empty(json::object& object, std::string_view name) {
    drop_if(object, name, json::array());
}

template <typename Change>
void each(json::object& parent, std::string_view name, const Change& change) {
    json::value* list = parent.if_contains(name);
    if (list == nullptr || !list->is_array()) {
        return;
    }
    for (json::value& item : list->get_array()) {
        if (item.is_object()) {
            change(item.get_object());
        }
    }
}

json::object* spec_of(json::object& members) {
    json::value* spec = members.if_contains("spec");
    return spec == nullptr ? nullptr : spec->if_object();
}

void normalize_rule(json::object& rule, const std::string& ns) {
    put_if_absent(
        rule,
        "matches",
        json::array{json::object{{"path", json::object{{"type", "PathPrefix"}, {"value", "/"}}}}});
    drop_if_empty(rule, "backendRefs");
    drop_if_empty(rule, "filters");
    each(rule, "backendRefs", [&ns](json::object& backend) {
        drop_if(backend, "group", "");
        drop_if_empty(backend, "filters");
        put_if_absent(backend, "kind", "Service");
        put_if_absent(backend, "namespace", json::value(ns));
        put_if_absent(backend, "weight", 1);
    });
}

void normalize_route(json::object& spec, const std::string& ns) {
    each(spec, "parentRefs", [](json::object& parent) {
        put_if_absent(parent, "group", "gateway.networking.k8s.io");
        put_if_absent(parent, "kind", "Gateway");
    });
    each(spec, "rules", [&ns](json::object& rule) { normalize_rule(rule, ns); });
}

void normalize_service(json::object& spec) {
    for (const char* assigned : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
        spec.erase(assigned);
    }
    drop_if(spec, "clusterIP", "");
    drop_if(spec, "sessionAffinity", "None");
    drop_if(spec, "internalTrafficPolicy", "Cluster");
    put_if_absent(spec, "type", "ClusterIP");
    each(spec, "ports", [](json::object& port) {
        drop_if(port, "protocol", "TCP");
        drop_if(port, "name", "");
        if (const json::value* number = port.if_contains("port")) {
            drop_if(port, "targetPort", json::value(*number));
        }
    });
}

void normalize_slice(json::object& members) {
    each(members, "endpoints", [](json::object& endpoint) {
        put_if_absent(endpoint,
                      "conditions",
                      json::object{{"ready", true}, {"serving", true}, {"terminating", false}});
    });
    each(members, "ports", [](json::object& port) {
        put_if_absent(port, "protocol", "TCP");
        drop_if(port, "name", "");
    });
}

void normalize_policy(json::object& spec) {
    each(spec, "targetRefs", [](json::object& target) { put_if_absent(target, "group", ""); });
}

json::object picked(const json::object& document, std::initializer_list<std::string_view> names) {
    json::object members;
    for (const std::string_view name : names) {
        const json::value* member = document.if_contains(name);
        if (member != nullptr && !member->is_null()) {
            members.emplace(name, *member);
        }
    }
    return members;
}

}  // namespace

json::object normal_spec_members(const json::object& document, const routing::ObjectKey& key) {
    if (key.kind == routing::ObjectKind::EndpointSlice) {
        json::object members = picked(document, {"addressType", "endpoints", "ports"});
        put_if_absent(members, "endpoints", json::array());
        normalize_slice(members);
        return members;
    }
    json::object members = picked(document, {"spec"});
    json::object* spec = spec_of(members);
    if (spec == nullptr) {
        return members;
    }
    if (key.kind == routing::ObjectKind::HttpRoute) {
        normalize_route(*spec, key.ns);
    } else if (key.kind == routing::ObjectKind::Service) {
        normalize_service(*spec);
    } else {
        normalize_policy(*spec);
    }
    return members;
}

}  // namespace ome::wire
