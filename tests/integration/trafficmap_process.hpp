// ome-trafficmap as a process over a folder of the test's own.
#pragma once

#include "integration/scratch.hpp"
#include "support/http_call.hpp"
#include "support/process.hpp"
#include <ome/routing/traffic_map.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ome::test {

/// `inferenceservices`, `overrides`, `trafficmaps` and `routes` of a store, and the configuration
/// beside it.
class StoreFolder {
public:
    StoreFolder();

    [[nodiscard]] std::string path() const { return scratch_.path("store"); }
    [[nodiscard]] std::string config() const { return scratch_.path("config.json"); }
    /// Writes the configuration with other members of `routing`.
    void configure(const std::function<void(boost::json::object& routing)>& change) const;
    /// From the next start on, with this block `endpoint`.
    void publish(const std::string& endpoint) const;
    /// Below the store; its folder is made.
    void write(const std::string& name, const std::string& text) const;
    void remove(const std::string& name) const;
    [[nodiscard]] std::string read(const std::string& name) const;
    /// Absent: not there, or not readable (at the moment).
    [[nodiscard]] std::optional<routing::TrafficMap> map(const std::string& ns,
                                                         const std::string& name) const;

private:
    Scratch scratch_;
};

class TrafficmapProcess {
public:
    /// `run --store dir:... --config ... --observer http://127.0.0.1:PORT`; waits until it answers.
    TrafficmapProcess(const StoreFolder& store,
                      std::uint16_t observer_port,
                      std::vector<std::string> flags = {});

    [[nodiscard]] HttpReply get(std::string_view target) const;
    [[nodiscard]] Process& process() { return *process_; }

private:
    std::uint16_t port_;
    std::unique_ptr<Process> process_;
};

/// A service whose homes are admitted with 2 of 2 replicas.
[[nodiscard]] std::string isvc_manifest(
    const std::string& name,
    const std::vector<std::string>& clusters,
    const std::function<std::string(const std::string&)>& endpoint_of,
    const std::string& annotations = {});

/// `cluster weight allocated ready source reported`, a line each.
[[nodiscard]] std::string table_of(const routing::TrafficMap& map);

}  // namespace ome::test
