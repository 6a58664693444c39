#include "refused_requests.hpp"

#include <utility>

namespace ome::controller {
namespace {

PublicationResult refused(const core::ServiceKey& source,
                          std::optional<routing::ObjectKey> object,
                          const core::Problem& why) {
    return {.source = source,
            .outcome = StoreResult::Outcome::Failed,
            .object = std::move(object),
            .problem = why};
}

StoreResult refused(const core::ServiceKey& key, const core::Problem& why) {
    return {.key = key, .outcome = StoreResult::Outcome::Failed, .problem = why};
}

}  // namespace

std::optional<PublicationResult> refused_publication(const StoreRequest& request,
                                                     const core::Problem& why) {
    if (const auto* status = std::get_if<MapStatusWrite>(&request)) {
        return refused(status->source, std::nullopt, why);
    }
    if (const auto* finalizer = std::get_if<MapFinalizerWrite>(&request)) {
        return refused(finalizer->source, std::nullopt, why);
    }
    if (const auto* object = std::get_if<ObjectWriteRequest>(&request)) {
        return refused(object->source, object->write.object.key(), why);
    }
    if (const auto* removal = std::get_if<ObjectDeleteRequest>(&request)) {
        return refused(removal->source, removal->remove.key, why);
    }
    return std::nullopt;
}

std::optional<StoreResult> refused_write(const StoreRequest& request, const core::Problem& why) {
    if (const auto* write = std::get_if<MapWrite>(&request)) {
        return refused(write->key, why);
    }
    if (const auto* removal = std::get_if<MapDelete>(&request)) {
        return refused(removal->key, why);
    }
    return std::nullopt;
}

}  // namespace ome::controller
