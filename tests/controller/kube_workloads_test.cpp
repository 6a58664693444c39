#include "kube_workloads.hpp"

#include "integration/scratch.hpp"
#include "support/scripted_server.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>

namespace ome::controller {
namespace {

using test::Peer;
using test::response;
using test::ScriptedServer;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::string_view route = R"({"metadata":{"namespace":"prod","name":"chat"},"spec":
    {"hostnames":["chat.a.example.com"],"parentRefs":[{"name":"gw","namespace":"infra"}]}})";
constexpr std::string_view gateway = R"({"metadata":{"namespace":"infra","name":"gw"},"status":
    {"addresses":[{"value":"203.0.113.10"},{"type":"Hostname","value":"lb.example.com"}]}})";

// An API server that has these two objects.
void serve(Peer& peer) {
    for (std::string head = peer.read_request(); !head.empty(); head = peer.read_request()) {
        const bool is_route = head.starts_with(
            "GET /apis/gateway.networking.k8s.io/v1/namespaces/prod/httproutes/chat ");
        const bool is_gateway = head.starts_with(
            "GET /apis/gateway.networking.k8s.io/v1/namespaces/infra/gateways/gw ");
        const std::string answer =
            is_route ? response(std::string(route))
            : is_gateway
                ? response(std::string(gateway))
                : response(
                      R"({"kind":"Status","code":404,"reason":"NotFound"})", "", "404 Not Found");
        if (!peer.write(answer)) {
            return;
        }
    }
}

class KubeWorkloadsTest : public testing::Test {
protected:
    KubeWorkloadsTest() { std::filesystem::create_directories(scratch.path("clusters")); }

    void connect(const std::string& cluster, std::uint16_t port) {
        scratch.write("clusters/" + cluster + ".yaml",
                      fmt::format(R"(apiVersion: v1
kind: Config
current-context: c
clusters: [{{name: c, cluster: {{server: "http://127.0.0.1:{}"}}}}]
users: [{{name: u, user: {{}}}}]
contexts: [{{name: c, context: {{cluster: c, user: u}}}}]
)",
                                  port));
    }

    void start(const std::string& folder) {
        workloads = std::make_unique<KubeWorkloads>(folder, [this](news::AddressesAre answer) {
            const std::lock_guard guard(mutex);
            answers.push_back(std::move(answer));
            arrived.notify_all();
        });
    }
    void start() { start(scratch.path("clusters")); }

    routing::HomeAddresses ask(const std::vector<std::string>& clusters) {
        AddressQuery query{{"prod", "chat"}, {}};
        for (const std::string& cluster : clusters) {
            query.hosts.emplace(cluster, "chat.a.example.com");
        }
        std::unique_lock guard(mutex);
        const std::size_t before = answers.size();
        workloads->submit(std::move(query));
        const bool told = arrived.wait_for(guard, 60s, [&] { return answers.size() > before; });
        EXPECT_TRUE(told) << "no answer";
        return told ? answers.back().addresses : routing::HomeAddresses();
    }

    test::Scratch scratch;
    std::mutex mutex;
    std::condition_variable arrived;
    std::vector<news::AddressesAre> answers;
    std::unique_ptr<KubeWorkloads> workloads;
};

TEST_F(KubeWorkloadsTest, AClusterTellsTheAddressesOfItsGateway) {
    ScriptedServer server(serve);
    connect("worker-a", server.port());
    start();
    const auto addresses = ask({"worker-a"});
    ASSERT_EQ(addresses.size(), 1U);
    const auto& told = addresses.at("worker-a");
    ASSERT_TRUE(told) << told.error().message;
    EXPECT_THAT(*told, ElementsAre("203.0.113.10"));
}

TEST_F(KubeWorkloadsTest, AClusterWithoutAFileIsNotConnected) {
    ScriptedServer server(serve);
    connect("worker-a", server.port());
    start();
    const auto addresses = ask({"worker-a", "worker-b", "../clusters/worker-a"});
    EXPECT_TRUE(addresses.at("worker-a"));
    for (const char* absent : {"worker-b", "../clusters/worker-a"}) {
        ASSERT_FALSE(addresses.at(absent)) << absent;
        EXPECT_EQ(addresses.at(absent).error().message,
                  fmt::format("resolve backend addresses for cluster \"{}\": workload cluster is "
                              "not connected",
                              absent));
    }
    start("");
    EXPECT_THAT(ask({"worker-a"}).at("worker-a").error().message, HasSubstr("is not connected"));
}

TEST_F(KubeWorkloadsTest, AFileIsReadAgainWhenItHasChanged) {
    start();
    EXPECT_FALSE(ask({"worker-a"}).at("worker-a"));
    scratch.write("clusters/worker-a.yaml", "clusters: 5\n");
    EXPECT_THAT(ask({"worker-a"}).at("worker-a").error().message,
                HasSubstr("read serving HTTPRoute prod/chat on cluster \"worker-a\": "));
    ScriptedServer server(serve);
    connect("worker-a", server.port());
    EXPECT_TRUE(ask({"worker-a"}).at("worker-a"));
    std::filesystem::remove(scratch.path("clusters/worker-a.yaml"));
    EXPECT_THAT(ask({"worker-a"}).at("worker-a").error().message, HasSubstr("is not connected"));
}

TEST_F(KubeWorkloadsTest, WhatIsMissingThereIsNamed) {
    ScriptedServer server([](Peer& peer) {
        while (!peer.read_request().empty()) {
            peer.write(response(R"({"kind":"Status","code":404,"reason":"NotFound",
                                "message":"httproutes \"chat\" not found"})",
                                "",
                                "404 Not Found"));
        }
    });
    connect("worker-a", server.port());
    start();
    EXPECT_THAT(ask({"worker-a"}).at("worker-a").error().message,
                testing::AllOf(HasSubstr("read serving HTTPRoute prod/chat on cluster "
                                         "\"worker-a\": "),
                               HasSubstr("not found")));
}

TEST_F(KubeWorkloadsTest, AClusterThatIsAwayIsNotTriedForEveryService) {
    ScriptedServer server([](Peer& peer) { peer.reset(); });
    connect("worker-a", server.port());
    start();
    EXPECT_THAT(ask({"worker-a"}).at("worker-a").error().message,
                HasSubstr("read serving HTTPRoute prod/chat"));
    const std::size_t tried = server.connections();
    for (int i = 0; i < 10; ++i) {
        EXPECT_FALSE(ask({"worker-a"}).at("worker-a"));
    }
    EXPECT_EQ(server.connections(), tried);
}

TEST_F(KubeWorkloadsTest, StopsInTheMiddleOfAQuery) {
    std::atomic<bool> asked = false;
    ScriptedServer server([&asked](Peer& peer) {
        peer.read_request();
        asked = true;
        asked.notify_all();
        peer.wait_until_gone();
    });
    connect("worker-a", server.port());
    start();
    workloads->submit({{"prod", "chat"}, {{"worker-a", "chat.a.example.com"}}});
    asked.wait(false);
    workloads->stop();
    EXPECT_TRUE(answers.empty());
}

}  // namespace
}  // namespace ome::controller
