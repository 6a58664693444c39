// The roles of deploy/examples/kubernetes as they are shipped, and how they are without one verb.
#pragma once

#include <boost/json/value.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace ome::test {

/// One verb of one resource in one rule of one role.
struct ShippedRight {
    boost::json::value role;  ///< the whole object
    std::size_t rule = 0;
    std::string group;
    std::string resource;
    std::string verb;

    /// `trafficmaps/status.ome.io`
    [[nodiscard]] std::string full_resource() const;
    /// For the name of a test.
    [[nodiscard]] std::string name() const;
    /// The role without this one verb.
    [[nodiscard]] boost::json::value role_without() const;
};

void PrintTo(const ShippedRight& right, std::ostream* out);

/// Of all roles in all manifests of the folder, in their order.
[[nodiscard]] std::vector<ShippedRight> shipped_rights(const std::string& folder);

}  // namespace ome::test
