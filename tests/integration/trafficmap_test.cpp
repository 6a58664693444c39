// The controller as a user runs it: a folder, an observer, simulated homes.
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"
#include "integration/trafficmap_process.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace ome::test {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

constexpr auto patience = 60s;

class Trafficmap : public testing::Test {
protected:
    Trafficmap() : homes({"--home", "worker-a", "--home", "worker-b"}), observer("") {
        homes.set("worker-a", R"({"poll":{"report":3}})");
        homes.set("worker-b", R"({"poll":{"report":1}})");
    }

    void put_chat(const std::string& annotations = {}) const {
        store.write("inferenceservices/demo/chat.yaml",
                    isvc_manifest(
                        "chat",
                        {"worker-a", "worker-b"},
                        [this](const std::string& cluster) { return homes.endpoint(cluster); },
                        annotations));
    }

    [[nodiscard]] std::string table() const {
        const auto map = store.map("demo", "chat");
        return map ? table_of(*map) : "no map";
    }

    [[nodiscard]] bool becomes(const std::string& wanted) const {
        return eventually([&] { return table() == wanted; }, patience);
    }

    [[nodiscard]] bool routable(const std::string& reason) const {
        return eventually(
            [&] {
                const auto map = store.map("demo", "chat");
                return map && !map->status.conditions.empty() &&
                       map->status.conditions.front().reason == reason;
            },
            patience);
    }

    static constexpr const char* guide =
        "worker-a 2 2 2 ControlPlane 3\n"
        "worker-b 1 1 2 Endpoint 1\n";

    Homes homes;
    ObserverProcess observer;
    StoreFolder store;
};

TEST_F(Trafficmap, AServiceInTheFolderGetsTheMapOfTheGuide) {
    TrafficmapProcess controller(store, observer.port());
    put_chat();
    EXPECT_TRUE(becomes(guide)) << table();
    EXPECT_TRUE(routable("Routable"));
    // The file is there before the controller hears so.
    EXPECT_TRUE(eventually(
        [&] {
            return controller.get("/metrics")
                       .body.find(
                           "ome_trafficmap_capacity_fallback_homes{namespace=\"demo\",trafficmap="
                           "\"chat\"} 0") != std::string::npos;
        },
        patience));
    EXPECT_THAT(controller.get("/status").body, HasSubstr("demo/chat"));
    EXPECT_THAT(controller.get("/v1/maps/demo/chat/explain").body, HasSubstr("worker-b 1: "));
    EXPECT_EQ(controller.get("/v1/maps/demo/other/explain").status, 404);
}

TEST_F(Trafficmap, AGateClosesAndOutlivesBothProcesses) {
    put_chat();
    auto controller = std::make_unique<TrafficmapProcess>(store, observer.port());
    ASSERT_TRUE(becomes(guide)) << table();
    homes.set("worker-b", R"({"probe":{"status":503}})");
    const auto gated = [this] {
        const auto map = store.map("demo", "chat");
        return map && map->spec.entries[1].probe && map->spec.entries[1].probe->gated &&
               map->spec.entries[1].weight == 0;
    };
    ASSERT_TRUE(eventually(gated, patience));
    controller->process().signal(SIGKILL);
    (void)controller->process().wait_for_exit();
    controller.reset();
    ObserverProcess fresh("");
    homes.set("worker-b", R"({"probe":{"status":403}})");  // tells nothing either way
    TrafficmapProcess again(store, fresh.port());
    EXPECT_TRUE(eventually(
        [&] {
            const auto map = store.map("demo", "chat");
            return map && map->spec.entries[1].probe &&
                   map->spec.entries[1].probe->result == core::ProbeResult::Unknown;
        },
        patience));
    EXPECT_TRUE(gated());
    homes.set("worker-b", R"({"probe":{"status":200}})");
    EXPECT_TRUE(becomes(guide)) << table();
}

TEST_F(Trafficmap, CapacityFallsOpenWhileTheObserverStandsStill) {
    put_chat();
    const TrafficmapProcess controller(store, observer.port());
    ASSERT_TRUE(becomes(guide)) << table();
    observer.process().signal(SIGSTOP);
    EXPECT_TRUE(becomes("worker-a 1 2 2 ControlPlane -\nworker-b 1 2 2 ControlPlane -\n"));
    EXPECT_EQ(store.map("demo", "chat")->spec.entries[1].capacity.fallback_reason,
              "capacity observation could not be submitted: observer has not answered for 5s");
    store.write("overrides/demo/chat.yaml",
                "metadata: {annotations: {ome.io/traffic-drain: "
                "'{\"m\":{\"cluster\":\"worker-a\",\"reason\":\"work\"}}'}}\n");
    EXPECT_TRUE(becomes("worker-a 0 2 2 ControlPlane -\nworker-b 1 2 2 ControlPlane -\n"));
    store.remove("overrides/demo/chat.yaml");
    observer.process().signal(SIGCONT);
    EXPECT_TRUE(becomes(guide)) << table();
}

TEST_F(Trafficmap, AnObserverThatIsReplacedIsToldEverythingAgain) {
    put_chat();
    const TrafficmapProcess controller(store, observer.port());
    ASSERT_TRUE(becomes(guide)) << table();
    observer.process().signal(SIGKILL);
    (void)observer.process().wait_for_exit();
    ASSERT_TRUE(becomes("worker-a 1 2 2 ControlPlane -\nworker-b 1 2 2 ControlPlane -\n"));
    const std::string listen = "127.0.0.1:" + std::to_string(observer.port());
    Process successor(
        {std::getenv("OME_OBSERVER"), "serve", "--listen", listen, "--allow-loopback"});
    EXPECT_TRUE(becomes(guide)) << table();
}

TEST_F(Trafficmap, AMalformedDrainFreezesAndIsTold) {
    put_chat("ome.io/traffic-drain: '{\"m\":{\"cluster\":\"worker-a\",\"reason\":\"work\"}}'");
    TrafficmapProcess controller(store, observer.port());
    ASSERT_TRUE(becomes("worker-a 0 2 2 ControlPlane 3\nworker-b 1 1 2 Endpoint 1\n")) << table();
    put_chat("ome.io/traffic-drain: ''");
    EXPECT_TRUE(eventually(
        [&] {
            return controller.get("/metrics").body.find("ome_trafficmap_frozen{") !=
                   std::string::npos;
        },
        patience));
    EXPECT_THAT(table(), HasSubstr("worker-a 0 "));
    const HttpReply explained = controller.get("/v1/maps/demo/chat/explain");
    EXPECT_EQ(explained.status, 200);
    EXPECT_THAT(explained.body, HasSubstr("frozen because parse ome.io/traffic-drain: "));
    EXPECT_THAT(explained.body, HasSubstr("worker-b 1: in force as stored: "));
    EXPECT_TRUE(eventually(
        [&] {
            return store.read("events.ndjson").find("parse ome.io/traffic-drain: ") !=
                   std::string::npos;
        },
        patience));
    put_chat();
    EXPECT_TRUE(becomes(guide)) << table();
}

// The manifest names neither namespace nor uid nor generation: all of it is the store's to give.
TEST_F(Trafficmap, RenderReproducesTheStoredMap) {
    const auto put_unobserved = [this](const std::string& mode) {
        std::string text = isvc_manifest("chat", {"worker-a", "worker-b"}, [](const auto& cluster) {
            return "http://" + cluster + ".test";
        });
        const std::string spec = "spec:\n";
        text.replace(text.find(spec),
                     spec.size(),
                     spec + "  routing: {probe: {disabled: true}, capacity: {disabled: true}}\n");
        text.replace(text.find("Split"), 5, mode);
        store.write("inferenceservices/demo/chat.yaml", text);
    };
    const auto has_mode = [this](const std::string& mode) {
        const auto map = store.map("demo", "chat");
        return map && map->spec.mode == mode;
    };
    {
        TrafficmapProcess controller(store, observer.port());
        for (const std::string mode : {"All", "Split"}) {
            put_unobserved(mode);
            ASSERT_TRUE(eventually([&] { return has_mode(mode); }, patience)) << table();
        }
        controller.process().signal(SIGTERM);
        ASSERT_EQ(controller.process().wait_for_exit(patience), 0);
    }
    const std::string stored = store.read("trafficmaps/demo/chat.yaml");
    Process render({std::getenv("OME_TRAFFICMAP"),
                    "render",
                    "--isvc",
                    store.path() + "/inferenceservices/demo/chat.yaml",
                    "--map",
                    store.path() + "/trafficmaps/demo/chat.yaml",
                    "--config",
                    store.config()});
    EXPECT_EQ(render.wait_for_exit(patience), 0);
    EXPECT_EQ(render.output(), stored);
}

TEST_F(Trafficmap, AHandEditIsUndoneAndADeletedServiceTakesItsMapAlong) {
    put_chat();
    const TrafficmapProcess controller(store, observer.port());
    ASSERT_TRUE(becomes(guide)) << table();
    std::string text = store.read("trafficmaps/demo/chat.yaml");
    text.replace(text.find("weight: 2"), 9, "weight: 7");
    store.write("trafficmaps/demo/chat.yaml", text);
    EXPECT_TRUE(eventually([&] { return table() == guide; }, patience)) << table();
    store.write("trafficmaps/demo/chat.yaml", "spec: [");
    EXPECT_TRUE(becomes(guide)) << table();
    store.remove("inferenceservices/demo/chat.yaml");
    EXPECT_TRUE(
        eventually([&] { return store.read("trafficmaps/demo/chat.yaml").empty(); }, patience));
}

TEST_F(Trafficmap, TheSecondTakesOverWhenTheFirstIsGone) {
    put_chat();
    TrafficmapProcess first(store, observer.port());
    ASSERT_TRUE(becomes(guide)) << table();
    TrafficmapProcess second(store, observer.port());
    EXPECT_THAT(second.get("/readyz").body, HasSubstr("standby"));
    first.process().signal(SIGKILL);
    (void)first.process().wait_for_exit();
    put_chat("ome.io/traffic-drain: '{\"m\":{\"cluster\":\"worker-a\",\"reason\":\"work\"}}'");
    EXPECT_TRUE(becomes("worker-a 0 2 2 ControlPlane 3\nworker-b 1 1 2 Endpoint 1\n")) << table();
    EXPECT_EQ(second.get("/readyz").body, "ok\n");
}

TEST_F(Trafficmap, WeightsReachTheRouteAndTheRouteGoesWithItsService) {
    store.publish(R"({"globalGateway": "gateway-system/global", "backendPort": 80,
                      "globalHostTemplate": "{{ .Name }}.global.example.com"})");
    const auto put = [this](const std::string& annotations) {
        store.write("inferenceservices/demo/chat.yaml",
                    isvc_manifest(
                        "chat",
                        {"worker-a", "worker-b"},
                        [this](const std::string& cluster) {
                            // What is published must be a name.
                            std::string endpoint = homes.endpoint(cluster);
                            return endpoint.replace(endpoint.find("127.0.0.1"), 9, "localhost");
                        },
                        annotations));
    };
    const auto route_has = [this](const std::string& first, const std::string& second) {
        return eventually(
            [&] {
                const std::string text = store.read("routes/demo/chat.yaml");
                const std::size_t at = text.find("      weight: " + first + "\n");
                return at != std::string::npos &&
                       text.find("      weight: " + second + "\n", at + 1) != std::string::npos;
            },
            patience);
    };
    put("");
    auto controller = std::make_unique<TrafficmapProcess>(store, observer.port());
    EXPECT_TRUE(route_has("2", "1")) << store.read("routes/demo/chat.yaml");
    EXPECT_TRUE(eventually(
        [&] {
            const auto map = store.map("demo", "chat");
            return map && map->status.published.value_or(false) && map->status.gateway_ref;
        },
        patience));
    put("ome.io/traffic-drain: '{\"m\":{\"cluster\":\"worker-a\",\"reason\":\"work\"}}'");
    EXPECT_TRUE(route_has("0", "1")) << store.read("routes/demo/chat.yaml");
    EXPECT_TRUE(eventually(
        [&] {
            return controller->get("/metrics")
                       .body.find("ome_trafficmap_publications{reason=\"Published\"} 1") !=
                   std::string::npos;
        },
        patience));
    controller->process().signal(SIGKILL);
    (void)controller->process().wait_for_exit();
    controller.reset();
    store.remove("inferenceservices/demo/chat.yaml");
    const TrafficmapProcess again(store, observer.port());
    EXPECT_TRUE(eventually(
        [&] {
            return store.read("trafficmaps/demo/chat.yaml").empty() &&
                   store.read("routes/demo/chat.yaml").empty();
        },
        patience));
}

TEST_F(Trafficmap, AChangedConfigurationIsTakenUpAndAnInvalidOneChangesNothing) {
    put_chat();
    TrafficmapProcess controller(store, observer.port(), {"--config-interval", "0s"});
    ASSERT_TRUE(becomes(guide)) << table();
    const auto said = [&](const std::string& text) {
        return eventually(
            [&] {
                (void)controller.process().wait_for_line("no such line", 1ms);
                return controller.process().output().find(text) != std::string::npos;
            },
            patience);
    };
    // As of a file that is cut off behind the name.
    store.configure([](json::object& routing) { routing["enabled"] = nullptr; });
    controller.process().signal(SIGHUP);
    EXPECT_TRUE(said("routing.enabled: null must have a value"));
    EXPECT_TRUE(becomes(guide)) << table();
    store.configure([](json::object& routing) { routing["enabled"] = true; });
    store.configure([](json::object& routing) { routing["capacity"].as_object()["samples"] = 0; });
    controller.process().signal(SIGHUP);
    EXPECT_TRUE(said("the configuration cannot be used, what was in force stays"));
    const std::string shown = controller.get("/status").body;
    EXPECT_THAT(shown, HasSubstr(" map, 1 unusable\n"));
    EXPECT_THAT(shown, HasSubstr("\nunusable: " + store.config() + ": invalid"));
    EXPECT_EQ(controller.get("/readyz").body, "ok\n");
    EXPECT_TRUE(becomes(guide)) << table();
    const auto status = [&] { return json::parse(controller.get("/v1/status").body).as_object(); };
    const auto passes = status().at("passes").to_number<std::int64_t>();
    const auto writes = status().at("writes").to_number<std::int64_t>();

    store.configure([](json::object& routing) { routing.erase("capacity"); });
    controller.process().signal(SIGHUP);
    EXPECT_TRUE(said("routing.capacity.path: /capacity -> (not set)"));
    EXPECT_GE(status().at("passes").to_number<std::int64_t>(), passes) << "of the process";
    EXPECT_GE(status().at("writes").to_number<std::int64_t>(), writes);
    EXPECT_THAT(controller.get("/status").body, Not(HasSubstr("unusable: ")));
    EXPECT_TRUE(becomes("worker-a 1 2 2 ControlPlane -\nworker-b 1 2 2 ControlPlane -\n"))
        << table();
    EXPECT_TRUE(eventually([&] { return controller.get("/readyz").body == "ok\n"; }, patience));
    // A slip changes nothing that is in force, and is told when it is new.
    store.configure([](json::object& routing) { routing["probee"] = json::object{}; });
    controller.process().signal(SIGHUP);
    EXPECT_TRUE(said("settings warning=\"" + store.config() + ": routing.probee"));
    EXPECT_THAT(controller.get("/status").body,
                HasSubstr("\nwarning   " + store.config() + ": routing.probee"));
    store.configure([](json::object& routing) { routing.erase("probee"); });
    controller.process().signal(SIGHUP);
    EXPECT_TRUE(eventually(
        [&] { return controller.get("/status").body.find("\nwarning   ") == std::string::npos; },
        patience));
    // Once more, and an end in the middle of it.
    store.configure([](json::object& routing) {
        routing["enabeld"] = true;
        routing.erase("enabled");
    });
    controller.process().signal(SIGHUP);
    EXPECT_TRUE(said("routing.enabled: true -> (not set)"));
    EXPECT_TRUE(said("routing.enabeld is not known"));
    EXPECT_TRUE(said("routing is turned off: the maps are deleted"));
    EXPECT_THAT(controller.get("/status").body,
                HasSubstr("routing   OFF, no map is kept: routing.enabled is not set; "
                          "routing.enabeld is not known and is ignored; did you mean enabled?"));
    EXPECT_TRUE(
        eventually([&] { return store.read("trafficmaps/demo/chat.yaml").empty(); }, patience));
    controller.process().signal(SIGTERM);
    EXPECT_EQ(controller.process().wait_for_exit(30s), 0);
}

TEST_F(Trafficmap, EndsInOrder) {
    put_chat();
    TrafficmapProcess controller(store, observer.port());
    ASSERT_TRUE(becomes(guide)) << table();
    controller.process().signal(SIGTERM);
    EXPECT_EQ(controller.process().wait_for_exit(30s), 0);
}

}  // namespace
}  // namespace ome::test
