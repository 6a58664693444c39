// The observer as a user meets it: ceilings, a gate that closes and lifts, a lost reporter, the
// API.
#include "integration/by_hand.hpp"
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

class Story : public testing::Test {
protected:
    Story() : homes({"--home", "worker-a", "--home", "worker-b"}) {
        homes.set("worker-a", R"({"poll":{"report":3}})");
        homes.set("worker-b", R"({"poll":{"report":1}})");
    }

    json::object declaration() const {
        return service("chat", {"worker-a", "worker-b"}, [this](const std::string& cluster) {
            return homes.endpoint(cluster);
        });
    }

    static std::string file(const json::object& one) { return json::serialize(json::array{one}); }

    /// A member of a home's reading by JSON pointer; null when it is not there.
    static json::value at(const json::value& reading, std::string_view pointer) {
        boost::system::error_code ec;
        const json::value* found = reading.find_pointer(pointer, ec);
        return found == nullptr ? json::value() : *found;
    }

    static bool becomes(const ObserverProcess& observer,
                        std::string_view cluster,
                        std::string_view pointer,
                        const json::value& wanted) {
        return eventually(
            [&] { return at(observer.home("default/chat", cluster), pointer) == wanted; });
    }

    Homes homes;
};

TEST_F(Story, CeilingsFollowTheReportsAndFallOpenWhenTheReporterIsGone) {
    const ObserverProcess observer(file(declaration()));
    EXPECT_TRUE(becomes(observer, "worker-a", "/capacity/ceiling", 3));
    EXPECT_TRUE(becomes(observer, "worker-b", "/capacity/ceiling", 1));
    homes.set("worker-b", R"({"poll":{"gone":true}})");
    EXPECT_TRUE(becomes(
        observer, "worker-b", "/capacity/fallbackReason", "capacity endpoint returned HTTP 404"));
    const json::value reading = observer.home("default/chat", "worker-b");
    EXPECT_TRUE(at(reading, "/capacity/ceiling").is_null()) << json::serialize(reading);
    EXPECT_EQ(at(observer.home("default/chat", "worker-a"), "/capacity/ceiling"), 3);
}

TEST_F(Story, F39_AGateClosesOnTheThirdFailureAndLiftsOnTheSecondPass) {
    const auto endpoint = [this](const std::string& cluster) { return homes.endpoint(cluster); };
    json::object one = service("chat", {"worker-a", "worker-b"}, endpoint, by_hand());
    one.erase("capacity");
    const ObserverProcess observer(file(one), by_hand_flags());
    const auto gates = [&] {
        try_now(observer, "chat", {"worker-a", "worker-b"});
        return std::pair(probe_member(observer, "chat", "worker-a", "gated") == true,
                         probe_member(observer, "chat", "worker-b", "gated") == true);
    };
    EXPECT_EQ(gates(), std::pair(false, false));
    homes.set("worker-b", R"({"probe":{"status":[503,503,503,200]}})");
    EXPECT_EQ(gates(), std::pair(false, false));
    EXPECT_EQ(gates(), std::pair(false, false));
    EXPECT_EQ(probe_member(observer, "chat", "worker-b", "consecutiveFailures"), 2);
    EXPECT_EQ(gates(), std::pair(false, true));
    EXPECT_EQ(gates(), std::pair(false, true));
    EXPECT_EQ(probe_member(observer, "chat", "worker-b", "consecutivePasses"), 1);
    EXPECT_EQ(gates(), std::pair(false, false));
}

TEST_F(Story, DeclarationsComeAndGoOverTheApi) {
    ObserverProcess observer("");
    const std::string path = "/v1/services/default/chat";
    EXPECT_EQ(observer.call("GET", path).status, 404);
    const HttpReply put = observer.call("PUT", path, json::serialize(declaration()));
    ASSERT_EQ(put.status, 200) << put.body;
    EXPECT_EQ(json::parse(put.body).at("homes").as_array().size(), 2U);
    EXPECT_TRUE(becomes(observer, "worker-a", "/capacity/ceiling", 3));
    const json::value before = observer.home("default/chat", "worker-a");

    // The same again changes nothing; what is wrong changes nothing either, and says why.
    EXPECT_EQ(observer.call("PUT", path, json::serialize(declaration())).status, 200);
    json::object wrong = declaration();
    wrong["probe"].as_object()["timeout"] = "10s";
    const HttpReply refused = observer.call("PUT", path, json::serialize(wrong));
    EXPECT_EQ(refused.status, 422);
    const json::value error = json::parse(refused.body).at("error");
    EXPECT_EQ(error.at("field"), "probe.timeout");
    EXPECT_EQ(error.at("message"), "probe.timeout (10s) must be shorter than probe.period (1s)");
    EXPECT_EQ(at(observer.home("default/chat", "worker-a"), "/capacity/ceiling"), 3);

    EXPECT_EQ(observer.call("DELETE", path).status, 204);
    EXPECT_EQ(observer.call("DELETE", path).status, 204);
    EXPECT_EQ(observer.call("GET", path).status, 404);
    homes.reset();
    EXPECT_FALSE(eventually(
        [&] { return homes.count("/poll/requests") + homes.count("/probe/requests") > 0; }, 1500ms))
        << "a forgotten service is still observed";
}

TEST_F(Story, AHungAttemptOfAnOldPolicyNeverTurnsUp) {
    ObserverProcess observer("");
    const std::string path = "/v1/services/default/chat";
    homes.set("worker-b", R"({"probe":{"stall":"before-head"}})");
    ASSERT_EQ(observer.call("PUT", path, json::serialize(declaration())).status, 200);
    ASSERT_TRUE(eventually([&] { return homes.count("/inFlight") > 0; }));
    homes.set("worker-b", R"({"probe":{"status":200}})");
    json::object changed = declaration();
    changed["probe"].as_object()["path"] = "/healthz";
    ASSERT_EQ(observer.call("PUT", path, json::serialize(changed)).status, 200);
    EXPECT_TRUE(becomes(observer, "worker-b", "/probe/result", "Passing"));
    EXPECT_FALSE(eventually(
        [&] { return at(observer.home("default/chat", "worker-b"), "/probe/result") == "Failing"; },
        1200ms));
}

TEST_F(Story, SighupReadsTheServicesAgainAndABadFileChangesNothing) {
    ObserverProcess observer(file(declaration()));
    EXPECT_TRUE(becomes(observer, "worker-a", "/capacity/ceiling", 3));
    observer.write_services(R"([{"name":"chat","homes":17}])");
    observer.process().signal(SIGHUP);
    EXPECT_TRUE(observer.process().wait_for_line("services kept as they were"));
    EXPECT_EQ(at(observer.home("default/chat", "worker-a"), "/capacity/ceiling"), 3);

    observer.write_services("");
    observer.process().signal(SIGHUP);
    EXPECT_TRUE(observer.process().wait_for_line("the file is empty"));
    EXPECT_EQ(at(observer.home("default/chat", "worker-a"), "/capacity/ceiling"), 3);

    json::object smaller = declaration();
    smaller["homes"].as_array().pop_back();
    observer.write_services(file(smaller));
    observer.process().signal(SIGHUP);
    EXPECT_TRUE(eventually([&] { return observer.home("default/chat", "worker-b").is_null(); }));
    EXPECT_EQ(at(observer.home("default/chat", "worker-a"), "/capacity/ceiling"), 3)
        << "what did not change keeps its history";
    EXPECT_EQ(observer.call("PUT", "/v1/services/default/x", "{}").status, 409);
}

TEST_F(Story, SighupReadsTheLimitsAgainAndTheConfigurationShowsThem) {
    const auto limits = [](int requests) {
        return fmt::format(R"({{"routing":{{"observer":{{"maxConcurrentReconciles":8,
            "maxConcurrentRequests":{},"maxResponseBytes":65536,"minPeriod":"1s","maxSamples":100}}}}}})",
                           requests);
    };
    const Scratch scratch;
    const std::string config = scratch.write("limits.json", limits(32));
    ObserverProcess observer("", {"--config", config});
    const auto shown = [&observer] { return json::serialize(observer.get("/v1/config")); };
    EXPECT_NE(shown().find(R"("32")"), std::string::npos) << shown();
    scratch.write("limits.json", limits(48));
    observer.process().signal(SIGHUP);
    const auto line = observer.process().wait_for_line("a limit changed");
    ASSERT_TRUE(line);
    EXPECT_NE(line->find("setting=max-concurrent-requests before=32 now=48"), std::string::npos)
        << *line;
    EXPECT_TRUE(eventually([&] { return shown().find(R"("48")") != std::string::npos; }))
        << shown();

    scratch.write("limits.json", limits(0));
    observer.process().signal(SIGHUP);
    const auto kept = observer.process().wait_for_line("configuration kept as it was");
    ASSERT_TRUE(kept);
    EXPECT_NE(kept->find("--config " + config + ": "), std::string::npos) << *kept;
    EXPECT_EQ(kept->find("ome-observer: "), std::string::npos) << *kept;
    EXPECT_NE(shown().find(R"("48")"), std::string::npos) << "the last good value stays";
}

TEST_F(Story, SigtermEndsItAtOnceWithAttemptsInFlight) {
    ObserverProcess observer(file(declaration()));
    homes.set("*", R"({"probe":{"stall":"before-head"},"poll":{"stall":"in-body"}})");
    ASSERT_TRUE(eventually([&] { return homes.count("/inFlight") > 0; }));
    observer.process().signal(SIGTERM);
    EXPECT_EQ(observer.process().wait_for_exit(10s), 0) << observer.process().output();
}

TEST_F(Story, ListsPageByPageInOrder) {
    ObserverProcess observer("");
    for (const char* name : {"c", "a", "b", "d", "e"}) {
        json::object one = declaration();
        one["name"] = name;
        ASSERT_EQ(
            observer.call("PUT", std::string("/v1/services/default/") + name, json::serialize(one))
                .status,
            200);
    }
    std::string names;
    std::string from;
    std::string revision;
    int pages = 0;
    do {
        const json::value page =
            observer.get("/v1/services?limit=2" + (from.empty() ? "" : "&continue=" + from));
        ASSERT_TRUE(page.is_object());
        for (const json::value& one : page.at("services").as_array()) {
            names += one.at("name").as_string();
        }
        const std::string now = json::serialize(page.at("revision"));
        EXPECT_TRUE(revision.empty() || revision == now) << "all pages carry the first revision";
        revision = now;
        from = std::string(page.at("continue").as_string());
        ++pages;
    } while (!from.empty() && pages < 10);
    EXPECT_EQ(names, "abcde");
    EXPECT_EQ(pages, 3);
    EXPECT_EQ(observer.call("GET", "/v1/services?limit=x").status, 400);
    EXPECT_EQ(observer.call("GET", "/v1/services?continue=gone:1:a/b").status, 410);
}

TEST_F(Story, AnswersWhatItCannotDoWithTheReason) {
    ObserverProcess observer("");
    EXPECT_EQ(observer.call("GET", "/v1/nothing").status, 404);
    const HttpReply method = observer.call("POST", "/v1/status");
    EXPECT_EQ(method.status, 405);
    EXPECT_NE(method.head.find("Allow: GET, HEAD"), std::string::npos) << method.head;
    EXPECT_EQ(observer.call("PUT", "/v1/services/default/x", "{").status, 400);
    EXPECT_EQ(
        observer.call("PUT", "/v1/services/default/x", std::string(1024 * 1024 + 1, ' ')).status,
        413);
    EXPECT_EQ(observer.call("PUT", "/v1/services/Not_Valid/x", "{}").status, 422);
    EXPECT_EQ(observer.call("GET", "/livez").status, 200);
    EXPECT_NE(observer.call("GET", "/metrics").body.find("ome_observer_slots 16"),
              std::string::npos);
    EXPECT_NE(observer.call("GET", "/status").body.find("budget"), std::string::npos);
}

}  // namespace
}  // namespace ome::test
