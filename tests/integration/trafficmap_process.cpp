#include "integration/trafficmap_process.hpp"

#include "integration/observer_process.hpp"
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ome::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* configuration = R"({"routing": {"enabled": true,
 "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 16,
              "maxResponseBytes": 65536, "minPeriod": "1s", "maxSamples": 100},
 "probe": {"path": "/v1/models", "method": "GET", "acceptStatuses": [200],
           "gateStatuses": [404, 500, 502, 503, 504], "period": "1s", "timeout": "500ms",
           "failureThreshold": 2, "successThreshold": 2, "allFailedPolicy": "PreserveTraffic"},
 "capacity": {"path": "/capacity", "method": "GET", "format": "Report", "samples": 4, "quorum": 2,
              "period": "1s", "timeout": "500ms", "maxAge": "30s"},
 "publisher": {"resyncInterval": "1m"}}})";

std::string program() {
    const char* path = std::getenv("OME_TRAFFICMAP");
    return path == nullptr ? "OME_TRAFFICMAP is not set" : path;
}

}  // namespace

StoreFolder::StoreFolder() {
    fs::create_directories(path());
    scratch_.write("config.json", configuration);
}

void StoreFolder::publish(const std::string& endpoint) const {
    std::string text = configuration;
    text.insert(1, "\"endpoint\": " + endpoint + ", ");
    scratch_.write("config.json", text);
}

void StoreFolder::configure(const std::function<void(boost::json::object&)>& change) const {
    boost::json::value all = boost::json::parse(configuration);
    change(all.at("routing").as_object());
    scratch_.write("config.json.new", boost::json::serialize(all));
    fs::rename(scratch_.path("config.json.new"), config());
}

// Beside it and renamed, as careful writers do.
void StoreFolder::write(const std::string& name, const std::string& text) const {
    const fs::path at = path() + "/" + name;
    fs::create_directories(at.parent_path());
    const fs::path aside = at.parent_path() / ".aside";
    std::ofstream(aside, std::ios::binary | std::ios::trunc) << text;
    fs::rename(aside, at);
}

void StoreFolder::remove(const std::string& name) const {
    fs::remove(path() + "/" + name);
}

std::string StoreFolder::read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path() + "/" + name, std::ios::binary).rdbuf();
    return text.str();
}

std::optional<routing::TrafficMap> StoreFolder::map(const std::string& ns,
                                                    const std::string& name) const {
    auto documents = wire::read_traffic_maps(read("trafficmaps/" + ns + "/" + name + ".yaml"));
    if (!documents || documents->size() != 1 || !documents->front().map) {
        return std::nullopt;
    }
    return *documents->front().map;
}

TrafficmapProcess::TrafficmapProcess(const StoreFolder& store,
                                     std::uint16_t observer_port,
                                     std::vector<std::string> flags)
    : port_(free_port()) {
    std::vector<std::string> command{program(),
                                     "run",
                                     "--store",
                                     "dir:" + store.path(),
                                     "--config",
                                     store.config(),
                                     "--observer",
                                     fmt::format("http://127.0.0.1:{}", observer_port),
                                     "--listen",
                                     fmt::format("127.0.0.1:{}", port_)};
    command.insert(command.end(), flags.begin(), flags.end());
    process_ = std::make_unique<Process>(std::move(command));
    if (!eventually([this] { return get("/readyz").status == 200; }, std::chrono::seconds(30))) {
        (void)process_->wait_for_line("\n", std::chrono::milliseconds(1));
        ADD_FAILURE() << "ome-trafficmap is not ready: " << process_->output();
    }
}

HttpReply TrafficmapProcess::get(std::string_view target) const {
    return http_call(port_, "GET", target);
}

std::string isvc_manifest(const std::string& name,
                          const std::vector<std::string>& clusters,
                          const std::function<std::string(const std::string&)>& endpoint_of,
                          const std::string& annotations) {
    std::string text = fmt::format(
        "apiVersion: ome.io/v1beta1\n"
        "kind: InferenceService\n"
        "metadata:\n"
        "  name: {}\n"
        "  annotations: {{{}}}\n"
        "spec:\n"
        "  placement: {{policy: ClusterAffinity, mode: Split}}\n"
        "status:\n"
        "  placement:\n"
        "    phase: Placed\n"
        "    candidates:\n",
        name,
        annotations);
    for (const std::string& cluster : clusters) {
        text += fmt::format(
            "    - cluster: {}\n"
            "      phase: Admitted\n"
            "      endpoint: {}\n"
            "      admittedReplicas: 2\n"
            "      readyReplicas: 2\n",
            cluster,
            endpoint_of(cluster));
    }
    return text;
}

std::string table_of(const routing::TrafficMap& map) {
    std::string text;
    for (const routing::Entry& entry : map.spec.entries) {
        text +=
            fmt::format("{} {} {} {} {} {}\n",
                        entry.cluster,
                        entry.weight,
                        entry.capacity.allocated,
                        entry.capacity.ready,
                        entry.capacity.source == routing::CapacitySource::Endpoint ? "Endpoint"
                                                                                   : "ControlPlane",
                        entry.capacity.reported ? std::to_string(*entry.capacity.reported) : "-");
    }
    return text;
}

}  // namespace ome::test
