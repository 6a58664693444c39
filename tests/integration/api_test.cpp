// The whole API against real processes: the lease, a watch beside a hundred clients, attempts and
// history, suspension, restored gates, and the promises of a local API.
#include "integration/by_hand.hpp"
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

class Api : public testing::Test {
protected:
    Api() : homes({"--home", "worker-a", "--home", "worker-b"}) {}

    json::object declaration(const std::string& name = "chat") const {
        return service(name, {"worker-a", "worker-b"}, [this](const std::string& cluster) {
            return homes.endpoint(cluster);
        });
    }

    static std::string path(const std::string& name = "chat") {
        return "/v1/services/default/" + name;
    }

    static json::value at(const json::value& reading, std::string_view pointer) {
        boost::system::error_code ec;
        const json::value* found = reading.find_pointer(pointer, ec);
        return found == nullptr ? json::value() : *found;
    }

    static bool becomes(const ObserverProcess& observer,
                        std::string_view pointer,
                        const json::value& wanted) {
        return eventually(
            [&] { return at(observer.home("default/chat", "worker-a"), pointer) == wanted; });
    }

    /// An open watch.
    static std::unique_ptr<RawClient> watch(const ObserverProcess& observer,
                                            const std::string& query = {}) {
        auto client = std::make_unique<RawClient>(observer.port());
        EXPECT_TRUE(client->send("GET /v1/watch" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        return client;
    }

    static std::string bulk(std::uint16_t port, const std::string& lines) {
        RawClient client(port);
        (void)client.send(
            "PUT /v1/services HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            "Content-Type: application/x-ndjson\r\nContent-Length: " +
            std::to_string(lines.size()) + "\r\n\r\n" + lines);
        return client.read_until("}\n", std::chrono::minutes(1));
    }

    Homes homes;
};

TEST_F(Api, AWatchTellsReadingsForgottenAndTheEndOfTheObserver) {
    ObserverProcess observer("");
    const auto stream = watch(observer);
    EXPECT_NE(stream->read_until("\"Bookmark\"").find("200 OK"), std::string::npos);
    ASSERT_EQ(observer.call("PUT", path(), json::serialize(declaration())).status, 200);
    EXPECT_NE(stream->read_until("\"ceiling\":1").find("\"Reading\""), std::string::npos);
    EXPECT_EQ(observer.call("DELETE", path()).status, 204);
    EXPECT_NE(stream->read_until("\"Forgotten\"").size(), 0U);
    observer.process().signal(SIGTERM);
    const std::string end = stream->read_until("\r\n0\r\n\r\n");
    EXPECT_NE(end.rfind("\"Bookmark\""), std::string::npos) << end;
    EXPECT_TRUE(end.ends_with("0\r\n\r\n")) << "the stream ends in order";
}

TEST_F(Api, DeclarationsThatNobodyRenewsAreForgottenAndEveryStreamIsGone) {
    ObserverProcess observer("", {"--declaration-ttl", "1s"});
    ASSERT_EQ(observer.call("PUT", path(), json::serialize(declaration())).status, 200);
    const std::string before(observer.get("/v1/status").at("instance").as_string());
    const auto stream = watch(observer);
    EXPECT_NE(stream->read_until("\"Gone\"").find("\"Gone\""), std::string::npos);
    EXPECT_NE(observer.get("/v1/status").at("instance").as_string(), before.c_str());
    EXPECT_EQ(observer.call("GET", path()).status, 404);
}

TEST_F(Api, AnOpenWatchWithAHolderKeepsDeclarations) {
    ObserverProcess observer("", {"--declaration-ttl", "1s"});
    ASSERT_EQ(observer.call("PUT", path(), json::serialize(declaration())).status, 200);
    const auto stream = watch(observer, "?holder=controller-0");
    EXPECT_FALSE(eventually([&] { return observer.call("GET", path()).status == 404; }, 2500ms));
    stream->close();
    EXPECT_TRUE(eventually([&] { return observer.call("GET", path()).status == 404; }));
}

TEST_F(Api, AnAttemptNowIsInTheHistoryAndLeavesTheRhythm) {
    ObserverProcess observer("");
    json::object slow = declaration();
    slow["probe"].as_object()["period"] = "60s";
    slow.erase("capacity");
    ASSERT_EQ(observer.call("PUT", path(), json::serialize(slow)).status, 200);
    ASSERT_TRUE(becomes(observer, "/probe/result", "Passing"));
    const json::value next =
        at(observer.home("default/chat", "worker-a"), "/probe/nextAttemptTime");
    homes.set("worker-a", R"({"probe":{"status":503}})");
    const HttpReply started = observer.call("POST", path() + "/attempts");
    EXPECT_EQ(started.status, 202) << started.body;
    EXPECT_EQ(json::parse(started.body).at("started"), 2);
    EXPECT_TRUE(becomes(observer, "/probe/result", "Failing"));
    const json::value history = observer.get(path() + "/history?cluster=worker-a");
    EXPECT_EQ(at(history, "/homes/0/attempts/0/status"), 503);
    EXPECT_EQ(at(history, "/homes/0/attempts/0/reason"), "HTTP 503");
    EXPECT_EQ(at(history, "/homes/0/attempts/1/result"), "Passing");
    EXPECT_TRUE(at(history, "/homes/0/attempts/0/ms/total").is_number());
    const HttpReply again = observer.call("POST", path() + "/attempts");
    EXPECT_EQ(again.status, 429);
    EXPECT_NE(again.head.find("Retry-After: 1"), std::string::npos) << again.head;
}

TEST_F(Api, SuspendedNothingIsSentAndHistoriesStay) {
    ObserverProcess observer("");
    ASSERT_EQ(observer.call("PUT", path(), json::serialize(declaration())).status, 200);
    ASSERT_TRUE(becomes(observer, "/probe/result", "Passing"));
    const json::object suspended{
        {"ownerUID", "uid-chat"}, {"suspended", true}, {"homes", json::array()}};
    const HttpReply reply = observer.call("PUT", path(), json::serialize(suspended));
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(json::parse(reply.body).at("suspended"), true);
    EXPECT_TRUE(eventually([&] { return homes.count("/inFlight") == 0; }));
    homes.reset();
    EXPECT_FALSE(eventually(
        [&] { return homes.count("/poll/requests") + homes.count("/probe/requests") > 0; },
        1500ms));
    EXPECT_EQ(at(observer.home("default/chat", "worker-a"), "/probe/result"), "Passing");
    EXPECT_EQ(observer.call("POST", path() + "/attempts").status, 409);
    ASSERT_EQ(observer.call("PUT", path(), json::serialize(declaration())).status, 200);
    EXPECT_TRUE(eventually([&] { return homes.count("/probe/requests") > 0; }));
}

// A late answer of before the suspension applies to nothing.
TEST_F(Api, Promise3ACancelledAttemptIsNoResult) {
    ObserverProcess observer("");
    homes.set("worker-a", R"({"probe":{"stall":"before-head"}})");
    json::object one = declaration();
    one.erase("capacity");
    ASSERT_EQ(observer.call("PUT", path(), json::serialize(one)).status, 200);
    ASSERT_TRUE(eventually([&] { return homes.count("/inFlight") > 0; }));
    json::object suspended = one;
    suspended["suspended"] = true;
    ASSERT_EQ(observer.call("PUT", path(), json::serialize(suspended)).status, 200);
    EXPECT_FALSE(eventually(
        [&] { return at(observer.home("default/chat", "worker-a"), "/probe") != json::value(); },
        1s))
        << "the attempt that was cut is no result";
    EXPECT_EQ(at(observer.get(path() + "/history?cluster=worker-a"), "/homes/0/attempts"),
              json::array());
}

// The observer's part: a stored gate stands after a restart until enough probes pass.
TEST_F(Api, Promise4F46ARestoredGateStaysThroughARestartUntilEnoughProbesPass) {
    const auto endpoint = [this](const std::string& cluster) { return homes.endpoint(cluster); };
    json::object restoring = service("chat", {"worker-a"}, endpoint, by_hand());
    restoring.erase("capacity");
    std::string digest;
    json::value last_time;
    {
        ObserverProcess before("", by_hand_flags());
        homes.set("worker-a", R"({"probe":{"status":503}})");
        ASSERT_EQ(before.call("PUT", path(), json::serialize(restoring)).status, 200);
        try_now(before, "chat", {"worker-a"});
        try_now(before, "chat", {"worker-a"});
        EXPECT_EQ(probe_member(before, "chat", "worker-a", "gated"), true);
        digest = probe_member(before, "chat", "worker-a", "policyDigest").as_string();
        last_time = probe_member(before, "chat", "worker-a", "lastProbeTime");
        before.process().signal(SIGKILL);
    }
    restoring["homes"].as_array()[0].as_object()["restored"] =
        json::object{{"policyDigest", digest},
                     {"gated", true},
                     {"consecutiveFailures", 3},
                     {"result", "Failing"},
                     {"message", "HTTP 503"},
                     {"lastProbeTime", last_time}};
    for (int restart = 0; restart < 3; ++restart) {
        const ObserverProcess again("");
        const HttpReply reply = again.call("PUT", path(), json::serialize(restoring));
        ASSERT_EQ(reply.status, 200) << reply.body;
        EXPECT_EQ(at(json::parse(reply.body), "/homes/0/probe/gated"), true)
            << "in the very first answer";
    }
    homes.set("worker-a", R"({"probe":{"status":[200,503,200,200]}})");
    ObserverProcess after("", by_hand_flags());
    ASSERT_EQ(after.call("PUT", path(), json::serialize(restoring)).status, 200);
    const std::vector<bool> wanted{true, true, true, false};
    std::vector<bool> gates;
    while (gates.size() < wanted.size()) {
        try_now(after, "chat", {"worker-a"});
        gates.push_back(probe_member(after, "chat", "worker-a", "gated") == true);
    }
    EXPECT_EQ(gates, wanted);
}

TEST_F(Api, ARestoredRecordOfAnotherPolicyIsNotUsed) {
    ObserverProcess observer("");
    json::object restoring = declaration();
    restoring["homes"].as_array()[0].as_object()["restored"] =
        json::object{{"policyDigest", "sha256:other"}, {"gated", true}, {"result", "Failing"}};
    const HttpReply reply = observer.call("PUT", path(), json::serialize(restoring));
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(at(json::parse(reply.body), "/homes/0/probe"), json::value());
}

TEST_F(Api, Promise11BadInputNamesFieldValueAndRuleAndLeavesTheLastGoodState) {
    ObserverProcess observer("");
    ASSERT_EQ(observer.call("PUT", path(), json::serialize(declaration())).status, 200);
    ASSERT_TRUE(becomes(observer, "/capacity/ceiling", 1));
    json::object wrong = declaration();
    wrong["capacity"].as_object()["quorum"] = 9;
    const HttpReply single = observer.call("PUT", path(), json::serialize(wrong));
    EXPECT_EQ(single.status, 422);
    const json::value error = json::parse(single.body).at("error");
    EXPECT_EQ(error.at("field"), "capacity.quorum");
    EXPECT_NE(error.at("message").as_string().find("9"), std::string::npos);
    const std::string lines = bulk(observer.port(), json::serialize(wrong) + "\n");
    EXPECT_NE(lines.find("capacity.quorum"), std::string::npos) << lines;
    EXPECT_EQ(at(observer.home("default/chat", "worker-a"), "/capacity/ceiling"), 1);
    EXPECT_EQ(observer.call("GET", "/v1/watch?timeoutSeconds=soon").status, 400);
}

// A hundred clients declare and forget while streams are open, half of them never read.
TEST_F(Api, AHundredClientsDeclareAndDeleteWhileStreamsAreOpen) {
    ObserverProcess observer("", {"--reactors", "2", "--api-max-connections", "200"});
    std::vector<std::unique_ptr<RawClient>> streams;
    for (int i = 0; i < 10; ++i) {
        streams.push_back(watch(observer));
    }
    std::vector<std::thread> clients;
    std::atomic<int> wrong = 0;
    for (int client = 0; client < 100; ++client) {
        clients.emplace_back([&, client] {
            const std::string name = "s" + std::to_string(client % 20);
            const std::string body = json::serialize(declaration(name));
            for (int round = 0; round < 3; ++round) {
                const auto timeout = std::chrono::seconds(30);
                wrong += http_call(observer.port(), "PUT", path(name), body, timeout).status != 200;
                (void)http_call(observer.port(), "GET", path(name) + "/history", {}, timeout);
                wrong +=
                    http_call(observer.port(), "DELETE", path(name), {}, timeout).status != 204;
            }
        });
    }
    for (std::thread& client : clients) {
        client.join();
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(observer.get("/v1/status").at("homes").to_number<int>(), 0);
    ASSERT_EQ(observer.call("PUT", path("last"), json::serialize(declaration("last"))).status, 200);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NE(streams[i]->read_until("\"name\":\"last\"", 30s).find("\"last\""),
                  std::string::npos);
    }
}

// Ten thousand services in one body: attempts go on meanwhile.
TEST_F(Api, AHugeBodyIsTakenLineByLine) {
    ObserverProcess observer("");
    std::string lines;
    for (int i = 0; i < 2000; ++i) {
        json::object one = declaration("bulk-" + std::to_string(i));
        one.erase("capacity");
        one.erase("probe");
        lines += json::serialize(one) + "\n";
    }
    const std::string reply = bulk(observer.port(), lines);
    EXPECT_NE(reply.find("\"applied\":2000"), std::string::npos) << reply;
    const std::string empty = bulk(observer.port(), "");
    EXPECT_NE(empty.find("\"forgotten\":2000"), std::string::npos) << empty;
}

}  // namespace
}  // namespace ome::test
