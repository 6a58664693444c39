// A fleet that is published and has nothing to do, as it runs on a cluster: the program, in its
// role, on a real API server. What is asked for is counted by the server.
#include "kube/controller_process.hpp"
#include "kube/kube_publishing.hpp"
#include "support/run.hpp"
#include "support/source_file.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using namespace std::chrono_literals;

constexpr int fleet = 500;
constexpr auto resync = 5s;

constexpr const char* configuration = R"({"routing": {"enabled": true,
 "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 16,
              "maxResponseBytes": 65536, "minPeriod": "1s", "maxSamples": 100},
 "publisher": {"resyncInterval": "5s"}},
 "endpoint": {"globalGateway": "gateway-system/global", "backendPort": 80,
              "globalHostTemplate": "{{ .Name }}.{{ .Namespace }}.global.example.com"}})";

class IdleFleet : public KubePublishingTest {
protected:
    void SetUp() override {
        KubePublishingTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        for (const char* file : {"00-namespace.yaml", "10-rbac.yaml", "11-rbac-publisher.yaml"}) {
            const CommandResult applied = kube_servers().kubectl(
                {"apply", "-f", source_file(fmt::format("deploy/examples/kubernetes/{}", file))});
            ASSERT_EQ(applied.exit_code, 0) << applied.output;
        }
        client_ = std::make_unique<kube::Client>(io_, kube_servers().access());
    }

    // Other tests give the same user rights of their own.
    void TearDown() override {
        if (client_ != nullptr) {
            static_cast<void>(kube_servers().kubectl({"delete",
                                                      "clusterrolebinding",
                                                      "ome-trafficmap",
                                                      "ome-trafficmap-publisher",
                                                      "--ignore-not-found"}));
        }
        KubePublishingTest::TearDown();
    }

    void add_services() {
        for (int i = 0; i < fleet; ++i) {
            add_service(fmt::format("model-{}", i));
        }
    }

    /// What the controller has written since, its lease apart: `update httproutes`.
    std::vector<std::string> writes_since(std::streamoff begin) const {
        std::vector<std::string> all;
        std::ifstream log(kube_servers().audit_log());
        log.seekg(begin);
        for (std::string line; std::getline(log, line);) {
            boost::system::error_code torn;
            const json::value event = json::parse(line, torn);
            if (torn || !event.as_object().contains("objectRef")) {
                continue;
            }
            const std::string verb(event.at("verb").as_string());
            const std::string resource(event.at_pointer("/objectRef/resource").as_string());
            if (verb != "get" && verb != "list" && verb != "watch" && resource != "leases") {
                all.push_back(verb + " " + resource);
            }
        }
        return all;
    }
    static std::streamoff audit_size() {
        std::ifstream log(kube_servers().audit_log(), std::ios::ate);
        return log.tellg();
    }

    static std::string metric(const ControllerProcess& controller, const std::string& name) {
        const std::string page = "\n" + controller.get("/metrics").body;
        const std::size_t at = page.find("\n" + name + " ");
        const std::size_t begin = at + name.size() + 2;
        return at == std::string::npos ? "" : page.substr(begin, page.find('\n', begin) - begin);
    }
    /// All counters of writes, a line each.
    static std::string counted(const ControllerProcess& controller) {
        std::istringstream page(controller.get("/metrics").body);
        std::string all;
        for (std::string line; std::getline(page, line);) {
            if (line.starts_with("ome_trafficmap_writes_total") ||
                line.starts_with("ome_trafficmap_publisher_")) {
                all += line + "\n";
            }
        }
        return all;
    }

private:
    void add_service(const std::string& name) {
        const json::object service{
            {"apiVersion", "ome.io/v1beta1"},
            {"kind", "InferenceService"},
            {"metadata", {{"name", name}}},
            {"spec", {{"placement", {{"policy", "ClusterAffinity"}, {"mode", "All"}}}}}};
        const auto made = run(
            io_,
            client_->create(
                collection_path(kube::inference_services, ns), json::serialize(service), "test"));
        ASSERT_TRUE(made) << made.error().message;
        const auto candidate = [&name](const char* cluster) {
            return json::object{
                {"cluster", cluster},
                {"phase", "Admitted"},
                {"endpoint", fmt::format("http://{}.{}.example.com", name, cluster)},
                {"admittedReplicas", 2},
                {"readyReplicas", 2}};
        };
        const json::object status{
            {"status",
             {{"placement",
               {{"phase", "Placed"},
                {"candidates", json::array{candidate("worker-a"), candidate("worker-b")}}}}}}};
        const auto placed =
            run(io_,
                client_->merge_patch(object_path(kube::inference_services, ns, name, "status"),
                                     json::serialize(status),
                                     "test"));
        ASSERT_TRUE(placed) << placed.error().message;
    }

    net::asio::io_context io_{1};
    std::unique_ptr<kube::Client> client_;
};

TEST_F(IdleFleet, OfFiveHundredPublishedMapsWritesNothing) {
    add_services();
    ControllerProcess controller(kube_servers().kubeconfig("controller"),
                                 ns,
                                 LeaseTimes{},
                                 "a",
                                 ControllerSetup{.configuration = configuration});
    const std::string published = R"(ome_trafficmap_publications{reason="Published"})";
    ASSERT_TRUE(
        eventually([&] { return metric(controller, published) == std::to_string(fleet); }, 500ms))
        << metric(controller, published) << controller.output();
    EXPECT_EQ(list("httproutes").size(), static_cast<std::size_t>(fleet));
    EXPECT_EQ(list("services").size(), 2U * fleet);
    // The last answers come in.
    std::string before;
    ASSERT_TRUE(eventually(
        [&] { return std::exchange(before, counted(controller)) == counted(controller); }, 500ms));
    const std::streamoff begin = audit_size();
    std::this_thread::sleep_for(2 * resync + 1s);
    EXPECT_THAT(writes_since(begin), ElementsAre());
    EXPECT_EQ(counted(controller), before) << "nor by its own count";
    EXPECT_FALSE(before.empty());
}

}  // namespace
}  // namespace ome::test
