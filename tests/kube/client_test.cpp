#include "integration/scratch.hpp"
#include "support/certificates.hpp"
#include "support/run.hpp"
#include "support/scripted_server.hpp"
#include <ome/kube/client.hpp>
#include <ome/net/clock.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kube {
namespace {

using namespace std::chrono_literals;
using test::Peer;
using test::response;
using test::ScriptedServer;
using testing::ElementsAre;
using testing::HasSubstr;

Access access_to(const ScriptedServer& server) {
    Access access;
    access.server = net::parse_local_url(fmt::format("http://127.0.0.1:{}", server.port())).value();
    return access;
}

std::string status(unsigned code, const char* reason) {
    return fmt::format(
        R"({{"kind":"Status","code":{},"reason":"{}","message":"said so"}})", code, reason);
}

// Answers request after request with the next of these, the last one for ever.
ScriptedServer::Script in_turn(std::vector<std::string> answers) {
    return [answers = std::move(answers),
            next = std::make_shared<std::atomic<std::size_t>>(0)](Peer& peer) {
        while (!peer.read_request().empty()) {
            const std::size_t turn = std::min((*next)++, answers.size() - 1);
            if (!peer.write(answers[turn])) {
                return;
            }
        }
    };
}

class ClientTest : public testing::Test {
protected:
    template <typename T>
    T run(net::Awaitable<T> task) {
        return test::run(io, std::move(task));
    }

    net::asio::io_context io{1};
};

TEST_F(ClientTest, GivesTheDocumentOfAnAnswer) {
    ScriptedServer server(in_turn({response(R"({"metadata":{"name":"a"}})")}));
    Access access = access_to(server);
    access.base_path = "/prefix";
    access.user.token = "t0ken";
    Client client(io, access);
    const auto object = run(client.get("/api/v1/namespaces/a"));
    ASSERT_TRUE(object) << object.error().message;
    EXPECT_EQ(wire::identity_of(*object).name, "a");
    const std::string request = server.requests().at(0);
    EXPECT_THAT(request, HasSubstr("GET /prefix/api/v1/namespaces/a HTTP/1.1\r\n"));
    EXPECT_THAT(request, HasSubstr("Authorization: Bearer t0ken\r\n"));
    EXPECT_THAT(request, HasSubstr("Accept: application/json\r\n"));
}

TEST_F(ClientTest, SaysWhatTheServerRefused) {
    ScriptedServer server(in_turn(
        {response(status(409, "Conflict"), "", "409 Conflict"),
         response(status(429, "TooManyRequests"), "Retry-After: 3\r\n", "429 Too Many Requests"),
         response("<html>", "", "503 Service Unavailable"),
         response("no json")}));
    Client client(io, access_to(server));
    EXPECT_TRUE(run(client.get("/x")).error().conflict());
    const auto busy = run(client.get("/x"));
    EXPECT_TRUE(busy.error().overloaded());
    EXPECT_EQ(busy.error().retry_after, 3s);
    EXPECT_TRUE(run(client.get("/x")).error().is(503));
    EXPECT_EQ(run(client.get("/x")).error().kind, Failure::Kind::Unreadable);
    EXPECT_EQ(client.stats().requests, 4U);
    EXPECT_EQ(client.stats().throttled, 1U);
}

TEST_F(ClientTest, ReadsItsTokenAgainWhenItIsRefusedAndSendsOnceMore) {
    const test::Scratch scratch;
    ScriptedServer server([&](Peer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            const bool good = request.find("Bearer new") != std::string::npos;
            if (!good) {
                scratch.write("token", "new");  // the kubelet replaces it at this moment
            }
            peer.write(good ? response(R"({"kind":"Pod"})")
                            : response(status(401, "Unauthorized"), "", "401 Unauthorized"));
        }
    });
    Access access = access_to(server);
    access.user.token_file = scratch.write("token", "old");
    Client client(io, access);
    const auto object = run(client.get("/x"));
    ASSERT_TRUE(object) << object.error().message;
    EXPECT_EQ(server.requests().size(), 2U);
}

TEST_F(ClientTest, DoesNotAskAgainWithTheTokenThatWasRefused) {
    ScriptedServer server(in_turn({response(status(401, "Unauthorized"), "", "401 Unauthorized")}));
    Access access = access_to(server);
    access.user.token = "old";
    Client client(io, access);
    EXPECT_TRUE(run(client.get("/x")).error().is(401));
    EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(ClientTest, WritesSayWhoWritesAndOnWhatCondition) {
    ScriptedServer server(in_turn({response("{}")}));
    Client client(io, access_to(server));
    static_cast<void>(run(client.apply("/a", "{}", {.field_manager = "me & you"})));
    static_cast<void>(run(client.apply("/a", "{}", {.field_manager = "me", .force = false})));
    static_cast<void>(run(client.merge_patch("/b", "{}", "me")));
    static_cast<void>(run(client.replace("/c", "{}", "me")));
    static_cast<void>(run(client.create("/d", "{}", "")));
    static_cast<void>(run(client.remove("/e", {.uid = "u", .resource_version = "7"})));
    const auto requests = server.requests();
    ASSERT_EQ(requests.size(), 6U);
    EXPECT_THAT(requests[0], HasSubstr("PATCH /a?fieldManager=me%20%26%20you&force=true HTTP"));
    EXPECT_THAT(requests[0], HasSubstr("Content-Type: application/apply-patch+yaml\r\n"));
    EXPECT_THAT(requests[1], HasSubstr("PATCH /a?fieldManager=me HTTP"));
    EXPECT_THAT(requests[2], HasSubstr("Content-Type: application/merge-patch+json\r\n"));
    EXPECT_THAT(requests[3], HasSubstr("PUT /c?fieldManager=me HTTP"));
    EXPECT_THAT(requests[4], HasSubstr("POST /d HTTP"));
    EXPECT_THAT(requests[5], HasSubstr("DELETE /e HTTP"));
}

TEST_F(ClientTest, TellsWhatTheServerWarnsOf) {
    ScriptedServer server(in_turn({response("{}",
                                            "Warning: 299 - \"unknown field \\\"spec.a\\\"\"\r\n"
                                            "Warning: 299 - \"unknown field \\\"spec.b\\\"\"\r\n"),
                                   response("{}")}));
    std::vector<std::string> warnings;
    ClientSettings settings;
    settings.warned = [&](const std::string& request, const std::string& warning) {
        warnings.push_back(request + ": " + warning);
    };
    Client client(io, access_to(server), settings);
    ASSERT_TRUE(run(client.create("/x", "{}", "me")));
    ASSERT_TRUE(run(client.get("/x")));
    EXPECT_THAT(warnings,
                ElementsAre("POST /x?fieldManager=me: unknown field \"spec.a\"",
                            "POST /x?fieldManager=me: unknown field \"spec.b\""));
}

TEST_F(ClientTest, EndsARequestAtItsDeadlineThoughTheAnswerDrips) {
    ScriptedServer server([](Peer& peer) {
        peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        peer.drip(std::string(100'000, ' '), 5ms);
    });
    Client client(io, access_to(server));
    ApiRequest request;
    request.target = "/x";
    request.deadline = net::read_clock().steady + 100ms;
    const auto answer = run(client.call(request));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, Failure::Kind::Unreachable);
    EXPECT_THAT(answer.error().message, HasSubstr("GET /x: cannot reach"));
}

TEST_F(ClientTest, SaysThatNobodyIsThere) {
    Access access;
    access.server =
        net::parse_local_url(fmt::format("http://127.0.0.1:{}", test::refused_port())).value();
    Client client(io, access);
    EXPECT_EQ(run(client.get("/x")).error().kind, Failure::Kind::Unreachable);
}

TEST_F(ClientTest, TalksTlsAndShowsItsCertificate) {
    const test::Authority authority;
    const auto context = test::server_context(authority.leaf());
    test::demand_certificate(*context, authority);
    ScriptedServer server(context, in_turn({response(R"({"kind":"Pod"})")}));
    Access access;
    access.server =
        net::parse_local_url(fmt::format("https://127.0.0.1:{}", server.port())).value();
    access.authority = test::certificate_pem(authority.identity());
    const test::Identity user = authority.leaf({.names = "", .common_name = "me"});
    access.user.certificate = test::certificate_pem(user);
    access.user.key = test::key_pem(user);
    Client client(io, access);
    for (int i = 0; i < 2; ++i) {
        const auto object = run(client.get("/x"));
        EXPECT_TRUE(object) << object.error().message;
    }
    EXPECT_EQ(server.connections(), 1U);

    access.authority = test::certificate_pem(test::Authority("another").identity());
    Client wary(io, access);
    EXPECT_THAT(run(wary.get("/x")).error().message, HasSubstr("unknown authority"));

    access.insecure = true;
    Client careless(io, access);
    EXPECT_TRUE(run(careless.get("/x")));
}

TEST_F(ClientTest, GivesItemsOfAPageAndWhereItEnds) {
    ScriptedServer server(in_turn({response(
        R"({"metadata":{"resourceVersion":"5","continue":"c"},"items":[{"a":1},{"a":2}]})")}));
    Client client(io, access_to(server));
    std::vector<std::string> items;
    const auto end = run(
        client.list_page("/x?limit=2", [&](std::string_view item) { items.emplace_back(item); }));
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(end->resource_version, "5");
    EXPECT_EQ(end->more, "c");
    EXPECT_THAT(items, ElementsAre(R"({"a":1})", R"({"a":2})"));
}

TEST_F(ClientTest, AListThatIsRefusedSaysSo) {
    ScriptedServer server(in_turn({response(status(410, "Expired"), "", "410 Gone")}));
    Client client(io, access_to(server));
    const auto end = run(client.list_page("/x?limit=2&continue=secret", [](std::string_view) {}));
    ASSERT_FALSE(end);
    EXPECT_TRUE(end.error().gone());
    EXPECT_THAT(end.error().message, HasSubstr("GET /x?limit=2: HTTP 410 Expired"));
}

std::string chunk(const std::string& text) {
    return fmt::format("{:x}\r\n{}\r\n", text.size(), text);
}

constexpr const char* stream_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr const char* first_event = R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})";

TEST_F(ClientTest, AWatchGivesItsEventsOneByOne) {
    ScriptedServer server([](Peer& peer) {
        peer.read_request();
        const std::string event = std::string(first_event) + "\n";
        peer.write(stream_head + chunk(event + event + event.substr(0, 10)));
        peer.pause(20ms);
        peer.write(chunk(event.substr(10)) + "0\r\n\r\n");
    });
    Client client(io, access_to(server));
    auto watch = run(client.watch("/x?watch=true"));
    ASSERT_TRUE(watch) << watch.error().message;
    for (int i = 0; i < 3; ++i) {
        const auto event = run((*watch)->next(30s));
        ASSERT_TRUE(event) << event.error().message;
        ASSERT_TRUE(*event);
        EXPECT_EQ((*event)->type, wire::WatchEventType::Added);
    }
    const auto end = run((*watch)->next(30s));
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_FALSE(*end);
}

TEST_F(ClientTest, AWatchThatSaysNothingIsDead) {
    ScriptedServer server([](Peer& peer) {
        peer.read_request();
        peer.write(stream_head);
        peer.wait_until_gone();
    });
    Client client(io, access_to(server));
    auto watch = run(client.watch("/x"));
    ASSERT_TRUE(watch) << watch.error().message;
    const auto event = run((*watch)->next(100ms));
    ASSERT_FALSE(event);
    EXPECT_EQ(event.error().kind, Failure::Kind::Silent);
    EXPECT_THAT(event.error().message, HasSubstr("no answer in time"));
}

TEST_F(ClientTest, AWatchThatBreaksOffHasNotEnded) {
    ScriptedServer server([](Peer& peer) {
        peer.read_request();
        peer.write(stream_head + chunk("{\"type\":"));
        peer.finish();
    });
    Client client(io, access_to(server));
    auto watch = run(client.watch("/x"));
    ASSERT_TRUE(watch) << watch.error().message;
    EXPECT_EQ(run((*watch)->next(30s)).error().kind, Failure::Kind::Unreachable);
}

TEST_F(ClientTest, AWatchTellsThatItsPlaceIsTooOld) {
    ScriptedServer server([](Peer& peer) {
        peer.read_request();
        peer.write(
            stream_head +
            chunk(
                R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
                "\n"));
        peer.wait_until_gone();
    });
    Client client(io, access_to(server));
    auto watch = run(client.watch("/x"));
    ASSERT_TRUE(watch) << watch.error().message;
    const auto event = run((*watch)->next(30s));
    ASSERT_FALSE(event);
    EXPECT_TRUE(event.error().gone());
}

}  // namespace
}  // namespace ome::kube
