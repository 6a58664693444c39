// The objects that a plan asks for (contract/publisher-cli.md 1.4 and 1.5).
#pragma once

#include <ome/routing/publication_plan.hpp>
#include <ome/routing/published_object.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ome::routing {

/// By cluster; only asked for with EndpointSlices. A cluster that is missing is not connected.
using HomeAddresses = std::map<std::string, core::Result<std::vector<std::string>>, std::less<>>;

/// In the order in which they are written.
struct DesiredObjects {
    std::vector<PublishedObject> services;  ///< by name
    std::vector<PublishedObject> backends;  ///< of each home: slices, then the policy
    PublishedObject route;
    /// Slices of homes whose addresses cannot be told: they stay as they are (D17).
    std::set<ObjectKey> kept;
    std::vector<core::Problem> unresolved;
};

/// The plan is not withdrawn.
[[nodiscard]] DesiredObjects desired_objects(const PublicationPlan& plan,
                                             const PublicationSettings& settings,
                                             const HomeAddresses& addresses);

/// Every object that the publisher may come to need for a home, whatever the settings: what is
/// looked at before anything is written.
[[nodiscard]] std::vector<ObjectKey> object_keys_of(const PublicationPlan& plan,
                                                    const HomeBackend& home);

}  // namespace ome::routing
