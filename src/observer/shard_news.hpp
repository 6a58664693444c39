// What a shard tells the API thread, as messages in the order in which things happened.
#pragma once

#include <ome/core/fleet.hpp>

#include <string>
#include <vector>

namespace ome::observer {

/// A declaration took effect: first what is gone, then what is new.
struct ShardNews {
    core::ServiceKey service;
    bool service_forgotten = false;
    std::vector<std::string> homes_forgotten;
    bool service_changed = false;
    std::vector<core::Change> changes;  ///< of any services when `service` is empty
};

}  // namespace ome::observer
