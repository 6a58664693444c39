// The guide "Traffic map", "Published": each reason as a user gets it on a folder, what becomes of
// PublicationFallback beside it, and the staleness check of status.observedTrafficMapGeneration.
// `Transitioning` lasts for one write; publisher_test sees it.
#include "integration/observer_process.hpp"
#include "integration/trafficmap_process.hpp"
#include <ome/routing/publication_status.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ome::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr auto patience = 60s;
constexpr std::uint16_t no_observer = 1;  ///< weights are those of the control plane then

// No template: a service says its global hostname itself.
constexpr const char* endpoint = R"({"globalGateway": "gateway-system/global", "backendPort": 80})";

struct Manifest {
    std::string name = "chat";
    std::string host = name + ".global.example.com";  ///< empty: none
    std::string metadata = {};                        ///< members, in YAML's flow style
    std::string routing = {};                         ///< likewise
    int homes = 2;
};

class Published : public testing::Test {
protected:
    Published() { store.publish(endpoint); }

    void put(const Manifest& manifest) const {
        std::string text = fmt::format(
            "apiVersion: ome.io/v1beta1\n"
            "kind: InferenceService\n"
            "metadata: {{name: {}, annotations: {{{}}}, {}}}\n"
            "spec:\n"
            "  placement: {{policy: ClusterAffinity, mode: Split}}\n"
            "  routing: {{{}}}\n"
            "status:\n"
            "  placement:\n"
            "    phase: Placed\n"
            "    candidates:\n",
            manifest.name,
            manifest.host.empty() ? "" : "ome.io/global-host: " + manifest.host,
            manifest.metadata,
            manifest.routing);
        for (int home = 0; home < manifest.homes; ++home) {
            text += fmt::format(
                "    - {{cluster: worker-{}, phase: Admitted,\n"
                "       endpoint: 'http://{}.worker-{}.example.com',\n"
                "       admittedReplicas: 2, readyReplicas: 2}}\n",
                home,
                manifest.name,
                home);
        }
        store.write("inferenceservices/demo/" + manifest.name + ".yaml", text);
    }

    /// A map of the service with this uid, as an earlier controller left it.
    void put_map(const std::string& name, const std::string& uid, const std::string& status) const {
        store.write(
            "trafficmaps/demo/" + name + ".yaml",
            fmt::format("apiVersion: ome.io/v1beta1\n"
                        "kind: TrafficMap\n"
                        "metadata:\n"
                        "  namespace: demo\n"
                        "  name: {0}\n"
                        "  uid: of-the-map\n"
                        "  generation: 1\n"
                        "  finalizers: [ome.io/trafficmap-publisher]\n"
                        "  ownerReferences:\n"
                        "    - {{apiVersion: ome.io/v1beta1, kind: InferenceService, name: {0},\n"
                        "       uid: {1}, controller: true, blockOwnerDeletion: true}}\n"
                        "spec: {{service: {0}}}\n"
                        "status: {{sourceUID: {1}, {2}}}\n",
                        name,
                        uid,
                        status));
    }

    void start() { controller = std::make_unique<TrafficmapProcess>(store, no_observer); }

    /// The output is read meanwhile: a full pipe would cost lines of the log.
    [[nodiscard]] bool until(const std::function<bool()>& condition) {
        return eventually(
            [&] {
                (void)controller->process().wait_for_line("no such line", 1ms);
                return condition();
            },
            patience);
    }

    [[nodiscard]] std::string condition(const std::string& name, const std::string& type) const {
        const auto map = store.map("demo", name);
        const auto* found = map ? routing::find_condition(map->status, type) : nullptr;
        return found == nullptr ? "none" : found->status + " " + found->reason;
    }

    /// Waits for both conditions.
    void expect(const std::string& published, const std::string& fallback) {
        expect("chat", published, fallback);
    }
    void expect(const std::string& name,
                const std::string& published,
                const std::string& fallback) {
        EXPECT_TRUE(until([&] {
            return condition(name, "Published") == published &&
                   condition(name, "PublicationFallback") == fallback;
        })) << store.read("trafficmaps/demo/" + name + ".yaml");
    }

    /// The error is in the log and not in the condition.
    void expect_logged(const std::string& line, const std::string& error) {
        EXPECT_TRUE(until([&] {
            const std::string log = controller->process().output();
            const std::size_t at = log.find(line);
            return at != std::string::npos && log.find(error, at) != std::string::npos;
        })) << controller->process().output();
        EXPECT_THAT(store.read("trafficmaps/demo/chat.yaml"), Not(HasSubstr(error)));
    }
    void expect_failure_logged(const std::string& error) {
        expect_logged("TrafficMap publisher reconciliation failed", error);
    }

    [[nodiscard]] std::string route(const std::string& name = "chat") const {
        return store.read("routes/demo/" + name + ".yaml");
    }

    void publish_chat() {
        put({});
        start();
        expect("True Published", "False Unsupported");
    }

    /// After an earlier success: the route stays, and the map still names it.
    void expect_the_last_publication_stays(const std::string& earlier_route) {
        EXPECT_EQ(route(), earlier_route);
        const auto map = store.map("demo", "chat");
        ASSERT_TRUE(map && map->status.gateway_ref);
        EXPECT_EQ(map->status.gateway_ref->name, "chat-global");
        EXPECT_EQ(map->status.published, false);
    }

    StoreFolder store;
    std::unique_ptr<TrafficmapProcess> controller;
};

TEST_F(Published, ThePublisherWroteTheCurrentTable) {
    publish_chat();
    const auto map = store.map("demo", "chat");
    EXPECT_EQ(map->status.gateway_ref->kind, "HTTPRoute");
    EXPECT_EQ(map->status.gateway_ref->ns, "demo");
    EXPECT_EQ(map->status.gateway_ref->name, "chat-global");
    EXPECT_THAT(route(), HasSubstr("name: chat-global"));
}

TEST_F(Published, WithdrawnWithoutAGateway) {
    store.publish(R"({"backendPort": 80})");
    put({});
    start();
    expect("False Withdrawn", "False Withdrawn");
    EXPECT_EQ(route(), "");
}

// A port alone cannot be missing: a configuration with a gateway and without it is refused.
TEST_F(Published, WithdrawnWithoutAGatewayAndItsPort) {
    store.publish("{}");
    put({});
    start();
    expect("False Withdrawn", "False Withdrawn");
    EXPECT_EQ(route(), "");
}

TEST_F(Published, WithdrawnWithoutAHostnameAndTheRouteIsDeleted) {
    publish_chat();
    put({.host = ""});
    expect("False Withdrawn", "False Withdrawn");
    EXPECT_EQ(route(), "");
    EXPECT_FALSE(store.map("demo", "chat")->status.gateway_ref);
}

TEST_F(Published, InvalidPlanWithMoreThan16Entries) {
    put({.homes = 17});
    start();
    expect("False InvalidPlan", "Unknown InvalidPlan");
    expect_failure_logged(
        "TrafficMap has 17 entries, Gateway API HTTPRoute rules support at most 16 backendRefs");
}

TEST_F(Published, InvalidOptionsAndTheLastPublicationStays) {
    publish_chat();
    const std::string earlier = route();
    put({.routing = "publisher: {options: {tier: gold}}"});
    expect("False InvalidOptions", "Unknown InvalidOptions");
    expect_failure_logged(
        "Gateway API publisher does not accept per-InferenceService options: tier");
    expect_the_last_publication_stays(earlier);
}

TEST_F(Published, ClaimRejectedForAHostnameThatIsTaken) {
    publish_chat();
    put({.name = "rival", .host = "chat.global.example.com"});
    expect("rival", "False ClaimRejected", "Unknown ClaimRejected");
    expect_failure_logged(
        "Gateway hostname \\\"chat.global.example.com\\\" on gateway-system/global is already "
        "published by HTTPRoute demo/chat-global");
    expect("True Published", "False Unsupported");
    EXPECT_EQ(route("rival"), "");
}

TEST_F(Published, ApplyFailedUntilTheRouteCanBeWritten) {
    store.write("routes/demo", "a file where the folder should be");
    put({});
    start();
    expect("False ApplyFailed", "Unknown ApplyFailed");
    expect_failure_logged("routes/demo");
    store.remove("routes/demo");
    expect("True Published", "False Unsupported");
}

TEST_F(Published, DrainFailedForARouteThatIsNotOursAnyMore) {
    store.write("routes/demo/of-others.yaml",
                "apiVersion: gateway.networking.k8s.io/v1\n"
                "kind: HTTPRoute\n"
                "metadata: {name: earlier, namespace: demo}\n"
                "spec:\n"
                "  parentRefs: [{name: another}]\n"
                "  hostnames: [other.example.com]\n");
    put({.metadata = "uid: of-chat"});
    put_map("chat",
            "of-chat",
            "publisher: {publisherName: gatewayapi, claimedTargets: "
            "['v1:httproute:demo/earlier']}");
    start();
    expect("False DrainFailed", "Unknown DrainFailed");
    expect_failure_logged("claimed HTTPRoute demo/earlier is not owned by source demo/chat");
}

TEST_F(Published, InvalidOwnerUntilTheMapFollowsItsService) {
    publish_chat();
    const std::string earlier = route();
    put({.routing = "capacityFactors: {worker-0: '0'}"});  // freezes the map
    expect("False InvalidOwner", "Unknown InvalidOwner");
    expect_the_last_publication_stays(earlier);
    put({});
    expect("True Published", "False Unsupported");
}

TEST_F(Published, LegacyLifecycleActiveWhileAServiceHasTheOldFinalizer) {
    put({});
    put({.name = "old", .metadata = "finalizers: [ome.io/placement-endpoint]"});
    start();
    expect("False LegacyLifecycleActive", "Unknown LegacyLifecycleActive");
    expect_failure_logged("1 InferenceService(s) retain the legacy endpoint publisher finalizer");
    put({.name = "old"});
    expect("True Published", "False Unsupported");
}

TEST_F(Published, PublisherChangedForTheJournalOfAnother) {
    put({.metadata = "uid: of-chat"});
    put_map("chat",
            "of-chat",
            "publisher: {publisherName: another, claimedTargets: ['v1:dns:demo/chat']}");
    start();
    expect("False PublisherChanged", "Unknown PublisherChanged");
    EXPECT_EQ(route(), "");
}

// Also the row of UnpublishFailed: what is told is Finalizing.
TEST_F(Published, FinalizingWhileTheRouteCannotBeRemoved) {
    publish_chat();
    std::string taken = route();
    const std::string label = "ome.io/managed-by: placement-endpoint";
    for (std::size_t at = 0; (at = taken.find(label, at)) != std::string::npos;) {
        taken.replace(at, label.size(), "ome.io/managed-by: somebody-else");
    }
    store.write("routes/demo/chat.yaml", taken);
    expect("False ClaimRejected", "Unknown ClaimRejected");
    store.remove("inferenceservices/demo/chat.yaml");
    expect("False Finalizing", "False Finalizing");
    expect_logged("TrafficMap publisher finalization failed",
                  "claimed HTTPRoute demo/chat-global is not owned by source demo/chat");
    store.remove("routes/demo/chat.yaml");
    EXPECT_TRUE(until([&] { return store.read("trafficmaps/demo/chat.yaml").empty(); }))
        << store.read("trafficmaps/demo/chat.yaml");
}

TEST_F(Published, UnpublishedWhenTheRouteOfADeletedMapIsGone) {
    publish_chat();
    // Somebody else's finalizer keeps the map for us to look at.
    std::string text = store.read("trafficmaps/demo/chat.yaml");
    const std::string ours = "  - ome.io/trafficmap-publisher\n";
    ASSERT_THAT(text, HasSubstr(ours));
    text.insert(text.find(ours), "  - example.com/keep\n");
    store.write("trafficmaps/demo/chat.yaml", text);
    put({.routing = "enabled: false"});
    expect("False Unpublished", "False Finalizing");
    EXPECT_EQ(route(), "");
}

TEST_F(Published, UnpublishedWhileTheServiceIsBeingDeleted) {
    publish_chat();
    put({.metadata = "deletionTimestamp: '2026-01-02T03:04:05Z', finalizers: [example.com/keep]"});
    EXPECT_TRUE(until([&] {
        return condition("chat", "Published") == "False Unpublished" ||
               store.read("trafficmaps/demo/chat.yaml").empty();
    })) << store.read("trafficmaps/demo/chat.yaml");
}

TEST_F(Published, TheMapTellsWhichGenerationWasPublishedLast) {
    publish_chat();
    const auto generations = [&] {
        const auto map = store.map("demo", "chat");
        return map ? std::pair(map->meta.generation, map->status.observed_traffic_map_generation)
                   : std::pair<std::int64_t, std::int64_t>(-1, -1);
    };
    const auto first = generations();
    EXPECT_EQ(first.first, first.second);
    put({.routing = "capacityFactors: {worker-0: '2'}"});
    EXPECT_TRUE(until([&] {
        return generations().first > first.first && generations().second == generations().first;
    })) << store.read("trafficmaps/demo/chat.yaml");
    const auto last_success = generations().second;
    put({.routing = "capacityFactors: {worker-0: '3'}, publisher: {options: {tier: gold}}"});
    EXPECT_TRUE(until([&] {
        return condition("chat", "Published") == "False InvalidOptions" &&
               generations().first > last_success && generations().second == last_success;
    })) << store.read("trafficmaps/demo/chat.yaml");
}

}  // namespace
}  // namespace ome::test
