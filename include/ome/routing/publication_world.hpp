// Everything that publishing looks at, as it was last observed: maps, their services, the objects
// of the Gateway API, and what workload clusters say of addresses. A value with indexes: whoever
// watches puts the newest in, and no decision ever looks through the whole of it.
#pragma once

#include <ome/routing/desired_objects.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/published_object.hpp>
#include <ome/routing/traffic_map.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ome::routing {

class PublicationWorld {
public:
    void put(PublishedObject object);
    void erase(const ObjectKey& key);
    void put(std::shared_ptr<const TrafficMap> map);
    void erase_map(const core::ServiceKey& key);
    void put(std::shared_ptr<const InferenceService> service);
    void erase_service(const core::ServiceKey& key);
    void put_addresses(const core::ServiceKey& source, HomeAddresses addresses);
    /// Objects of this kind cannot be read; absent: they can. `missing`: there is no such kind (no
    /// CRD), and so there is nothing of it.
    void set_unreadable(ObjectKind kind, std::optional<core::Problem> why, bool missing = false);

    [[nodiscard]] const PublishedObject* find(const ObjectKey& key) const;
    [[nodiscard]] std::shared_ptr<const TrafficMap> map(const core::ServiceKey& key) const;
    [[nodiscard]] std::shared_ptr<const InferenceService> service(
        const core::ServiceKey& key) const;
    [[nodiscard]] const HomeAddresses& addresses(const core::ServiceKey& source) const;
    [[nodiscard]] const core::Problem* unreadable(ObjectKind kind) const;
    /// The same where there may be objects that are not seen; null for a kind that is missing.
    [[nodiscard]] const core::Problem* hidden(ObjectKind kind) const;

    /// By key: routes, Services, slices, policies.
    [[nodiscard]] std::vector<const PublishedObject*> owned_by(
        const core::ServiceKey& source) const;

    /// Another route that lists exactly this hostname on the same Gateway; null: none.
    [[nodiscard]] const PublishedObject* same_hostname(const ObjectKey& route,
                                                       const std::string& hostname,
                                                       const core::ServiceKey& gateway) const;

    /// Why the built-in publisher may not claim these targets for the map: another map has one of
    /// them, holds a journal that cannot be read, or claims of another publisher.
    [[nodiscard]] std::optional<core::Problem> claim_conflict(
        const core::ServiceKey& map, const std::vector<std::string>& claims) const;

    /// InferenceServices that carry the finalizer of the legacy endpoint publisher.
    [[nodiscard]] std::size_t legacy_services() const { return legacy_.size(); }

private:
    struct Unreadable {
        core::Problem why;
        bool missing = false;
    };

    void index(const PublishedObject& object);
    void unindex(const PublishedObject& object);

    std::map<ObjectKey, PublishedObject> objects_;
    std::map<core::ServiceKey, std::set<ObjectKey>> by_source_;
    std::map<std::string, std::set<ObjectKey>> by_hostname_;
    std::map<core::ServiceKey, std::shared_ptr<const TrafficMap>> maps_;
    std::map<std::string, std::set<core::ServiceKey>> by_claim_;
    std::set<core::ServiceKey> strange_journals_;  ///< invalid, or another publisher's with claims
    std::map<core::ServiceKey, std::shared_ptr<const InferenceService>> services_;
    std::set<core::ServiceKey> legacy_;
    std::map<core::ServiceKey, HomeAddresses> addresses_;
    std::map<ObjectKind, Unreadable> unreadable_;
};

/// The finalizer of the publisher that came before this one.
inline constexpr std::string_view legacy_finalizer = "ome.io/placement-endpoint";
[[nodiscard]] bool has_legacy_finalizer(const InferenceService& service);

}  // namespace ome::routing
