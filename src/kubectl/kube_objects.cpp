#include "kube_objects.hpp"

#include <ome/kube/resource.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ome::kubectl {
namespace {

const kube::Resource& resource_of(Kind kind) {
    return kind == Kind::TrafficMap ? kube::traffic_maps : kube::inference_services;
}

}  // namespace

std::string collection_of(Kind kind, const std::string& ns) {
    return collection_path(resource_of(kind), ns);
}

std::string path_of(Kind kind, const core::ServiceKey& key) {
    return object_path(resource_of(kind), key.ns, key.name);
}

std::string page_target(const ListRequest& request) {
    std::string target =
        fmt::format("{}?limit={}", collection_of(request.kind, request.ns), request.limit);
    if (!request.selector.empty()) {
        target += "&labelSelector=" + kube::url_escaped(request.selector);
    }
    if (!request.continue_token.empty()) {
        target += "&continue=" + kube::url_escaped(request.continue_token);
    }
    return target;
}

std::string patch_target(const PatchRequest& request) {
    return path_of(Kind::InferenceService, request.key) + (request.dry_run ? "?dryRun=All" : "");
}

void complete(Kind kind, json::value& item) {
    if (json::object* object = item.if_object()) {
        object->emplace("apiVersion", resource_of(kind).api_version());
        object->emplace("kind", resource_of(kind).kind);
    }
}

}  // namespace ome::kubectl
