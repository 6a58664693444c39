// One controller, one observer and one fleet of simulated homes, with a service for each row of the
// guides' tables. All services start together, so that waiting for one is waiting for all.
#pragma once

#include "integration/homes.hpp"
#include "integration/observer_process.hpp"
#include "integration/trafficmap_process.hpp"
#include "support/scripted_dns.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ome::test {

/// A candidate of a service; `http://.../h/NAME-CLUSTER` unless an endpoint is given.
struct GuideHome {
    std::string cluster = {};
    std::string behaviour = R"({"poll":{"report":4}})";
    int admitted = 2;
    int ready = 2;
    std::optional<std::string> endpoint = {};
};

/// An InferenceService; where `routing` says nothing the configuration of StoreFolder counts.
struct GuideService {
    std::string name;
    std::vector<GuideHome> homes = {{.cluster = "worker-a"}, {.cluster = "worker-b"}};
    std::string routing = {};      ///< members of spec.routing, in YAML's flow style
    std::string annotations = {};  ///< likewise
    std::string metadata = {};     ///< likewise: uid, generation
    std::string phase = "Placed";
    std::string ns = "demo";

    /// The same service with other members of spec.routing.
    [[nodiscard]] GuideService with(const std::string& other_routing) const;
};

/// Each guide's rows, beside their tests.
[[nodiscard]] std::vector<GuideService> traffic_map_services();
[[nodiscard]] std::vector<GuideService> freeze_services();
[[nodiscard]] std::vector<GuideService> probe_services();
[[nodiscard]] std::vector<GuideService> capacity_services();

class GuideWorld {
public:
    GuideWorld();

    /// Writes or replaces the manifest of a service.
    void put(const GuideService& service) const;
    [[nodiscard]] const GuideService& service(const std::string& name) const;
    [[nodiscard]] std::string endpoint(const GuideService& service, const GuideHome& home) const;

    /// Patient: true as soon as the condition holds.
    [[nodiscard]] bool until(const std::function<bool()>& condition);
    /// Waits until the controller has written what two later probes of another service told.
    [[nodiscard]] bool time_goes_on();

    [[nodiscard]] std::optional<routing::TrafficMap> map(const std::string& name) const;
    [[nodiscard]] std::string map_text(const std::string& name) const;
    /// Absent: no map, or no such entry.
    [[nodiscard]] std::optional<routing::Entry> entry(const std::string& name,
                                                      const std::string& cluster) const;
    /// The entry as it stands in the map's file.
    [[nodiscard]] std::string entry_text(const std::string& name, const std::string& cluster) const;
    /// `True Reason: message` of a condition.
    [[nodiscard]] std::string condition(const std::string& name, const std::string& type) const;

    /// Why the map is frozen, as /v1/status tells; empty: it is not.
    [[nodiscard]] std::string frozen(const std::string& name) const;
    /// The messages of the events about a service.
    [[nodiscard]] std::vector<std::string> events(const std::string& name) const;
    /// Whether the log has a line about the service with this error.
    [[nodiscard]] bool logged(const std::string& name, const std::string& error);
    /// The line's value for `namespace` and `trafficmap`; empty: there is no such series.
    [[nodiscard]] std::string metric(const std::string& metric, const std::string& name) const;

    [[nodiscard]] Homes& homes() { return *homes_; }
    [[nodiscard]] const StoreFolder& store() const { return store_; }

private:
    void put_maps_of_others() const;

    std::vector<GuideService> services_;
    StoreFolder store_;
    ScriptedDns dns_;
    std::unique_ptr<Homes> homes_;
    std::unique_ptr<ObserverProcess> observer_;
    std::unique_ptr<TrafficmapProcess> controller_;
};

/// A service's name as part of a test's.
[[nodiscard]] std::string test_name(std::string service);

/// The world of the test program: made by the first test, gone with the program.
class GuideTest : public testing::Test {
protected:
    static GuideWorld& world();
};

}  // namespace ome::test
