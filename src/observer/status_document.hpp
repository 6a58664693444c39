// `/v1/status` as a value: everything an operator needs to see whether the observer keeps up, and
// what to change if it does not.
#pragma once

#include "recorder.hpp"
#include "shard_stats.hpp"
#include <ome/core/policy.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ome::observer {

struct StatusFigures {
    std::string version;
    core::Duration uptime{};
    std::size_t services = 0;
    std::vector<ShardStats> shards;
    std::vector<double> busy_seconds;  ///< of each reactor's thread since start
    core::ObserverLimits limits;
    std::optional<RecorderStats> recording;  ///< with `--record`
};

/// Without `instance`, which every JSON answer gets anyway.
[[nodiscard]] boost::json::object status_document(const StatusFigures& figures);

/// The same as a text table, for `curl localhost:7460/status`.
[[nodiscard]] std::string status_text(const StatusFigures& figures);

}  // namespace ome::observer
