#include "server.hpp"

#include "support/http_call.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <list>
#include <thread>

namespace ome::homesim {
namespace {

using namespace std::chrono_literals;
using test::http_call;
using test::RawClient;

namespace json = boost::json;

class ServerTest : public testing::Test {
protected:
    ServerTest()
        : fleet({"a", "b"}, std::chrono::steady_clock::now()),
          server(*Server::create(fleet, {})),
          thread([this] { server->run(); }) {}

    ~ServerTest() override {
        server->stop();
        thread.join();
    }

    [[nodiscard]] std::uint16_t homes() const { return server->home_ports()[0]; }

    [[nodiscard]] json::value control(const char* path) const {
        return json::parse(http_call(server->control_port(), "GET", path).body);
    }

    void set(const std::string& homes_and_query, const char* body) const {
        ASSERT_EQ(
            http_call(server->control_port(), "POST", "/homes/" + homes_and_query, body).status,
            200);
    }

    /// Waits, since the server may not have seen yet what the client did.
    [[nodiscard]] bool eventually(const char* pointer, std::int64_t value) const {
        for (int i = 0; i < 5000; ++i) {
            if (control("/stats").at_pointer(pointer).to_number<std::int64_t>() == value) {
                return true;
            }
            std::this_thread::sleep_for(2ms);
        }
        return false;
    }

    [[nodiscard]] int status_of(const char* target) const {
        return http_call(homes(), "GET", target, {}, 5s).status;
    }

    Fleet fleet;
    std::unique_ptr<Server> server;
    std::thread thread;
};

TEST_F(ServerTest, TellsPollsFromProbesByPath) {
    EXPECT_NE(http_call(homes(), "GET", "/h/a/capacity").body.find("\"servable\":1"),
              std::string::npos);
    EXPECT_EQ(status_of("/h/a/v1/models"), 200);
    EXPECT_EQ(status_of("/h/nobody/capacity"), 404);
    const json::value stats = control("/stats");
    EXPECT_EQ(stats.at_pointer("/poll/requests"), 1);
    EXPECT_EQ(stats.at_pointer("/probe/requests"), 1);
    EXPECT_EQ(stats.at_pointer("/strangers"), 1);
    EXPECT_EQ(control("/homes/b").at_pointer("/poll/requests"), 0);
}

TEST_F(ServerTest, ChangesBehaviourWhileItRuns) {
    set("a", R"({"probe":{"status":[503,503,200]}})");
    EXPECT_EQ(status_of("/h/a/x"), 503);
    EXPECT_EQ(status_of("/h/a/x"), 503);
    EXPECT_EQ(status_of("/h/a/x"), 200);
    set("*?percent=50", R"({"probe":{"gone":true}})");
    EXPECT_EQ(status_of("/h/a/x") + status_of("/h/b/x"), 604);
}

TEST_F(ServerTest, KeepsAConnectionAndAnswersPipelinedRequestsInOrder) {
    RawClient client(homes());
    set("a", R"({"probe":{"body":["first","second"],"latency":"5ms"}})");
    ASSERT_TRUE(client.send("GET /h/a/x HTTP/1.1\r\n\r\nGET /h/a/x HTTP/1.1\r\n\r\n"));
    EXPECT_TRUE(client.read_until("first").ends_with("first"));
    EXPECT_TRUE(client.read_until("second").ends_with("second"));
    EXPECT_EQ(control("/homes/a").at_pointer("/probe/freshConnections"), 1);
    EXPECT_EQ(control("/homes/a").at_pointer("/probe/requests"), 2);
}

TEST_F(ServerTest, CountsWhatStallsUntilTheClientLeaves) {
    set("*", R"({"probe":{"stall":"before-head"}})");
    std::list<RawClient> clients;
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(clients.emplace_back(homes()).send("GET /h/a/x HTTP/1.1\r\n\r\n"));
    }
    EXPECT_TRUE(eventually("/probe/inFlight", 3));
    EXPECT_TRUE(eventually("/inFlight", 3));
    clients.front().reset();
    clients.back().close();
    EXPECT_TRUE(eventually("/inFlight", 1));
    EXPECT_EQ(control("/stats").at_pointer("/probe/left/reset"), 1);
    EXPECT_EQ(control("/stats").at_pointer("/probe/left/closed"), 1);
    EXPECT_EQ(control("/stats").at_pointer("/inFlightHighWater"), 3);
}

TEST_F(ServerTest, CountsAConnectionThatSaysNothing) {
    RawClient silent(homes());
    EXPECT_TRUE(eventually("/inFlight", 1));
    silent.close();
    EXPECT_TRUE(eventually("/inFlight", 0));
    EXPECT_EQ(control("/stats").at_pointer("/probe/requests"), 0);
}

// The client gives each request up before it begins the next one, as fast as it can: a server that
// counted arrivals before departures would see two.
TEST_F(ServerTest, NeverSeesTwoOfAClientThatHasOne) {
    set("*", R"({"probe":{"stall":"before-head"}})");
    for (int i = 0; i < 500; ++i) {
        RawClient client(homes());
        ASSERT_TRUE(client.send("GET /h/a/x HTTP/1.1\r\n\r\n"));
        client.close();
    }
    // No connection is open before the first is accepted either: the count of requests comes first.
    EXPECT_TRUE(eventually("/probe/requests", 500));
    EXPECT_TRUE(eventually("/probe/inFlight", 0));
    // None, if every one had left before it was read; never two.
    EXPECT_LE(control("/stats").at_pointer("/inFlightHighWater").as_int64(), 1);
    EXPECT_LE(control("/homes/a").at_pointer("/probe/inFlightHighWater").as_int64(), 1);
    EXPECT_TRUE(eventually("/connections/open", 0));
}

TEST_F(ServerTest, EndsAConnectionAsTold) {
    set("a", R"({"probe":{"steps":[{"reset":true},{"close":true},{"keepAlive":false}]}})");
    for (int i = 0; i < 3; ++i) {
        RawClient client(homes());
        ASSERT_TRUE(client.send("GET /h/a/x HTTP/1.1\r\n\r\n"));
        EXPECT_TRUE(client.closed_by_peer()) << i;
    }
    EXPECT_EQ(control("/homes/a").at_pointer("/probe/cutByUs"), 2);
    EXPECT_EQ(control("/homes/a").at_pointer("/probe/answered"), 1);
}

TEST_F(ServerTest, DripsAndOversizes) {
    set("a", R"({"probe":{"body":"abc","drip":"1ms"}})");
    EXPECT_EQ(http_call(homes(), "GET", "/h/a/x").body, "abc");
    set("a", R"({"probe":{"body":"abc","oversize":3000000}})");
    EXPECT_EQ(http_call(homes(), "GET", "/h/a/x").body.size(), 3'000'003U);
}

TEST_F(ServerTest, SurvivesRudeClients) {
    set("a", R"({"probe":{"oversize":100000000}})");
    RawClient leaves_in_the_body(homes());
    ASSERT_TRUE(leaves_in_the_body.send("GET /h/a/x HTTP/1.1\r\n\r\n"));
    (void)leaves_in_the_body.read_until("\r\n\r\n");
    leaves_in_the_body.reset();
    RawClient garbage(homes());
    ASSERT_TRUE(garbage.send("\x16\x03\x01 hello\r\n\r\n"));
    EXPECT_TRUE(garbage.closed_by_peer());
    RawClient endless_head(homes());
    endless_head.send(std::string(40'000, 'a'));
    EXPECT_TRUE(endless_head.closed_by_peer());
    RawClient half_a_request(homes());
    ASSERT_TRUE(half_a_request.send("GET /h/a"));
    half_a_request.close();
    EXPECT_TRUE(eventually("/connections/open", 0));
    EXPECT_EQ(control("/stats").at_pointer("/inFlight"), 0);
    EXPECT_EQ(control("/stats").at_pointer("/malformed"), 2);
    EXPECT_EQ(status_of("/h/b/x"), 200);
}

TEST_F(ServerTest, CutsAClientThatKeepsTalkingWhileItsRequestStalls) {
    set("a", R"({"probe":{"stall":"before-head"}})");
    RawClient client(homes());
    ASSERT_TRUE(client.send("GET /h/a/x HTTP/1.1\r\n\r\n"));
    client.send(std::string(100'000, 'a'));
    EXPECT_TRUE(client.closed_by_peer());
    EXPECT_TRUE(eventually("/probe/inFlight", 0));
    EXPECT_EQ(control("/stats").at_pointer("/inFlight"), 0);
}

TEST_F(ServerTest, ZeroesItsCounters) {
    EXPECT_EQ(status_of("/h/a/x"), 200);
    EXPECT_EQ(http_call(server->control_port(), "POST", "/reset?behaviours=true").status, 200);
    EXPECT_EQ(control("/stats").at_pointer("/probe/requests"), 0);
    EXPECT_EQ(control("/stats").at_pointer("/inFlightHighWater"), 0);
}

TEST_F(ServerTest, RefusesBadControlRequests) {
    const auto post = [this](const char* target, const char* body) {
        return http_call(server->control_port(), "POST", target, body).status;
    };
    EXPECT_EQ(post("/homes/a", "{"), 400);
    EXPECT_EQ(post("/homes/a", R"({"probe":{"status":1}})"), 422);
    EXPECT_EQ(post("/homes/a", R"({"probe":{"status":200,"status":503}})"), 422);
    EXPECT_EQ(post("/homes/a?percent=101", R"({"probe":{}})"), 400);
    EXPECT_EQ(post("/homes/a?percent=1&percent=2", R"({"probe":{}})"), 400);
    EXPECT_EQ(post("/reset", R"({"behaviours":true})"), 400);
    EXPECT_EQ(http_call(server->control_port(), "GET", "/stats?x=1").status, 400);
    EXPECT_EQ(http_call(server->control_port(), "GET", "/homes/a?percent=1").status, 400);
    EXPECT_EQ(post("/homes/c", R"({"probe":{}})"), 404);
    EXPECT_EQ(post("/nowhere", "{}"), 404);
    EXPECT_EQ(http_call(server->control_port(), "DELETE", "/homes/a").status, 405);
}

TEST_F(ServerTest, NamesAParameterThatItDoesNotKnow) {
    const auto answer = [this](const char* target) {
        return http_call(server->control_port(), "POST", target, "");
    };
    const auto misspelt = answer("/reset?behaviors=true");
    EXPECT_EQ(misspelt.status, 400);
    EXPECT_NE(
        misspelt.body.find("query parameter \\\"behaviors\\\" (with the value \\\"true\\\") is "
                           "not known: this request takes behaviours; did you mean "
                           "behaviours?"),
        std::string::npos)
        << misspelt.body;
    EXPECT_NE(answer("/reset?behaviours=yes")
                  .body.find("query parameter behaviours (\\\"yes\\\") must be true or false"),
              std::string::npos);
    EXPECT_EQ(answer("/homes/*?percnt=10").status, 400);
    EXPECT_EQ(answer("/reset?behaviours=false").status, 200);
}

TEST_F(ServerTest, CutsAndStallsTheBodyOfAProbeThatHasNone) {
    set("a", R"({"probe":{"reset":"in-body"}})");
    RawClient cut(homes());
    ASSERT_TRUE(cut.send("GET /h/a/x HTTP/1.1\r\n\r\n"));
    EXPECT_NE(cut.read_until("\r\n\r\n").find("HTTP/1.1 200"), std::string::npos);
    EXPECT_TRUE(cut.closed_by_peer());
    set("a", R"({"probe":{"stall":"after-head"}})");
    RawClient stalled(homes());
    ASSERT_TRUE(stalled.send("GET /h/a/x HTTP/1.1\r\n\r\n"));
    const std::string head = stalled.read_until("\r\n\r\n");
    EXPECT_NE(head.find("Content-Length: "), std::string::npos);
    EXPECT_EQ(head.find("Content-Length: 0"), std::string::npos) << head;
    EXPECT_EQ(control("/homes/a").at_pointer("/probe/answered"), 0);
}

TEST(Server, ChangesHomesByItsScript) {
    Fleet fleet({"a"}, std::chrono::steady_clock::now());
    ServerSettings settings;
    settings.script = *script_from_text(R"([{"probe":{"gone":true}},{"at":"30ms","probe":{}}])");
    const auto server = *Server::create(fleet, settings);
    std::thread thread([&] { server->run(); });
    const auto status = [&] { return http_call(server->home_ports()[0], "GET", "/h/a/x").status; };
    int seen = 404;
    for (int i = 0; i < 500 && seen == 404; ++i) {
        std::this_thread::sleep_for(2ms);
        seen = status();
    }
    EXPECT_EQ(seen, 200);
    server->stop();
    thread.join();
    EXPECT_GT(fleet.find("a")->of(core::Kind::Probe).counters.requests, 1U);
}

TEST(Server, SaysWhyItCannotListen) {
    Fleet fleet({"a"}, std::chrono::steady_clock::now());
    const auto first = *Server::create(fleet, {});
    ServerSettings taken;
    taken.port = first->home_ports()[0];
    EXPECT_EQ(
        Server::create(fleet, taken).error().message,
        "cannot listen on 127.0.0.1:" + std::to_string(taken.port) + ": Address already in use");
    ServerSettings nowhere;
    nowhere.address = "nowhere";
    EXPECT_EQ(Server::create(fleet, nowhere).error().message,
              "--address (nowhere) must be an IPv4 address");
}

}  // namespace
}  // namespace ome::homesim
