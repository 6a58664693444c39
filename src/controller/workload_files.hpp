// What a folder says of workload clusters, in place of their API servers: `CLUSTER.yaml` holds the
// HTTPRoutes and Gateways of the cluster, with the Gateways' status.
#pragma once

#include "store.hpp"

#include <string>

namespace ome::controller {

/// A cluster without a file is not connected.
[[nodiscard]] routing::HomeAddresses addresses_of(const std::string& folder,
                                                  const AddressQuery& query);

}  // namespace ome::controller
