#include "kube_following.hpp"

#include "support/run.hpp"
#include "support/scripted_server.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

std::string path(const char* plural, const char* ns = nullptr) {
    return ns == nullptr ? fmt::format("/apis/ome.io/v1beta1/{}", plural)
                         : fmt::format("/apis/ome.io/v1beta1/namespaces/{}/{}", ns, plural);
}

std::string object(const char* kind, const char* ns, const char* name, int version) {
    return fmt::format(R"({{"apiVersion":"ome.io/v1beta1","kind":"{}",
        "metadata":{{"namespace":"{}","name":"{}","uid":"u","resourceVersion":"{}"}},
        "spec":{{"service":"{}"}}}})",
                       kind,
                       ns,
                       name,
                       version,
                       name);
}
std::string service(const char* ns, const char* name) {
    return object("InferenceService", ns, name, 5);
}
std::string map(const char* ns, const char* name, int version) {
    return object("TrafficMap", ns, name, version);
}

std::string list(const std::string& items = "") {
    return test::response(fmt::format(
        R"({{"kind":"List","metadata":{{"resourceVersion":"9"}},"items":[{}]}})", items));
}
std::string refusal(unsigned code, const std::string& words) {
    return test::response(
        fmt::format(R"({{"kind":"Status","code":{},"message":"{}"}})", code, words),
        "",
        fmt::format("{} No", code));
}

// Lists and watches by path: empty lists and silent watches where nothing else was said.
class PlayedCollections {
public:
    [[nodiscard]] kube::Access access() const {
        kube::Access made;
        made.server =
            net::parse_local_url(fmt::format("http://127.0.0.1:{}", server_.port())).value();
        return made;
    }
    void answer_list(const std::string& of, std::string answer) {
        const std::lock_guard lock(mutex_);
        lists_[of] = std::move(answer);
    }
    /// A whole answer, or events() of a watch that stays open.
    void answer_watch(const std::string& of, std::string answer) {
        const std::lock_guard lock(mutex_);
        watches_[of] = std::move(answer);
    }
    static std::string events(const std::vector<std::string>& objects) {
        std::string made = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (const std::string& one : objects) {
            std::string line = fmt::format(R"({{"type":"MODIFIED","object":{}}})", one);
            std::erase(line, '\n');
            made += fmt::format("{:x}\r\n{}\n\r\n", line.size() + 1, line);
        }
        return made;
    }
    [[nodiscard]] std::vector<std::string> lists() const {
        const std::lock_guard lock(mutex_);
        return asked_;
    }

private:
    void play(test::Peer& peer) {
        for (std::string head = peer.read_request(); !head.empty(); head = peer.read_request()) {
            const std::string target = head.substr(4, head.find(' ', 4) - 4);
            const bool watch = target.find("watch=true") != std::string::npos;
            peer.write(answer(target, watch));
            if (watch) {
                peer.wait_until_gone();
                return;
            }
        }
    }
    std::string answer(const std::string& target, bool watch) {
        const std::lock_guard lock(mutex_);
        if (!watch) {
            asked_.push_back(target);
        }
        const auto& known = watch ? watches_ : lists_;
        const auto found = known.find(target.substr(0, target.find('?')));
        return found != known.end() ? found->second : watch ? events({}) : list();
    }

    mutable std::mutex mutex_;
    std::map<std::string, std::string> lists_;
    std::map<std::string, std::string> watches_;
    std::vector<std::string> asked_;
    test::ScriptedServer server_{[this](test::Peer& peer) { play(peer); }};
};

class KubeFollowingTest : public testing::Test {
protected:
    ~KubeFollowingTest() override {
        test::run(io, following.stop());
        client.stop();
    }

    KubeFollowing::Listener listener() {
        return {.news =
                    [this](const StoreNews& one) {
                        if (const auto* is = std::get_if<news::ServiceIs>(&one)) {
                            told.push_back("service " + is->service->key.name);
                        } else if (const auto* map = std::get_if<news::MapIs>(&one)) {
                            told.push_back("map " + map->map->meta.key.name + " " +
                                           map->map->meta.resource_version);
                        }
                    },
                .listed =
                    [this] {
                        if (when_listed) {
                            when_listed();
                        }
                    },
                .trouble_changed = [this] { troubles.push_back(trouble()); },
                .troubled = [this](const std::string& problem) { failures.push_back(problem); }};
    }
    [[nodiscard]] bool eventually(const std::function<bool()>& condition) {
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (!condition() && std::chrono::steady_clock::now() < until) {
            io.restart();
            io.run_for(5ms);
        }
        return condition();
    }
    [[nodiscard]] bool was_told(const std::string& what) const {
        return std::find(told.begin(), told.end(), what) != told.end();
    }

    PlayedCollections api;
    net::asio::io_context io{1};
    std::vector<std::string> told;
    [[nodiscard]] std::string trouble() const {
        const auto all = following.troubles();
        return all.empty() ? std::string() : all.front().problem;
    }
    std::vector<std::string> troubles;
    std::vector<std::string> failures;
    std::function<void()> when_listed;
    kube::Client client{io, api.access()};
    KubeFollowing following{io, client, "team=a", listener()};
};

TEST_F(KubeFollowingTest, ServicesAreSelectedAndMapsAreNot) {
    api.answer_list(path("inferenceservices"), list(service("demo", "chat")));
    api.answer_list(path("trafficmaps"), list(map("demo", "old", 5)));
    EXPECT_FALSE(following.whole()) << "of nothing";
    following.follow({""});
    ASSERT_TRUE(eventually([&] { return following.whole(); }));
    EXPECT_THAT(told, UnorderedElementsAre("service chat", "map old 5"));
    EXPECT_THAT(
        api.lists(),
        UnorderedElementsAre(path("inferenceservices") + "?limit=500&labelSelector=team%3Da",
                             path("trafficmaps") + "?limit=500"));
    EXPECT_TRUE(following.knows_service({"demo", "chat"}));
    EXPECT_FALSE(following.knows_service({"demo", "old"}));
}

TEST_F(KubeFollowingTest, ItIsWholeWhenTheLastCollectionIs) {
    api.answer_list(path("trafficmaps", "b"), refusal(404, "not found"));
    following.follow({"a", "b"});
    int lists = 0;
    when_listed = [&] { ++lists; };
    ASSERT_TRUE(eventually([&] { return lists == 3 && !troubles.empty(); }));
    EXPECT_FALSE(following.whole());
    EXPECT_THAT(
        trouble(),
        "the API server has no type trafficmaps.ome.io of version v1beta1: install the CRDs first");
    EXPECT_THAT(failures, Contains(trouble()));
    api.answer_list(path("trafficmaps", "b"), list());
    ASSERT_TRUE(eventually([&] { return following.whole(); }));
    EXPECT_THAT(trouble(), IsEmpty());
    EXPECT_THAT(troubles, ElementsAre(HasSubstr("install the CRDs"), ""));
}

TEST_F(KubeFollowingTest, AMissingRightIsNoTroubleOfItsOwn) {
    api.answer_list(path("trafficmaps"),
                    refusal(403, R"(User \"a\" cannot list resource \"trafficmaps\")"));
    following.follow({""});
    const auto tries = [&] {
        const auto all = api.lists();
        return std::count(all.begin(), all.end(), path("trafficmaps") + "?limit=500");
    };
    ASSERT_TRUE(eventually([&] { return tries() > 1; })) << "the first answer has been heard";
    EXPECT_THAT(troubles, IsEmpty());
    EXPECT_THAT(failures, IsEmpty());
    EXPECT_FALSE(following.whole());
}

TEST_F(KubeFollowingTest, AWatchThatFailsIsToldAndNoReasonToWait) {
    api.answer_watch(path("trafficmaps"), refusal(400, "cannot be parsed"));
    following.follow({""});
    ASSERT_TRUE(eventually([&] { return following.whole() && !failures.empty(); }));
    EXPECT_THAT(failures[0], HasSubstr("cannot be parsed"));
    EXPECT_THAT(trouble(), IsEmpty());
    EXPECT_THAT(troubles, IsEmpty());
}

TEST_F(KubeFollowingTest, OfWhatWeWroteInANamespaceOlderVersionsAreHistory) {
    api.answer_watch(path("trafficmaps", "a"), api.events({map("a", "ours", 17)}));
    api.answer_watch(path("trafficmaps", "b"),
                     api.events({map("b", "ours", 15), map("b", "mark", 16)}));
    when_listed = [&] { following.map_stored({"b", "ours"}, "20"); };
    following.follow({"a", "b"});
    ASSERT_TRUE(eventually([&] { return was_told("map mark 16") && was_told("map ours 17"); }));
    EXPECT_THAT(told, Not(Contains("map ours 15")));
}

TEST_F(KubeFollowingTest, AMapThatIsBeingWrittenIsToldAfterwards) {
    api.answer_watch(path("trafficmaps"),
                     api.events({map("demo", "ours", 15), map("demo", "mark", 16)}));
    when_listed = [&] { following.map_is_written({"demo", "ours"}, true); };
    following.follow({""});
    ASSERT_TRUE(eventually([&] { return was_told("map mark 16"); }));
    EXPECT_THAT(told, Not(Contains("map ours 15")));
    following.map_is_written({"demo", "ours"}, false);
    EXPECT_THAT(told, Contains("map ours 15"));
}

TEST_F(KubeFollowingTest, WhenItIsStoppedItKnowsNothingAndMayBeginAgain) {
    api.answer_list(path("inferenceservices"), list(service("demo", "chat")));
    following.follow({""});
    ASSERT_TRUE(eventually([&] { return following.whole(); }));
    test::run(io, following.stop());
    EXPECT_FALSE(following.whole());
    EXPECT_FALSE(following.knows_service({"demo", "chat"}));
    following.map_stored({"demo", "chat"}, "20");
    following.map_is_written({"demo", "chat"}, true);
    told.clear();
    following.follow({""});
    ASSERT_TRUE(eventually([&] { return following.whole(); }));
    EXPECT_THAT(told, ElementsAre("service chat"));
}

}  // namespace
}  // namespace ome::controller
