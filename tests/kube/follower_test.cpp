// List and watch against a server that does what a script says.
#include "support/run.hpp"
#include "support/scripted_server.hpp"
#include <ome/kube/follower.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <sstream>

namespace ome::kube {
namespace {

using namespace std::chrono_literals;
using test::Peer;
using test::response;
using test::ScriptedServer;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* stream_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string chunk(const std::string& text) {
    return fmt::format("{:x}\r\n{}\r\n", text.size(), text);
}

std::string object(const std::string& name, const std::string& version, const char* rest = "") {
    return fmt::format(
        R"({{"metadata":{{"name":"{}","resourceVersion":"{}"}}{}}})", name, version, rest);
}

std::string list(const std::string& items, const std::string& version, const char* more = "") {
    return response(
        fmt::format(R"({{"metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})",
                    version,
                    more,
                    items));
}

std::string event(const char* type, const std::string& what) {
    return chunk(fmt::format(R"({{"type":"{}","object":{}}})", type, what) + "\n");
}

constexpr const char* forgotten =
    R"({"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"})";

// A follower on a server, and what it told.
class Followed {
public:
    explicit Followed(ScriptedServer::Script script, std::size_t page = 500)
        : server(std::move(script)), client(io, access(server)) {
        FollowSettings settings;
        settings.page = page;
        settings.backoff = {.first = 1ms, .longest = 10ms};
        settings.patience = 200ms;
        follower = std::make_unique<Follower>(
            io, client, FollowTarget{.collection = "/things"}, listener(), settings);
        follower->start();
    }
    ~Followed() { test::run(io, follower->stop()); }

    template <typename Condition>
    [[nodiscard]] bool until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (!condition() && std::chrono::steady_clock::now() < end) {
            io.restart();
            io.run_for(5ms);
        }
        return condition();
    }
    [[nodiscard]] bool told_enough(std::size_t count) {
        return until([&] { return told.size() >= count; });
    }

    std::vector<std::string> told;
    net::asio::io_context io{1};
    ScriptedServer server;
    Client client;
    std::unique_ptr<Follower> follower;

private:
    static Access access(const ScriptedServer& server) {
        Access made;
        made.server =
            net::parse_local_url(fmt::format("http://127.0.0.1:{}", server.port())).value();
        return made;
    }
    FollowListener listener() {
        FollowListener made;
        made.list_begins = [this] { told.emplace_back("begin"); };
        made.listed = [this](const boost::json::value& one) {
            told.push_back("listed " + wire::identity_of(one).name);
        };
        made.list_ends = [this] { told.emplace_back("end"); };
        made.changed = [this](wire::WatchEventType type, const boost::json::value& one) {
            constexpr const char* names[] = {"added ", "modified ", "deleted "};
            told.push_back(names[static_cast<std::size_t>(type)] + wire::identity_of(one).name);
        };
        made.troubled = [this](const Failure& failure, core::Duration) {
            told.push_back(failure.gone() ? "gone" : "trouble");
        };
        made.silent = [this] { told.emplace_back("silent"); };
        return made;
    }
};

bool is_watch(const std::string& request) {
    return request.find("watch=true") != std::string::npos;
}

TEST(Follower, GivesUpAListThatDoesNotEnd) {
    for (const std::string& items : {std::string(), object("a", "1")}) {
        std::atomic<int> longest = 0;  // of the lists that were asked for, in pages
        Followed followed([&](Peer& peer) {
            int page = 0;
            for (std::string request = peer.read_request(); !request.empty() && page < 3000;
                 request = peer.read_request()) {
                page = request.find("continue=") == request.npos ? 1 : page + 1;
                longest = std::max(longest.load(), page);
                peer.write(list(items, "10", std::to_string(page).c_str()));
            }
        });
        ASSERT_TRUE(followed.until([&] {
            return std::find(followed.told.begin(), followed.told.end(), "trouble") !=
                   followed.told.end();
        }));
        EXPECT_LE(longest, 1000);
        EXPECT_THAT(followed.follower->status().problem, HasSubstr("/things: "));
    }
}

TEST(Follower, ReadsPagesAndThenWatchesFromTheFirst) {
    Followed followed(
        [](Peer& peer) {
            std::string request = peer.read_request();
            for (; !request.empty() && !is_watch(request); request = peer.read_request()) {
                const bool second = request.find("continue=more%20of%20it") != std::string::npos;
                peer.write(second ? list(object("b", "2"), "10")
                                  : list(object("a", "1"), "10", "more of it"));
            }
            if (!request.empty()) {
                peer.write(stream_head + event("ADDED", object("c", "11")) +
                           event("BOOKMARK", object("", "15")) +
                           event("DELETED", object("a", "16")));
                peer.wait_until_gone();
            }
        },
        1);
    ASSERT_TRUE(followed.told_enough(6));
    EXPECT_THAT(followed.told,
                ElementsAre("begin", "listed a", "listed b", "end", "added c", "deleted a"));
    EXPECT_TRUE(followed.follower->status().watching);
    EXPECT_EQ(followed.follower->status().bookmarks, 1U);
    const auto requests = followed.server.requests();
    EXPECT_THAT(requests.at(0), HasSubstr("GET /things?limit=1 HTTP"));
    EXPECT_THAT(requests.at(2), HasSubstr("allowWatchBookmarks=true"));
    EXPECT_THAT(requests.at(2), HasSubstr("resourceVersion=10 "));
}

TEST(Follower, GoesOnFromTheLastBookmarkWhenAWatchBreaksOff) {
    std::atomic<int> watches = 0;
    Followed followed([&](Peer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            if (!is_watch(request)) {
                peer.write(list(object("a", "1"), "10"));
            } else if (++watches == 1) {
                peer.write(stream_head + event("BOOKMARK", object("", "20")));
                peer.finish_rudely();
            } else {
                peer.write(stream_head + event("MODIFIED", object("a", "21")));
                peer.wait_until_gone();
            }
        }
    });
    ASSERT_TRUE(followed.until(
        [&] { return !followed.told.empty() && followed.told.back() == "modified a"; }));
    EXPECT_THAT(followed.told, ElementsAre("begin", "listed a", "end", "trouble", "modified a"));
    EXPECT_THAT(followed.server.requests().back(), HasSubstr("resourceVersion=20 "));
}

TEST(Follower, ListsAgainWhenItsPlaceIsForgotten) {
    std::atomic<int> watches = 0;
    std::atomic<int> lists = 0;
    Followed followed([&](Peer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            if (!is_watch(request)) {
                peer.write(++lists == 1 ? list(object("a", "1"), "10") : list("", "30"));
            } else if (++watches == 1) {
                peer.write(stream_head + event("ERROR", forgotten));
                peer.wait_until_gone();
            } else {
                peer.write(stream_head + event("ADDED", object("b", "31")));
                peer.wait_until_gone();
            }
        }
    });
    ASSERT_TRUE(followed.told_enough(7));
    EXPECT_THAT(followed.told,
                ElementsAre("begin", "listed a", "end", "gone", "begin", "end", "added b"));
}

TEST(Follower, AListThatBreaksOffIsNoList) {
    std::atomic<int> lists = 0;
    Followed followed([&](Peer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            if (is_watch(request)) {
                peer.write(stream_head);
                peer.wait_until_gone();
            } else if (++lists == 1) {
                const std::string whole = list(object("a", "1") + "," + object("b", "1"), "10");
                peer.write(std::string_view(whole).substr(0, whole.size() - 2));
                peer.finish();
                return;
            } else {
                peer.write(list(object("a", "1"), "11"));
            }
        }
    });
    ASSERT_TRUE(
        followed.until([&] { return !followed.told.empty() && followed.told.back() == "end"; }));
    EXPECT_THAT(
        followed.told,
        ElementsAre("begin", "listed a", "listed b", "trouble", "begin", "listed a", "end"));
}

TEST(Follower, AnEventThatCannotBeReadMayBeAnything) {
    std::atomic<int> lists = 0;
    Followed followed([&](Peer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            if (!is_watch(request)) {
                ++lists;
                peer.write(list("", "10"));
            } else {
                peer.write(stream_head + (lists == 1 ? chunk("no json\n") : ""));
                peer.wait_until_gone();
            }
        }
    });
    EXPECT_TRUE(followed.until([&] { return lists == 2; })) << "so everything is read again";
}

TEST(Follower, AWatchThatIsSilentTooLongIsListedAgain) {
    std::atomic<int> watches = 0;
    Followed followed([&](Peer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            if (!is_watch(request)) {
                peer.write(list("", "10"));
            } else {
                ++watches;
                peer.write(stream_head);
                peer.wait_until_gone();
            }
        }
    });
    EXPECT_TRUE(followed.until([&] { return watches >= 3; }));
    EXPECT_GE(followed.follower->status().lists, 3U);
    EXPECT_THAT(followed.told, Contains("silent"));
    EXPECT_THAT(followed.told, Not(Contains("trouble"))) << "bookmarks may be late";
}

TEST(Follower, ASilentWatchIsTroubleWhenItCannotBeListedEither) {
    std::atomic<int> lists = 0;
    Followed followed([&](Peer& peer) {
        for (std::string request = peer.read_request(); !request.empty();
             request = peer.read_request()) {
            if (is_watch(request)) {
                peer.write(stream_head);
                peer.wait_until_gone();
            } else if (++lists > 1) {
                return;
            } else {
                peer.write(list("", "10"));
            }
        }
    });
    EXPECT_TRUE(followed.until([&] {
        return std::find(followed.told.begin(), followed.told.end(), "trouble") !=
               followed.told.end();
    }));
}

TEST(Follower, LeavesAnOverloadedServerAloneForAsLongAsItSays) {
    std::atomic<int> asked = 0;
    Followed followed([&](Peer& peer) {
        while (!peer.read_request().empty()) {
            ++asked;
            peer.write(response("{}", "Retry-After: 3600\r\n", "429 Too Many Requests"));
        }
    });
    ASSERT_TRUE(followed.until(
        [&] { return !followed.told.empty() && followed.told.back() == "trouble"; }));
    followed.io.restart();
    followed.io.run_for(300ms);
    EXPECT_EQ(asked, 1);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
std::size_t peak_kilobytes() {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("VmHWM:", 0) == 0) {
            return std::stoul(line.substr(6));
        }
    }
    return 0;
}

// A fleet of services of 100 KB each must not need the memory of all of them.
TEST(Follower, ManyLargeObjectsTakeTheMemoryOfOne) {
    constexpr int objects = 500;
    const std::string padding =
        fmt::format(R"(,"spec":{{"padding":"{}"}})", std::string(100'000, 'x'));
    const std::size_t before = peak_kilobytes();
    ASSERT_GT(before, 0U);
    Followed followed([&](Peer& peer) {
        if (peer.read_request().empty()) {
            return;
        }
        peer.write(std::string(stream_head) +
                   chunk(R"({"metadata":{"resourceVersion":"10"},"items":[)"));
        std::string several;
        for (int i = 1; i <= objects; ++i) {
            several += object(fmt::format("s{}", i), "1", padding.c_str()) + ",";
            if (i % 25 == 0) {
                peer.write(chunk(std::exchange(several, {})));
            }
        }
        peer.write(chunk(object("last", "1") + "]}") + "0\r\n\r\n");
        peer.wait_until_gone();
    });
    ASSERT_TRUE(followed.told_enough(objects + 3));
    EXPECT_LT(peak_kilobytes() - before, 20'000U) << "of 50 MB that were listed";
}
#endif

}  // namespace
}  // namespace ome::kube
