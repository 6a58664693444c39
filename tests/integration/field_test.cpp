// Gates, names and descriptors as people have seen them go wrong in the field
// (docs/field-cases.md), with real processes.
#include "integration/by_hand.hpp"
#include "integration/homes.hpp"
#include "support/scripted_dns.hpp"
#include "support/scripted_server.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

class Field : public testing::Test {
protected:
    using EndpointOf = std::function<std::string(const std::string&)>;

    static json::object probed(const std::vector<std::string>& clusters,
                               const EndpointOf& endpoint_of) {
        json::object one = service("chat", clusters, endpoint_of, by_hand());
        one.erase("capacity");
        return one;
    }

    static HttpReply declare(const ObserverProcess& observer, const json::object& one) {
        return observer.call("PUT", "/v1/services/default/chat", json::serialize(one));
    }

    static bool gated(const ObserverProcess& observer, const std::string& cluster) {
        return probe_member(observer, "chat", cluster, "gated") == true;
    }

    /// Whether the home is gated after its first attempt and after each of `more`.
    static std::vector<bool> gates(const ObserverProcess& observer,
                                   const std::string& cluster,
                                   std::size_t more) {
        EXPECT_TRUE(tried(observer, "chat", cluster));
        std::vector<bool> seen{gated(observer, cluster)};
        for (std::size_t i = 0; i < more; ++i) {
            try_now(observer, "chat", {cluster});
            seen.push_back(gated(observer, cluster));
        }
        return seen;
    }
};

TEST_F(Field, F40_StatusesResetsAndTimeoutsCountTheSame) {
    Homes homes({"--home", "worker-a"});
    homes.set("worker-a", R"({"probe":{"steps":[{"status":404},{"stall":"before-head"},
        {"status":200},{"status":503},{"reset":true},{"status":500},{"status":200}]}})");
    const ObserverProcess observer("", by_hand_flags());
    const auto endpoint = [&](const std::string& name) { return homes.endpoint(name); };
    ASSERT_EQ(declare(observer, probed({"worker-a"}, endpoint)).status, 200);
    EXPECT_EQ(gates(observer, "worker-a", 7),
              (std::vector<bool>{false, false, false, false, false, true, true, false}));
}

TEST_F(Field, F41_TheSecondOutageIsCountedLikeTheFirst) {
    Homes homes({"--home", "worker-a"});
    homes.set("worker-a",
              R"({"probe":{"cycle":true,"status":[200,503,503,200,503,503,503,200,503,200,200]}})");
    const ObserverProcess observer("", by_hand_flags());
    const auto endpoint = [&](const std::string& name) { return homes.endpoint(name); };
    ASSERT_EQ(declare(observer, probed({"worker-a"}, endpoint)).status, 200);
    const std::vector<bool> cycle{
        false, false, false, false, false, false, true, true, true, true, false};
    std::vector<bool> wanted;
    for (int i = 0; i < 3; ++i) {
        wanted.insert(wanted.end(), cycle.begin(), cycle.end());
    }
    EXPECT_EQ(gates(observer, "worker-a", wanted.size() - 1), wanted);
}

TEST_F(Field, F44_AChangedProbeStartsOverAndTheOldPathIsSilent) {
    ScriptedServer home(answer_all(response("", {}, "503 Service Unavailable")));
    const auto endpoint = [&](const std::string&) {
        return "http://127.0.0.1:" + std::to_string(home.port());
    };
    const ObserverProcess observer("", by_hand_flags());
    json::object one = probed({"worker-a"}, endpoint);
    ASSERT_EQ(declare(observer, one).status, 200);
    EXPECT_EQ(gates(observer, "worker-a", 2), (std::vector<bool>{false, false, true}));
    const std::size_t before = home.requests().size();
    one["probe"].as_object()["path"] = "/changed";
    ASSERT_EQ(declare(observer, one).status, 200);
    EXPECT_TRUE(tried(observer, "chat", "worker-a"));
    EXPECT_EQ(probe_member(observer, "chat", "worker-a", "gated"), false);
    EXPECT_EQ(probe_member(observer, "chat", "worker-a", "consecutiveFailures"), 1);
    try_now(observer, "chat", {"worker-a"});
    const std::vector<std::string> requests = home.requests();
    ASSERT_EQ(requests.size(), before + 2);
    for (std::size_t i = before; i < requests.size(); ++i) {
        EXPECT_EQ(requests[i].find("GET /changed "), 0U) << requests[i];
    }
}

TEST_F(Field, F44_AChangedPollLeavesTheGateAlone) {
    ScriptedServer home(answer_all(response("", {}, "503 Service Unavailable")));
    const auto endpoint = [&](const std::string&) {
        return "http://127.0.0.1:" + std::to_string(home.port());
    };
    const ObserverProcess observer("", by_hand_flags());
    json::object one = probed({"worker-a"}, endpoint);
    one["capacity"] = capacity_policy();
    ASSERT_EQ(declare(observer, one).status, 200);
    EXPECT_EQ(gates(observer, "worker-a", 2), (std::vector<bool>{false, false, true}));
    one["capacity"].as_object()["path"] = "/elsewhere";
    const HttpReply reply = declare(observer, one);
    ASSERT_EQ(reply.status, 200) << reply.body;
    const json::value reading = json::parse(reply.body).at("homes").at(0);
    EXPECT_EQ(reading.at("probe").at("gated"), true);
    EXPECT_EQ(reading.at("probe").at("consecutiveFailures"), 3);
    EXPECT_EQ(reading.at("capacity").at("fallbackReason"), "no capacity report yet");
}

// What becomes of the traffic when everything fails is the plan's decision: each home's gate is its
// own whatever the policy for that says.
TEST_F(Field, F47_WhenAllFailEachGateIsItsOwnWhateverThePolicySays) {
    const std::vector<std::string> names{"home-0", "home-1", "home-2"};
    for (const char* policy : {"PreserveTraffic", "Drain"}) {
        Homes homes({"--homes", "3"});
        homes.set("*", R"({"probe":{"status":503}})");
        const ObserverProcess observer("", by_hand_flags());
        const auto endpoint = [&](const std::string& name) { return homes.endpoint(name); };
        json::object one = probed(names, endpoint);
        one["probe"].as_object()["allFailedPolicy"] = policy;
        ASSERT_EQ(declare(observer, one).status, 200);
        const auto gates_now = [&] {
            std::vector<bool> seen;
            for (const std::string& name : names) {
                seen.push_back(gated(observer, name));
            }
            return seen;
        };
        try_now(observer, "chat", names);
        EXPECT_EQ(gates_now(), (std::vector<bool>{false, false, false})) << policy;
        try_now(observer, "chat", names);
        EXPECT_EQ(gates_now(), (std::vector<bool>{true, true, true})) << policy;
        homes.set("home-1", R"({"probe":{"status":200}})");
        try_now(observer, "chat", names);
        try_now(observer, "chat", names);
        EXPECT_EQ(gates_now(), (std::vector<bool>{true, false, true})) << policy;
    }
}

TEST_F(Field, F29_AMovedGatewayIsFollowedAndALookupThatFailsCountsAndRecovers) {
    Homes homes({"--homes", "2", "--by-address"});
    std::atomic<int> phase = 0;
    ScriptedDns dns([&phase](const std::string&, bool v6) {
        if (phase == 2) {
            return DnsReply{.rcode = 3};
        }
        const char* address = phase == 0 ? "127.1.0.1" : "127.1.0.2";
        return v6 ? DnsReply{.ttl = 0} : DnsReply{.addresses = {address}, .ttl = 0};
    });
    std::vector<std::string> flags = by_hand_flags();
    flags.insert(flags.end(), {"--dns-servers", dns.address()});
    const ObserverProcess observer("", flags);
    const std::string url = "http://gateway.test:" + std::to_string(homes.ports().at(0));
    const auto endpoint = [&](const std::string&) { return url; };
    ASSERT_EQ(declare(observer, probed({"worker-a"}, endpoint)).status, 200);
    EXPECT_TRUE(tried(observer, "chat", "worker-a"));
    EXPECT_EQ(probe_member(observer, "chat", "worker-a", "result"), "Passing");
    const auto requests = [&](const char* name) {
        return homes.home(name).at("probe").at("requests").to_number<int>();
    };
    EXPECT_EQ(requests("home-0"), 1);
    phase = 1;
    try_now(observer, "chat", {"worker-a"});
    EXPECT_EQ(requests("home-0"), 1);
    EXPECT_EQ(requests("home-1"), 1);
    phase = 2;
    EXPECT_EQ(gates(observer, "worker-a", 3), (std::vector<bool>{false, false, false, true}));
    const json::value message = probe_member(observer, "chat", "worker-a", "message");
    EXPECT_EQ(message.as_string().find("transport error: "), 0U) << message;
    phase = 3;
    EXPECT_EQ(gates(observer, "worker-a", 2), (std::vector<bool>{true, true, false}));
}

TEST_F(Field, F33_TwoHundredChangesLeaveNoDescriptorBehind) {
    Homes homes({"--homes", "24"});
    homes.set("home-*0", R"({"probe":{"stall":"before-head"},"poll":{"stall":"in-body"}})");
    homes.set("home-*1", R"({"probe":{"reset":true},"poll":{"close":"after-head"}})");
    homes.set("home-*2", R"({"probe":{"status":503},"poll":{"gone":true}})");
    homes.set("home-*3", R"({"probe":{"broken":"not-http"},"poll":{"oversize":200000}})");
    ObserverProcess observer("");
    const auto descriptors = [&] {
        const std::string page = observer.call("GET", "/metrics").body;
        const std::size_t at = page.find("\nprocess_open_fds ");
        return at == std::string::npos ? -1.0 : std::atof(page.c_str() + at + 18);
    };
    const double before = descriptors();
    ASSERT_GT(before, 0);
    const auto endpoint_of = [&](const std::string& name) { return homes.endpoint(name); };
    json::array all = json::parse(fleet(24, 4, endpoint_of, {})).as_array();
    const auto path_of = [](const json::value& one) {
        return "/v1/services/default/" + std::string(one.at("name").as_string());
    };
    for (int change = 0; change < 200; ++change) {
        json::object& one = all[static_cast<std::size_t>(change) % all.size()].as_object();
        one["probe"].as_object()["path"] = "/change-" + std::to_string(change);
        ASSERT_EQ(observer.call("PUT", path_of(one), json::serialize(one)).status, 200);
    }
    EXPECT_TRUE(eventually([&] { return homes.count("/probe/requests") >= 200; }, 60s));
    for (const json::value& one : all) {
        EXPECT_EQ(observer.call("DELETE", path_of(one)).status, 204);
    }
    EXPECT_TRUE(eventually([&] { return descriptors() <= before + 5; }, 30s)) << descriptors();
}

}  // namespace
}  // namespace ome::test
