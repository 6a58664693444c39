// Whether a Gateway does with our HTTPRoute what the TrafficMap says: real requests through
// Traefik, counted at the homes.
#include "kube/gateway_world.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ome::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using GatewayServerTest = GatewayTest;

constexpr const char* accepted = "Accepted True, ResolvedRefs True";
constexpr int many = 3000;
constexpr int some = 300;

TEST_F(GatewayServerTest, RequestsAreSharedOutAsTheWeightsSay) {
    publish();
    for (const auto& [ready_a, ready_b] : {std::pair(3, 1), std::pair(2, 5), std::pair(1, 1)}) {
        SCOPED_TRACE(fmt::format("{} to {}", ready_a, ready_b));
        put_service(ready_a, ready_b);
        static_cast<void>(follow(fmt::format("{} {}", ready_a, ready_b)));
        const std::int64_t before_a = home_a->served();
        const std::int64_t before_b = home_b->served();
        const Answers answers = ask(many);
        const double share = 100.0 * answers.a / many;
        const double wanted = 100.0 * ready_a / (ready_a + ready_b);
        RecordProperty(fmt::format("share_of_{}_to_{}", ready_a, ready_b),
                       fmt::format("{:.1f} {:.1f}", share, wanted));
        EXPECT_NEAR(share, wanted, 3.0);
        EXPECT_EQ(answers.a + answers.b, many) << "all are served";
        EXPECT_EQ(home_a->served() - before_a, answers.a) << "once each";
        EXPECT_EQ(home_b->served() - before_b, answers.b);
    }
    EXPECT_EQ(said_of_route(), accepted);
    EXPECT_TRUE(eventually([&] { return metric("ome_trafficmap_routes_refused") == "0"; }));
    EXPECT_THAT(events(), Not(HasSubstr("RouteNotAccepted")));
    EXPECT_THAT(why(), HasSubstr("accepted by traefik.io/gateway-controller"));
}

TEST_F(GatewayServerTest, ADrainedHomeGetsNothingTwoSecondsLater) {
    publish();
    put_service(1, 1);
    static_cast<void>(follow("1 1"));
    EXPECT_GT(ask(some).b, 0);
    drain("chat", R"({"m":{"cluster":"worker-b","reason":"r"}})");
    const auto [last_a, last_b] = follow("1 0");
    RecordProperty("last_request_after_drain", fmt::format("{:.3f}s", last_b));
    const std::int64_t before = home_b->served();
    const Answers drained = ask(some);
    EXPECT_EQ(drained.a, some);
    EXPECT_EQ(home_b->served(), before);
    drain("chat", "");
    static_cast<void>(follow("1 1"));
    EXPECT_GT(ask(some).b, 0) << "and something again when the drain is off";
}

TEST_F(GatewayServerTest, AGatedHomeGetsNothingTwoSecondsLater) {
    publish();
    put_service(1, 1);
    static_cast<void>(follow("1 1"));
    EXPECT_GT(ask(some).a, 0);
    home_a->set(R"({"probe":{"status":[503]}})");
    const auto [last_a, last_b] = follow("0 1");
    RecordProperty("last_request_after_gate", fmt::format("{:.3f}s", last_a));
    const std::int64_t before = home_a->served();
    const Answers gated = ask(some);
    EXPECT_EQ(gated.b, some);
    EXPECT_EQ(home_a->served(), before);
    home_a->set(R"({"probe":{"status":[200]}})");
    static_cast<void>(follow("1 1"));
    EXPECT_GT(ask(some).a, 0) << "and something again when the gate is open";
}

TEST_F(GatewayServerTest, NobodyIsServedByATableOfZeros) {
    publish();
    put_service(1, 1);
    static_cast<void>(follow("1 1"));
    drain("chat",
          R"({"m":{"cluster":"worker-a","reason":"r"},"n":{"cluster":"worker-b","reason":"r"}})");
    static_cast<void>(follow("0 0"));
    const std::int64_t before_a = home_a->served();
    const std::int64_t before_b = home_b->served();
    const Answers answers = ask(some);
    EXPECT_EQ(answers.a + answers.b, 0);
    EXPECT_EQ(answers.all(), some);
    EXPECT_FALSE(answers.others.contains(0)) << "every request has an answer";
    for (const auto& [status, count] : answers.others) {
        RecordProperty("status_of_zeros", status);
    }
    EXPECT_EQ(home_a->served(), before_a);
    EXPECT_EQ(home_b->served(), before_b);
    EXPECT_EQ(field("httproute", "chat-global", "{.spec.rules[*].backendRefs[*].weight}"), "0 0");
    EXPECT_EQ(said_of_route(), accepted);
}

// Until the type of the Services is changed, over the Services that are there.
TEST_F(GatewayServerTest, AGatewayThatTakesNoExternalNameSaysSoAndTakesHeadless) {
    publish("ExternalName");
    put_service(1, 1);
    ASSERT_TRUE(eventually([&] { return said_of_route() == "Accepted True, ResolvedRefs False"; }))
        << said_of_route();
    EXPECT_TRUE(eventually([&] { return metric("ome_trafficmap_routes_refused") == "1"; }));
    EXPECT_TRUE(eventually([&] {
        return events().find("InferenceService chat RouteNotAccepted 1\n") != std::string::npos;
    })) << events();
    EXPECT_THAT(controller->output(),
                AllOf(HasSubstr("the gateway does not take the route"),
                      HasSubstr("type ExternalName is not supported")));
    EXPECT_THAT(why(), HasSubstr("type ExternalName is not supported"));
    const auto published = [&] {
        return field(
            "trafficmap", "chat", R"({.status.conditions[?(@.type=="Published")].status})");
    };
    EXPECT_EQ(published(), "True") << "it is written, whatever the Gateway makes of it";
    EXPECT_EQ(ask(some).a, 0);

    publish("Headless");
    EXPECT_TRUE(eventually([&] { return said_of_route() == accepted; })) << said_of_route();
    EXPECT_TRUE(eventually([&] {
        const Answers answers = ask(some);
        return answers.a + answers.b == some;
    }));
    EXPECT_TRUE(eventually([&] { return metric("ome_trafficmap_routes_refused") == "0"; }));
    EXPECT_TRUE(eventually([&] { return published() == "True"; }));
    EXPECT_THAT(why(), HasSubstr("accepted by traefik.io/gateway-controller"));
}

}  // namespace
}  // namespace ome::test
