#include <ome/routing/home_addresses.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

const core::ServiceKey chat{"prod", "chat"};
const core::ServiceKey edge{"infra", "edge"};
const std::string before = "resolve backend addresses for cluster \"worker-a\": ";

WorkloadCluster cluster(std::vector<std::string> hostnames, std::vector<GatewayParent> parents) {
    WorkloadCluster made;
    made.routes.emplace(chat, ServingRoute{std::move(hostnames), std::move(parents)});
    made.gateways.emplace(edge,
                          std::vector<GatewayAddress>{{"IPAddress", "203.0.113.20"},
                                                      {std::nullopt, "2001:db8::1"},
                                                      {"Hostname", "lb.example.com"},
                                                      {"IPAddress", "203.0.113.10"},
                                                      {"IPAddress", "203.0.113.10"}});
    return made;
}

core::Result<std::vector<std::string>> resolve(const WorkloadCluster* workload) {
    return resolve_addresses("worker-a", chat, "chat.example.com", workload);
}

TEST(HomeAddresses, AreThoseOfTheGatewayByFamilyAndText) {
    const auto workload = cluster({"Chat.Example.com."}, {{"infra", "edge"}});
    const auto found = resolve(&workload);
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, (std::vector<std::string>{"203.0.113.10", "203.0.113.20", "2001:db8::1"}));
}

TEST(HomeAddresses, AreThoseOfTheParentAtTheHostnamesPlace) {
    const auto workload = cluster({"other.example.com", "chat.example.com"},
                                  {{"infra", "nowhere"}, {"infra", "edge"}});
    EXPECT_TRUE(resolve(&workload));
}

TEST(HomeAddresses, SayWhatIsMissing) {
    EXPECT_EQ(resolve(nullptr).error().message, before + "workload cluster is not connected");
    const WorkloadCluster empty;
    EXPECT_EQ(resolve(&empty).error().message,
              before + "read serving HTTPRoute prod/chat on cluster \"worker-a\": not found");
    const auto no_parents = cluster({"chat.example.com"}, {});
    EXPECT_EQ(resolve(&no_parents).error().message,
              before + "HTTPRoute prod/chat has no parentRefs");
    const auto other_host = cluster({"x.example.com"}, {{"infra", "edge"}});
    EXPECT_EQ(resolve(&other_host).error().message,
              before + "HTTPRoute prod/chat does not publish hostname \"chat.example.com\"");
    const auto ambiguous =
        cluster({"chat.example.com", "b", "c"}, {{"infra", "edge"}, {"infra", "b"}});
    EXPECT_EQ(resolve(&ambiguous).error().message,
              before +
                  "HTTPRoute prod/chat has 2 parentRefs and 3 hostnames; backend parent is "
                  "ambiguous");
    const auto twice =
        cluster({"chat.example.com", "chat.example.com"}, {{"infra", "edge"}, {"infra", "b"}});
    EXPECT_EQ(resolve(&twice).error().message,
              before +
                  "HTTPRoute prod/chat publishes hostname \"chat.example.com\" for multiple "
                  "parents");
    const auto no_gateway = cluster({"chat.example.com"}, {{std::nullopt, "edge"}});
    EXPECT_EQ(resolve(&no_gateway).error().message,
              before + "read serving Gateway prod/edge on cluster \"worker-a\": not found");
    auto no_address = cluster({"chat.example.com"}, {{"infra", "edge"}});
    no_address.gateways.at(edge) = std::vector<GatewayAddress>{{"Hostname", "lb.example.com"}};
    EXPECT_EQ(resolve(&no_address).error().message,
              before +
                  "serving Gateway infra/edge on cluster \"worker-a\" has no IP status "
                  "addresses");
}

}  // namespace
}  // namespace ome::routing
