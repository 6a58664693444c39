// A name that is not there, and where it is: most who miss an object have left out -n.
#pragma once

#include "cluster.hpp"
#include "session.hpp"

#include <string>

namespace ome::kubectl {

/// `\nhint: ...` with the other namespaces that have an object of this kind and name, for the end
/// of a message. Empty: the failure is another one, none has it, or it may not be asked.
[[nodiscard]] std::string elsewhere_hint(Session& session,
                                         Cluster& cluster,
                                         Kind kind,
                                         const core::ServiceKey& key,
                                         const ClusterError& error);

}  // namespace ome::kubectl
