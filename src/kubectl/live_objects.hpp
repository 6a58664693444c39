// The objects of one type, kept current by a watch: for commands that look again and again.
#pragma once

#include "cluster.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ome::kubectl {

class LiveObjects {
public:
    /// `ns` empty: all namespaces. Must not outlive the cluster.
    [[nodiscard]] static Answer<LiveObjects> open(Cluster& cluster,
                                                  Kind kind,
                                                  const std::string& ns);

    /// Takes what changes, for at most this long: it returns with the first news. Absent: done.
    [[nodiscard]] std::optional<ClusterError> follow(core::Duration most);

    [[nodiscard]] const std::map<core::ServiceKey, json::value>& objects() const {
        return objects_;
    }

private:
    explicit LiveObjects(std::unique_ptr<Watch> watch) : watch_(std::move(watch)) {}

    std::unique_ptr<Watch> watch_;
    std::map<core::ServiceKey, json::value> objects_;
};

}  // namespace ome::kubectl
