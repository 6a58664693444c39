#include "kube_publication_documents.hpp"

#include <ome/wire/published_object_document.hpp>

#include <boost/json.hpp>

#include <utility>

namespace ome::controller {

namespace json = boost::json;

const kube::Resource& resource_of(routing::ObjectKind kind) {
    switch (kind) {
        case routing::ObjectKind::HttpRoute:
            return kube::http_routes;
        case routing::ObjectKind::Service:
            return kube::services;
        case routing::ObjectKind::EndpointSlice:
            return kube::endpoint_slices;
        case routing::ObjectKind::BackendTlsPolicy:
            break;
    }
    return kube::backend_tls_policies;
}

std::string target_of(const routing::ObjectKey& key) {
    return object_path(resource_of(key.kind), key.ns, key.name);
}

core::Result<std::shared_ptr<const routing::PublishedObject>> read_stored(
    routing::ObjectKind kind, const json::value& document) {
    auto object = wire::read_published_object(kind, document);
    if (!object) {
        return object.error();
    }
    routing::drop_unused(*object);
    return std::make_shared<const routing::PublishedObject>(*std::move(object));
}

bool is_current(const routing::ObjectMeta& stored,
                const std::string& uid,
                const std::string& resource_version) {
    return stored.uid == uid && stored.resource_version == resource_version;
}

bool is_over(const routing::ObjectMeta& meta) {
    return meta.deletion_timestamp && meta.finalizers.empty();
}

std::string finalizer_patch(const routing::ObjectMeta& stored, bool held) {
    json::array finalizers;
    for (const std::string& one : stored.finalizers) {
        if (one != routing::publisher_finalizer) {
            finalizers.emplace_back(one);
        }
    }
    if (held) {
        finalizers.emplace_back(routing::publisher_finalizer);
    }
    return json::serialize(json::object{{"metadata",
                                         {{"uid", stored.uid},
                                          {"resourceVersion", stored.resource_version},
                                          {"finalizers", std::move(finalizers)}}}});
}

}  // namespace ome::controller
