// The plugin's requests against a server that does what a script says.
#include "cluster_kube.hpp"

#include "cli.hpp"
#include "integration/scratch.hpp"
#include "kubectl/fake_cluster.hpp"
#include "members.hpp"
#include "support/scripted_server.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace ome::kubectl::test {
namespace {

using namespace std::chrono_literals;
using ome::test::Peer;
using ome::test::refused_port;
using ome::test::response;
using ome::test::Scratch;
using ome::test::ScriptedServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr core::Duration long_time = 60s;
constexpr const char* stream_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string object(const std::string& name, const std::string& version) {
    return fmt::format(
        R"({{"metadata":{{"namespace":"prod","name":"{}","resourceVersion":"{}"}}}})",
        name,
        version);
}

std::string list(const std::string& items, const char* more = "") {
    return response(fmt::format(
        R"({{"metadata":{{"resourceVersion":"10","continue":"{}"}},"items":[{}]}})", more, items));
}

std::string event(const char* type, const std::string& what) {
    const std::string line = fmt::format(R"({{"type":"{}","object":{}}})", type, what) + "\n";
    return fmt::format("{:x}\r\n{}\r\n", line.size(), line);
}

std::string refuse(const char* line, const std::string& status, const char* headers = "") {
    return response(R"({"kind":"Status",)" + status + "}", headers, line);
}

const std::string expired =
    refuse("410 Gone", R"("code":410,"reason":"Expired","message":"too old")");

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

bool is_watch(const std::string& request) {
    return request.find("watch=true") != std::string::npos;
}

kube::Access access_to(std::uint16_t port) {
    kube::Access access;
    access.server = net::parse_local_url(fmt::format("http://127.0.0.1:{}", port)).value();
    access.context = "hub";
    access.ns = "team";
    return access;
}

// A server and the cluster that asks it.
struct Served {
    explicit Served(ScriptedServer::Script script)
        : server(std::move(script)),
          cluster(access_to(server.port()), long_time, [this] { return interrupted.load(); }) {}

    std::atomic<bool> interrupted = false;
    ScriptedServer server;
    KubeCluster cluster;
};

const core::ServiceKey chat{"prod", "chat"};

TEST(KubeCluster, GetsAnObject) {
    Served served(in_turn({response(object("chat", "7"))}));
    EXPECT_EQ(served.cluster.context(), "hub");
    EXPECT_EQ(served.cluster.default_namespace(), "team");
    const auto map = served.cluster.get(Kind::TrafficMap, chat, long_time);
    ASSERT_TRUE(map) << words_of(map.error());
    EXPECT_EQ(text_at(*map, {"metadata", "resourceVersion"}), "7");
    ASSERT_TRUE(served.cluster.get(Kind::InferenceService, chat, long_time));
    const auto requests = served.server.requests();
    EXPECT_THAT(requests.at(0),
                StartsWith("GET /apis/ome.io/v1beta1/namespaces/prod/trafficmaps/chat HTTP"));
    EXPECT_THAT(requests.at(0), HasSubstr("User-Agent: kubectl-ome/"));
    EXPECT_THAT(requests.at(1),
                StartsWith("GET /apis/ome.io/v1beta1/namespaces/prod/inferenceservices/chat HTTP"));
}

TEST(KubeCluster, ListsInPages) {
    Served served(in_turn({list(object("a", "1"), "more of it"), list(object("b", "2"))}));
    const auto all = list_all(served.cluster,
                              {.kind = Kind::TrafficMap, .ns = "prod", .selector = "a in (b)"},
                              long_time);
    ASSERT_TRUE(all) << words_of(all.error());
    ASSERT_EQ(all->items.size(), 2U);
    EXPECT_EQ(text_at(all->items[1], {"metadata", "name"}), "b");
    EXPECT_EQ(text_at(all->items[0], {"kind"}), "TrafficMap") << "as a GET would give it";
    EXPECT_EQ(text_at(all->items[0], {"apiVersion"}), "ome.io/v1beta1");
    const auto requests = served.server.requests();
    EXPECT_THAT(requests.at(0),
                StartsWith("GET /apis/ome.io/v1beta1/namespaces/prod/trafficmaps"
                           "?limit=500&labelSelector=a%20in%20%28b%29 HTTP"));
    EXPECT_THAT(requests.at(1), HasSubstr("&continue=more%20of%20it HTTP"));
}

TEST(KubeCluster, AListWhoseTokenIsTooOldBeginsOnceMore) {
    Served served(in_turn({list(object("a", "1"), "m"), expired, list(object("b", "2"))}));
    const auto all = list_all(served.cluster, {.kind = Kind::InferenceService}, long_time);
    ASSERT_TRUE(all) << words_of(all.error());
    ASSERT_EQ(all->items.size(), 1U) << "what the first had does not count";
    Served ever(in_turn({list(object("a", "1"), "m"), expired, list("", "m"), expired}));
    EXPECT_EQ(list_all(ever.cluster, {}, long_time).error().what, Failure::Expired);
    EXPECT_EQ(ever.server.requests().size(), 4U);
}

TEST(KubeCluster, AnItemThatIsNoJsonSpoilsTheList) {
    Served served(in_turn({list("{]}")}));
    EXPECT_EQ(served.cluster.list({}, long_time).error().what, Failure::Unreadable);
}

TEST(KubeCluster, PatchesWithTestsAndTellsAFailedOne) {
    Served served([](Peer& peer) {
        const std::string request = peer.read_request();
        const bool dry = request.find("?dryRun=All HTTP") != std::string::npos;
        peer.write(
            dry ? response(object("chat", "8"), "Connection: close\r\n")
                : refuse("422 Unprocessable Entity",
                         R"("code":422,"reason":"Invalid","details":{},"message":)"
                         R"("the server rejected our request due to an error in our request")",
                         "Connection: close\r\n"));
    });
    PatchRequest request{
        .key = chat, .operations = {json::object{{"op", "test"}}}, .dry_run = true};
    const auto would_be = served.cluster.patch(request, long_time);
    ASSERT_TRUE(would_be) << words_of(would_be.error());
    EXPECT_EQ(text_at(*would_be, {"metadata", "resourceVersion"}), "8");
    request.dry_run = false;
    EXPECT_EQ(served.cluster.patch(request, long_time).error().what, Failure::Conflict);
    const auto requests = served.server.requests();
    EXPECT_THAT(requests.at(0),
                StartsWith("PATCH /apis/ome.io/v1beta1/namespaces/prod/inferenceservices/chat"));
    EXPECT_THAT(requests.at(0), HasSubstr("Content-Type: application/json-patch+json\r\n"));
}

TEST(KubeCluster, GivesUpWhenTheTimeIsOverOrTheUserInterrupts) {
    Served silent([](Peer& peer) { peer.wait_until_gone(); });
    EXPECT_EQ(silent.cluster.get(Kind::TrafficMap, chat, 50ms).error().what, Failure::Timeout);
    silent.interrupted = true;
    EXPECT_EQ(silent.cluster.get(Kind::TrafficMap, chat, long_time).error().what,
              Failure::Cancelled);
}

TEST(KubeCluster, AsksAgainWhatTheServerPutsOff) {
    const auto busy = [](const char* after) {
        return refuse("429 Too Many Requests", R"("code":429,"reason":"TooManyRequests")", after);
    };
    Served served(in_turn({busy("Retry-After: 0\r\n"), response(object("chat", "7"))}));
    EXPECT_TRUE(served.cluster.get(Kind::TrafficMap, chat, long_time));
    Served later(in_turn({busy("Retry-After: 3600\r\n")}));
    EXPECT_EQ(words_of(later.cluster.get(Kind::TrafficMap, chat, long_time).error()),
              "Unavailable (the API server is overloaded)");
}

TEST(KubeCluster, SaysThatNobodyAnswers) {
    const std::uint16_t port = refused_port();
    KubeCluster cluster(access_to(port), long_time, {});
    EXPECT_THAT(words_of(cluster.get(Kind::TrafficMap, chat, long_time).error()),
                StartsWith(fmt::format("Unavailable (cannot reach http://127.0.0.1:{}", port)));
}

// `chat@7`, or `chat gone`; waits for the first.
std::vector<std::string> next_of(Watch& watch) {
    std::vector<std::string> told;
    const auto give_up = std::chrono::steady_clock::now() + long_time;
    while (told.empty() && std::chrono::steady_clock::now() < give_up) {
        const auto changes = watch.next(100ms);
        if (!changes) {
            return {words_of(changes.error())};
        }
        for (const Change& change : *changes) {
            told.push_back(change.object.is_null()
                               ? change.key.name + " gone"
                               : change.key.name + "@" +
                                     text_at(change.object, {"metadata", "resourceVersion"}));
        }
    }
    return told;
}

TEST(KubeCluster, AWatchTellsWhatIsThereAndThenWhatChanges) {
    Served served([](Peer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            if (is_watch(request)) {
                peer.write(stream_head + event("MODIFIED", object("a", "11")) +
                           event("DELETED", object("b", "12")));
                peer.wait_until_gone();
                return;
            }
            peer.write(list(object("a", "1") + "," + object("b", "2")));
        }
    });
    const auto watch = served.cluster.watch(Kind::TrafficMap, "prod");
    ASSERT_TRUE(watch) << words_of(watch.error());
    EXPECT_THAT(next_of(**watch), ElementsAre("a@1", "b@2"));
    std::vector<std::string> changes;
    while (changes.size() < 2) {
        const auto more = next_of(**watch);
        ASSERT_FALSE(more.empty());
        changes.insert(changes.end(), more.begin(), more.end());
    }
    EXPECT_THAT(changes, ElementsAre("a@11", "b gone"));
    EXPECT_THAT((*watch)->next(0s).value(), IsEmpty());
}

TEST(KubeCluster, WhoMayListAndNotWatchIsToldAllTheSame) {
    const auto lists = std::make_shared<std::atomic<int>>(0);
    Served served([lists](Peer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            if (is_watch(request)) {
                peer.write(refuse("403 Forbidden", R"("code":403,"reason":"Forbidden")"));
            } else {
                peer.write(list(++*lists == 1 ? object("a", "1") + "," + object("b", "2")
                                              : object("a", "5")));
            }
        }
    });
    const auto watch = served.cluster.watch(Kind::TrafficMap, "");
    ASSERT_TRUE(watch) << words_of(watch.error());
    EXPECT_THAT(next_of(**watch), ElementsAre("a@1", "b@2"));
    EXPECT_THAT(next_of(**watch), ElementsAre("a@5", "b gone"));
}

TEST(KubeCluster, AWatchThatCannotBeginSaysWhy) {
    Served served(in_turn({refuse("403 Forbidden", R"("code":403,"reason":"Forbidden")")}));
    EXPECT_EQ(served.cluster.watch(Kind::TrafficMap, "").error().what, Failure::Forbidden);
    Served without(in_turn({response("404 page not found\n", "", "404 Not Found")}));
    EXPECT_EQ(without.cluster.watch(Kind::TrafficMap, "").error().what, Failure::ApiMissing);
}

TEST(KubeCluster, AWatchLastsThroughAServerThatRestarts) {
    const auto turns = std::make_shared<std::atomic<int>>(0);
    Served served([turns](Peer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            const int turn = ++*turns;
            if (turn == 1) {
                peer.write(list(object("a", "1")));
            } else if (turn == 2) {
                peer.reset();
                return;
            } else {
                peer.write(stream_head + event("MODIFIED", object("a", "3")));
                peer.wait_until_gone();
                return;
            }
        }
    });
    const auto watch = served.cluster.watch(Kind::TrafficMap, "");
    ASSERT_TRUE(watch) << words_of(watch.error());
    EXPECT_THAT(next_of(**watch), ElementsAre("a@1"));
    EXPECT_THAT(next_of(**watch), ElementsAre("a@3"));
}

TEST(OpenCluster, WithoutAStoreIsTheServerOfTheFlags) {
    Connection connection;
    connection.server = "http://127.0.0.1:1";
    const auto cluster = open_cluster(connection);
    ASSERT_TRUE(cluster) << cluster.error().detail;
    EXPECT_EQ((*cluster)->context(), "");
    EXPECT_EQ((*cluster)->default_namespace(), "default");
    connection.server = "ftp://x";
    EXPECT_THAT(open_cluster(connection).error().detail, HasSubstr("server \"ftp://x\" must be"));
}

TEST(OpenCluster, AContextThatCannotBeShownIsNotUsed) {
    const Scratch scratch;
    Connection connection;
    connection.kubeconfig = scratch.write("config", R"(
current-context: "a\nb"
clusters: [{name: c, cluster: {server: "https://x:1"}}]
contexts: [{name: "a\nb", context: {cluster: c}}]
)");
    const auto cluster = open_cluster(connection);
    ASSERT_FALSE(cluster);
    EXPECT_EQ(cluster.error().detail, "") << "the session has the contract's words for it";
}

}  // namespace
}  // namespace ome::kubectl::test
