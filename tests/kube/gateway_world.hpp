// A Gateway that people run (Traefik, built by tools/kube-tools --gateway) beside the test's API
// server, two homes for it to send requests to, and the controller that publishes to it: everything
// in a network of the test program's own, since an EndpointSlice takes no address of loopback.
#pragma once

#include "integration/scratch.hpp"
#include "kube/run_on_kube.hpp"
#include "support/http_call.hpp"
#include "support/process.hpp"
#include "support/scripted_dns.hpp"
#include <ome/kube/client.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ome::test {

/// A home of the service `chat`, at an address of its own: requests to the path of its polls are
/// what the Gateway sends, all others are probes. It says its name in its answers.
class GatewayHome {
public:
    GatewayHome(std::string address, int name);

    void set(const std::string& behaviour) const;
    /// Requests of the Gateway, ever.
    [[nodiscard]] std::int64_t served() const;
    [[nodiscard]] const std::string& address() const { return address_; }

private:
    [[nodiscard]] HttpPeer control() const;

    std::string address_;
    Process process_;
};

/// Who answered how many requests.
struct Answers {
    int a = 0;
    int b = 0;
    std::map<int, int> others = {};  ///< by status: nobody's

    [[nodiscard]] int all() const;
};

class GatewayTest : public RunOnKube {
protected:
    static void TearDownTestSuite();
    void SetUp() override;
    void TearDown() override;

    /// A controller that publishes to the Gateway, with Services of this type.
    void publish(const std::string& service_type = "Headless");
    /// The service, with so many ready replicas in its homes.
    void put_service(int ready_a, int ready_b);
    /// Until the map has these weights; requests go on meanwhile, and for two seconds more. Returns
    /// the time of the last answer of each home after that of the map's change: negative for none.
    [[nodiscard]] std::pair<double, double> follow(const std::string& weights);
    [[nodiscard]] Answers ask(int requests);

    [[nodiscard]] std::string map_weights();
    /// `Accepted True, ResolvedRefs True`: what the Gateway has said of the present route.
    [[nodiscard]] std::string said_of_route();
    /// A number of the controller's metrics, by its whole name.
    [[nodiscard]] std::string metric(const std::string& name) const;
    /// `kubectl-ome traffic why chat`
    [[nodiscard]] std::string why();

    std::unique_ptr<ControllerProcess> controller;
    std::unique_ptr<GatewayHome> home_a;
    std::unique_ptr<GatewayHome> home_b;

private:
    void prepare_gateway();
    void add_workload_clusters();
    [[nodiscard]] boost::json::value object(const std::string& path);

    Scratch workloads_;
    net::asio::io_context own_{1};
    std::unique_ptr<kube::Client> client_;
    std::unique_ptr<ScriptedDns> dns_;
};

}  // namespace ome::test
