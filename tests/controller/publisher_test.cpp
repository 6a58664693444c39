#include "publisher.hpp"

#include "controller/publishing_fixture.hpp"
#include "support/source_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

namespace ome::test {
namespace {

using namespace std::chrono_literals;
using routing::ObjectKind;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST_F(PublishingTest, AServiceGetsItsRoute) {
    put_service();
    start();
    settle();
    EXPECT_EQ(published(), "True Published") << problems();
    EXPECT_EQ(weights(), "1 1");
    const auto found = map();
    EXPECT_EQ(found->status.published, true);
    EXPECT_EQ(found->status.observed_traffic_map_generation, found->meta.generation);
    EXPECT_EQ(found->status.gateway_ref->name, "chat-global");
    EXPECT_EQ(found->meta.finalizers, std::vector<std::string>{"ome.io/trafficmap-publisher"});
    EXPECT_EQ(objects().size(), 3U);
}

TEST_F(PublishingTest, AResyncIntervalOfCenturiesIsNotOverAtOnce) {
    installation.publisher.resync_interval = "2562047h47m16s";
    put_service();
    start();
    settle();
    ASSERT_EQ(published(), "True Published") << problems();
    const auto wakeup = publisher->next_wakeup();
    ASSERT_TRUE(wakeup);
    EXPECT_GT(*wakeup, clock.steady() + 24h);
}

TEST_F(PublishingTest, ATableOnItsWaySaysSo) {
    std::vector<std::string> said;
    after_each = [&] {
        const auto found = map();
        const auto* fallback =
            found ? routing::find_condition(found->status, "PublicationFallback") : nullptr;
        const std::string now =
            published() +
            (fallback == nullptr ? "" : ", " + fallback->status + " " + fallback->reason);
        if (said.empty() || said.back() != now) {
            said.push_back(now);
        }
    };
    put_service();
    start();
    settle();
    EXPECT_THAT(
        said,
        testing::ElementsAre(
            "", "False Transitioning, Unknown Transitioning", "True Published, False Unsupported"));
}

TEST_F(PublishingTest, NothingIsWrittenWhileNothingChanges) {
    for (int i = 0; i < 20; ++i) {
        put_service("chat-" + std::to_string(i));
    }
    start();
    settle();
    writes = 0;
    advance(1min);
    advance(1min);
    EXPECT_EQ(writes, 0U);
    restart();
    settle();
    EXPECT_EQ(writes, 0U);
}

TEST_F(PublishingTest, WeightsFollowAndForeignAnnotationsStay) {
    put_service();
    start();
    settle();
    std::string text = read("routes/demo/chat.yaml");
    text.replace(
        text.find("  name: chat-global\n"), 0, "  annotations:\n    example.com/x: kept\n");
    write("routes/demo/chat.yaml", text);
    settle();
    for (int change = 0; change < 10; ++change) {
        put_service("chat", "", "", change % 2 == 0 ? 1 : 2);
        settle();
        EXPECT_EQ(weights(), change % 2 == 0 ? "2 1" : "1 1");
        EXPECT_EQ(published(), "True Published");
        EXPECT_THAT(read("routes/demo/chat.yaml"), HasSubstr("example.com/x: kept"));
    }
}

TEST_F(PublishingTest, AChangedServiceIsNotCalledStaleWhileItsMapIsBeingWritten) {
    put_service();
    start();
    settle();
    std::string said;
    after_each = [&] { said += published() + "\n"; };
    put_service("chat", "  routing: {capacityFactors: {worker-a: '2'}}\n");
    settle();
    EXPECT_EQ(weights(), "2 1");
    EXPECT_EQ(published(), "True Published");
    EXPECT_THAT(said, Not(HasSubstr("InvalidOwner")));
    EXPECT_EQ(publisher->counts().conflicts, 0U);
}

TEST_F(PublishingTest, AMapThatStaysStaleSaysSo) {
    put_service();
    start();
    settle();
    put_service("chat", "  routing: {capacityFactors: {worker-a: '-1'}}\n");  // freezes the map
    settle();
    EXPECT_EQ(published(), "True Published");
    advance(2s);
    EXPECT_EQ(published(), "False InvalidOwner");
    EXPECT_EQ(weights(), "1 1");
}

TEST_F(PublishingTest, AStaleMapIsToldWithWhatFrozeIt) {
    put_service();
    start();
    settle();
    put_service("chat", "  routing: {capacityFactors: {worker-a: '-1'}}\n");
    settle();
    notices.clear();
    advance(2s);
    EXPECT_THAT(problems(), HasSubstr("; the map is frozen: "));
    EXPECT_THAT(problems(), HasSubstr("capacityFactors"));
    notices.clear();
    put_service();
    settle();
    EXPECT_EQ(published(), "True Published");
    EXPECT_THAT(problems(), testing::IsEmpty()) << "it is mended";
}

TEST_F(PublishingTest, AStaleMapIsNoErrorWhereNothingWouldBePublished) {
    for (const bool configured : {false, true}) {
        if (configured) {
            gateway.global_host_template.reset();
        } else {
            gateway.global_gateway.reset();
        }
        put_service();
        start();
        settle();
        put_service("chat", "  routing: {capacityFactors: {worker-a: '-1'}}\n");
        settle();
        notices.clear();
        advance(2s);
        EXPECT_EQ(published(), "False InvalidOwner") << configured;
        EXPECT_THAT(problems(), testing::IsEmpty()) << configured;
        end();
        gateway.global_gateway = "gateway-system/global";
    }
}

TEST_F(PublishingTest, WithoutAGatewayTheMapIsWithdrawnAndNoFileIsWritten) {
    gateway = {};
    put_service();
    start();
    settle();
    EXPECT_EQ(published(), "False Withdrawn");
    EXPECT_EQ(read("routes/demo/chat.yaml"), "");
    EXPECT_THAT(problems(), testing::IsEmpty());
}

TEST_F(PublishingTest, DeletingTheServiceTakesTheRouteAway) {
    put_service();
    start();
    settle();
    remove("inferenceservices/demo/chat.yaml");
    settle();
    EXPECT_FALSE(map());
    EXPECT_EQ(read("routes/demo/chat.yaml"), "");
}

constexpr const char* frozen_spec = "  routing: {capacityFactors: {worker-a: '-1'}}\n";

TEST_F(PublishingTest, AFrozenMapKeepsItsRouteUntilTheMapIsRemovedByHand) {
    put_service();
    start();
    settle();
    put_service("chat", frozen_spec);
    settle();
    advance(5min);
    EXPECT_EQ(weights(), "1 1") << "the last good map is in force";
    remove("trafficmaps/demo/chat.yaml");
    settle();
    EXPECT_EQ(weights(), "1 1") << "an editor may be replacing it";
    advance(2s);
    EXPECT_EQ(read("routes/demo/chat.yaml"), "");
    EXPECT_FALSE(map()) << "nothing is known that it could be made of";
    EXPECT_THAT(problems(),
                HasSubstr("the map is gone and what was published of it is taken away"));
    EXPECT_THAT(problems(), HasSubstr("capacityFactors"));
    put_service();
    settle();
    EXPECT_EQ(published(), "True Published") << "it is mended";
    EXPECT_EQ(weights(), "1 1");
}

TEST_F(PublishingTest, AMapThatIsRemovedWhileNothingIsWrongIsMadeAgainWithItsRoute) {
    put_service();
    start();
    settle();
    after_each = [&] { EXPECT_EQ(weights(), "1 1") << "traffic goes on"; };
    remove("trafficmaps/demo/chat.yaml");
    settle();
    advance(2s);
    advance(5min);
    EXPECT_EQ(published(), "True Published");
    EXPECT_THAT(problems(), testing::IsEmpty());
}

TEST_F(PublishingTest, AMapThatCannotBeWrittenAgainYetKeepsItsRoute) {
    put_service();
    start();
    settle();
    remove("trafficmaps/demo");
    write("trafficmaps/demo", "in the way");
    settle();
    advance(2s);
    advance(5min);
    EXPECT_FALSE(map());
    EXPECT_EQ(weights(), "1 1");
    remove("trafficmaps/demo");
    advance(20min);
    EXPECT_EQ(published(), "True Published");
}

TEST_F(PublishingTest, AMapThatWasRemovedWhileNoControllerRanTakesItsRouteAlong) {
    put_service();
    start();
    settle();
    put_service("chat", frozen_spec);
    end();
    remove("trafficmaps/demo/chat.yaml");
    start();
    settle();
    EXPECT_EQ(weights(), "1 1");
    advance(2s);
    EXPECT_EQ(read("routes/demo/chat.yaml"), "");
}

TEST_F(PublishingTest, AMapThatCannotBeReadIsNotGone) {
    put_service();
    start();
    settle();
    end();
    const std::string good = read("trafficmaps/demo/chat.yaml");
    write("trafficmaps/demo/chat.yaml", "no: [map");
    start();
    settle();
    advance(5min);
    EXPECT_EQ(weights(), "1 1");
    write("trafficmaps/demo/chat.yaml", good);
    settle();
    advance(2s);
    EXPECT_EQ(published(), "True Published");
}

TEST_F(PublishingTest, MapAndServiceRemovedByHandLeaveNoRoute) {
    put_service();
    start();
    settle();
    remove("trafficmaps/demo/chat.yaml");
    remove("inferenceservices/demo/chat.yaml");
    settle();
    advance(2s);
    EXPECT_EQ(read("routes/demo/chat.yaml"), "");
}

TEST_F(PublishingTest, RoutesOfServicesOfAnotherControllerStay) {
    put_service("theirs");
    start();
    settle();
    const std::string route = read("routes/demo/theirs.yaml");
    remove("inferenceservices/demo/theirs.yaml");
    settle();
    ASSERT_EQ(read("routes/demo/theirs.yaml"), "");
    end();
    write("routes/demo/theirs.yaml", route);
    start();
    settle();
    advance(5min);
    EXPECT_EQ(weights("routes/demo/theirs.yaml"), "1 1");
}

TEST_F(PublishingTest, ADryRunTakesNothingAway) {
    put_service();
    start();
    settle();
    put_service("chat", frozen_spec);
    dry_run = true;
    restart();
    settle();
    remove("trafficmaps/demo/chat.yaml");
    settle();
    advance(5s);
    EXPECT_EQ(weights(), "1 1");
}

TEST_F(PublishingTest, OptingOutTakesTheRouteAwayAndOptingInBringsItBack) {
    put_service();
    start();
    settle();
    put_service("chat", "  routing: {enabled: false}\n");
    settle();
    EXPECT_FALSE(map());
    EXPECT_EQ(read("routes/demo/chat.yaml"), "");
    put_service();
    advance(1s);
    EXPECT_EQ(published(), "True Published");
}

TEST_F(PublishingTest, RoutingOffTakesTheRouteAway) {
    put_service();
    start();
    settle();
    installation.enabled = false;
    restart();
    settle();
    EXPECT_FALSE(map());
    EXPECT_EQ(read("routes/demo/chat.yaml"), "");
}

TEST_F(PublishingTest, AForeignEditIsUndoneAndAFightEndsInAPause) {
    put_service();
    start();
    settle();
    const auto edit = [this] {
        std::string text = read("routes/demo/chat.yaml");
        text.replace(text.find("weight: 1"), 9, "weight: 8");
        write("routes/demo/chat.yaml", text);
        writes = 0;
        settle();
        return writes;
    };
    EXPECT_EQ(edit(), 1U);
    EXPECT_EQ(edit(), 1U);
    EXPECT_EQ(edit(), 0U);
    EXPECT_EQ(weights(), "8 1");
    EXPECT_THAT(read("events.ndjson"), HasSubstr("PublicationContested"));
    advance(2s);
    EXPECT_EQ(weights(), "1 1");
    EXPECT_EQ(publisher->counts().repairs, 3U);
}

TEST_F(PublishingTest, ARemovedFileComesBack) {
    put_service();
    start();
    settle();
    remove("routes/demo/chat.yaml");
    settle();
    EXPECT_EQ(objects().size(), 3U);
}

TEST_F(PublishingTest, TheSecondOfTwoThatWantOneHostnameIsRejectedAndComesInLater) {
    put_service("a", "", "ome.io/global-host: www.example.com");
    start();
    settle();
    put_service("b", "", "ome.io/global-host: www.example.com");
    settle();
    EXPECT_EQ(published("a"), "True Published");
    EXPECT_EQ(published("b"), "False ClaimRejected");
    EXPECT_THAT(
        problems(),
        HasSubstr("Gateway hostname \"www.example.com\" on gateway-system/global is already "
                  "published by HTTPRoute demo/a-global"));
    writes = 0;
    advance(1min);
    EXPECT_EQ(writes, 0U);
    remove("inferenceservices/demo/a.yaml");
    settle();
    EXPECT_EQ(published("b"), "True Published");
}

// What one of them is about to write nobody can see yet.
TEST_F(PublishingTest, OfTwoThatWantOneHostnameAtOnceOneIsPublished) {
    gateway.global_host_template = "www.example.com";
    put_service("a");
    put_service("b");
    start();
    settle();
    EXPECT_THAT((std::vector{published("a"), published("b")}),
                UnorderedElementsAre("True Published", "False ClaimRejected"));
    EXPECT_EQ(objects("routes/demo/a.yaml").empty(), published("a") != "True Published");
    EXPECT_EQ(objects("routes/demo/b.yaml").empty(), published("b") != "True Published");
    remove("inferenceservices/demo/" +
           std::string(objects("routes/demo/a.yaml").empty() ? "b" : "a") + ".yaml");
    settle();
    EXPECT_THAT((std::vector{published("a"), published("b")}),
                UnorderedElementsAre("True Published", ""));
}

// It was on its way, and cannot be made again for now.
TEST_F(PublishingTest, NobodyWaitsForAMapThatIsGone) {
    gateway.global_host_template = "www.example.com";
    put_service("a");
    put_service("b");
    bool removed = false;
    after_each = [&] {
        const auto a = map("a");
        if (!removed && a && a->status.publisher) {
            removed = true;
            put_service("a", "", "ome.io/traffic-drain: broken");
            remove("trafficmaps/demo/a.yaml");
        }
    };
    start();
    settle();
    ASSERT_TRUE(removed);
    EXPECT_EQ(published("b"), "True Published");
}

// Nobody waits for anybody but the one that gets it.
TEST_F(PublishingTest, OfManyThatWantOneHostnameAllButOneAreRejectedSoon) {
    gateway.global_host_template = "www.example.com";
    std::vector<std::string> names;
    for (int index = 0; index < 300; ++index) {
        names.push_back("s" + std::to_string(index));
        put_service(names.back());
    }
    start();
    settle(20);
    std::map<std::string, int> counts;
    for (const std::string& name : names) {
        ++counts[published(name)];
    }
    EXPECT_THAT(counts,
                UnorderedElementsAre(Pair("True Published", 1), Pair("False ClaimRejected", 299)));
}

TEST_F(PublishingTest, OfTwoThatWantOneRouteAtOnceOneIsPublished) {
    put_service("9model");
    put_service("a9model");
    start();
    settle();
    EXPECT_THAT((std::vector{published("9model"), published("a9model")}),
                UnorderedElementsAre("True Published", "False ClaimRejected"));
}

TEST_F(PublishingTest, OneMapsTroubleIsNobodyElses) {
    put_service("bad", "", "ome.io/global-host: 10.0.0.1");
    put_service("good");
    start();
    settle();
    EXPECT_EQ(published("bad"), "False InvalidPlan");
    EXPECT_EQ(published("good"), "True Published");
    EXPECT_THAT(read("events.ndjson"), HasSubstr("must not be an IP address"));
}

// Something of it has been refused for so long that it is tried again a quarter of an hour later.
class PublishingRefused : public PublishingTest {
protected:
    void SetUp() override {
        put_service();
        start();
        settle();
        gateway.tls_enabled = true;
        gateway.well_known_ca_certificates = "System";
        refuse = [](const routing::PublishedObject& object) {
            return object.kind() == routing::ObjectKind::BackendTlsPolicy;
        };
        restart();
        for (int i = 0; i < 20; ++i) {
            advance(1000s);
        }
        ASSERT_EQ(published(), "False ApplyFailed");
        ASSERT_EQ(weights(), "1 1");
        notices.clear();
    }
};

TEST_F(PublishingRefused, AChangeOfTheMapReachesTheRouteAtOnce) {
    put_service("chat", "", "", 0);
    settle();
    EXPECT_EQ(weights(), "1 0");
    EXPECT_EQ(published(), "False ApplyFailed");
    writes = 0;
    advance(60s);
    EXPECT_EQ(writes, 0U) << "the rest is waited for";
}

TEST_F(PublishingRefused, TheMapIsRemovedAtOnce) {
    remove("inferenceservices/demo/chat.yaml");
    settle();
    EXPECT_EQ(read("routes/demo/chat.yaml"), "");
    EXPECT_EQ(read("trafficmaps/demo/chat.yaml"), "");
    EXPECT_EQ(problems(), "") << "nothing of the removal failed";
}

TEST_F(PublishingTest, AddressesComeFromTheWorkloadClusters) {
    gateway.service_type = "Headless";
    gateway.slices_enabled = true;
    gateway.address_refresh_interval = "30s";
    const auto workload = [](const std::string& cluster, const std::string& address) {
        return "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: chat, "
               "namespace: demo}\nspec:\n  hostnames: [chat.demo." +
               cluster +
               ".example.com]\n  parentRefs: [{name: edge, namespace: infra}]\n---\napiVersion: "
               "gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: edge, namespace: "
               "infra}\nstatus:\n  addresses: [{type: IPAddress, value: " +
               address + "}]\n";
    };
    write("workloads/worker-a.yaml", workload("worker-a", "203.0.113.1"));
    put_service();
    start();
    settle();
    EXPECT_EQ(published(), "False ApplyFailed");
    EXPECT_THAT(problems(),
                HasSubstr("resolve backend addresses for cluster \"worker-b\": workload "
                          "cluster is not connected"));
    EXPECT_EQ(weights(), "1 1");
    write("workloads/worker-b.yaml", workload("worker-b", "203.0.113.2"));
    advance(5s);
    EXPECT_EQ(published(), "True Published") << problems();
    EXPECT_THAT(read("routes/demo/chat.yaml"), HasSubstr("203.0.113.2"));
    EXPECT_THAT(read("routes/demo/chat.yaml"), HasSubstr("clusterIP: None"));
    write("workloads/worker-b.yaml", workload("worker-b", "203.0.113.9"));
    advance(31s);
    EXPECT_THAT(read("routes/demo/chat.yaml"), HasSubstr("203.0.113.9"));
    EXPECT_THAT(read("routes/demo/chat.yaml"), Not(HasSubstr("203.0.113.2")));
    EXPECT_EQ(published(), "True Published");
}

// The route as it is, with a word of the gateway.
std::string with_objection(std::string route) {
    route.insert(route.find("---\n"),
                 "status:\n  parents:\n  - controllerName: example.com/gw\n    parentRef: {name: "
                 "global}\n    conditions:\n    - {type: Accepted, status: 'False', reason: "
                 "NotAllowedByListeners, message: no}\n");
    return route;
}

TEST_F(PublishingTest, TellsWhatTheGatewaySaysOfTheRoute) {
    put_service();
    start();
    settle();
    write("routes/demo/chat.yaml", with_objection(read("routes/demo/chat.yaml")));
    settle();
    EXPECT_EQ(publisher->counts().refused, 1U);
    EXPECT_EQ(published(), "True Published");
    advance(5s);
    EXPECT_THAT(read("events.ndjson"), HasSubstr("RouteNotAccepted"));
    const std::string told = read("events.ndjson");
    advance(1min);
    EXPECT_EQ(read("events.ndjson"), told) << "once";
}

// A gateway may hear of a route before it hears of the Services behind it.
TEST_F(PublishingTest, AGatewayThatTakesTheRouteAMomentLaterIsNoNews) {
    put_service();
    start();
    settle();
    const std::string accepted = read("routes/demo/chat.yaml");
    for (int i = 0; i < 3; ++i) {
        write("routes/demo/chat.yaml", with_objection(accepted));
        advance(4s);
        EXPECT_EQ(publisher->counts().refused, 1U);
        write("routes/demo/chat.yaml", accepted);
        advance(4s);
        EXPECT_EQ(publisher->counts().refused, 0U);
    }
    EXPECT_THAT(read("events.ndjson"), Not(HasSubstr("RouteNotAccepted")));
}

TEST_F(PublishingTest, RoutesMayLiveInAnotherNamespace) {
    gateway.route_namespace = "edge";
    put_service();
    start();
    settle();
    ASSERT_EQ(objects().size(), 3U);
    EXPECT_EQ(objects().front().meta.key.ns, "edge");
    EXPECT_EQ(published(), "True Published");
}

// What may never be seen: a route that leads to a Service that is not there, and objects of ours
// that no map answers for.
class PublishingRounds : public PublishingTest {
protected:
    void check_routes() const {
        for (const std::string name : {"a", "b"}) {
            const auto all = objects("routes/demo/" + name + ".yaml");
            for (const auto& object : all) {
                const auto* route = std::get_if<routing::HttpRouteSpec>(&object.spec);
                if (route == nullptr) {
                    continue;
                }
                for (const auto& backend : route->backends) {
                    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const auto& one) {
                        return one.kind() == ObjectKind::Service &&
                               one.meta.key.name == backend.service;
                    })) << backend.service;
                }
            }
            EXPECT_TRUE(all.empty() || map(name)) << "orphans of " << name;
        }
    }

    // Somebody else's finalizer on the route: it stays for a while after its deletion, and what it
    // leads to has to stay as long.
    void hold_route(const std::string& name) {
        std::string text = read("routes/demo/" + name + ".yaml");
        const std::string head = "kind: HTTPRoute\nmetadata:\n";
        const std::size_t at = text.find(head);
        if (at != std::string::npos && text.find(held) == std::string::npos) {
            write("routes/demo/" + name + ".yaml", text.insert(at + head.size(), held));
        }
    }
    void release_route(const std::string& name) {
        std::string text = read("routes/demo/" + name + ".yaml");
        const std::size_t at = text.find(held);
        if (at != std::string::npos) {
            write("routes/demo/" + name + ".yaml", text.erase(at, held.size()));
        }
    }

    void round(unsigned seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        after_each = [this] { check_routes(); };
        start();
        for (int step = 0; step < 10; ++step) {
            change(random);
            settle(static_cast<int>(random() % 6));
            if (random() % 3 == 0) {
                restart();
            }
            clock.advance(2s);
        }
        remove("inferenceservices/demo");
        settle(static_cast<int>(random() % 4));
        restart();
        advance(5s);
        release_route("a");
        release_route("b");
        for (int wait = 0; wait < 20; ++wait) {
            advance(5s);
        }
        EXPECT_FALSE(map("a") || map("b"));
        EXPECT_EQ(read("routes/demo/a.yaml") + read("routes/demo/b.yaml"), "");
        end();
    }

    void change(std::mt19937& random) {
        const std::string name = random() % 2 == 0 ? "a" : "b";
        switch (random() % 8) {
            case 0:
                remove("inferenceservices/demo/" + name + ".yaml");
                break;
            case 1:
                put_service(name, "  routing: {enabled: false}\n");
                break;
            case 2:
                put_service(name, "", "ome.io/global-host: www.example.com");
                break;
            case 3:
                put_service(name, "", "", static_cast<int>(random() % 3));
                break;
            case 4:
                gateway.backend_port = gateway.backend_port == 80 ? 443 : 80;
                installation.enabled = random() % 4 != 0;
                break;
            case 5:
                hold_route(name);
                break;
            case 6:
                release_route(name);
                break;
            default:
                put_service(name);
        }
    }

    const std::string held = "  finalizers:\n  - example.com/hold\n";
};

TEST_F(PublishingRounds, LeaveNoOrphanWhereverTheProcessEnds) {
    const char* wanted = std::getenv("OME_PUBLISHING_ROUNDS");
    const unsigned rounds = wanted != nullptr ? static_cast<unsigned>(std::atoi(wanted)) : 10U;
    for (unsigned seed = 0; seed < rounds && !HasFailure(); ++seed) {
        round(seed);
        installation.enabled = true;
    }
}

// Whoever has an alert on Events finds them all there.
TEST(EventReasons, OfPublicationAreDocumented) {
    std::ifstream file(source_file("docs/messages.md"));
    const std::string document{std::istreambuf_iterator<char>(file), {}};
    const auto first = static_cast<int>(routing::Publication::Transitioning);
    const auto last = static_cast<int>(routing::Publication::Removed);
    for (int i = first; i <= last; ++i) {
        const auto what = static_cast<routing::Publication>(i);
        if (routing::is_failure(what)) {
            EXPECT_THAT(document, HasSubstr("`" + std::string(routing::reason_of(what)) + "`"));
        }
    }
    EXPECT_THAT(document, HasSubstr("`EndpointNotUsable`"));
    EXPECT_THAT(document, HasSubstr("`MapGone`"));
    EXPECT_THAT(document, HasSubstr("`InvalidConfiguration`"));
}

}  // namespace
}  // namespace ome::test
