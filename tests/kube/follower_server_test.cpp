// List and watch through everything that happens to a real API server.
#include "kube/servers.hpp"
#include "support/run.hpp"
#include "support/scripted_server.hpp"
#include <ome/kube/client.hpp>
#include <ome/kube/follower.hpp>
#include <ome/net/clock.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

// What a follower knows: names and modes.
class Follow {
public:
    Follow(net::asio::io_context& io,
           kube::Client& client,
           const std::string& ns,
           kube::FollowSettings settings)
        : io_(io),
          follower_(io,
                    client,
                    {.collection = collection_path(kube::traffic_maps, ns)},
                    listener(),
                    settings) {
        follower_.start();
    }
    ~Follow() { run(io_, follower_.stop()); }

    /// Lets it work until this holds.
    template <typename Condition>
    [[nodiscard]] bool until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + kube_patience;
        while (!condition()) {
            if (std::chrono::steady_clock::now() >= end) {
                return false;
            }
            io_.restart();
            io_.run_for(20ms);
        }
        return true;
    }

    std::map<std::string, std::string> known;
    std::vector<kube::Failure> troubles;
    std::size_t whole_lists = 0;

    [[nodiscard]] const kube::FollowStatus& status() const { return follower_.status(); }

private:
    static std::string mode_of(const json::value& object) {
        return std::string(object.at("spec").at("mode").as_string());
    }

    kube::FollowListener listener() {
        kube::FollowListener made;
        made.list_begins = [this] { listed_.clear(); };
        made.listed = [this](const json::value& object) {
            listed_[wire::identity_of(object).name] = mode_of(object);
        };
        made.list_ends = [this] {
            known = listed_;
            ++whole_lists;
        };
        made.changed = [this](wire::WatchEventType type, const json::value& object) {
            const std::string name = wire::identity_of(object).name;
            if (type == wire::WatchEventType::Deleted) {
                known.erase(name);
            } else {
                known[name] = mode_of(object);
            }
        };
        made.troubled = [this](const kube::Failure& failure, core::Duration) {
            troubles.push_back(failure);
        };
        return made;
    }

    net::asio::io_context& io_;
    std::map<std::string, std::string> listed_;
    kube::Follower follower_;
};

class FollowerServerTest : public KubeServerTest {
protected:
    void SetUp() override {
        KubeServerTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            client = std::make_unique<kube::Client>(io, kube_servers().access());
            ns = make_namespace();
        }
    }

    // Written by another client, on a loop of its own.
    void write(const std::string& name, const char* mode) {
        write_to(kube_servers().access(), name, mode);
    }
    void write_to(const kube::Access& access, const std::string& name, const char* mode) {
        net::asio::io_context own(1);
        kube::Client writer(own, access);
        const json::object map{{"apiVersion", "ome.io/v1beta1"},
                               {"kind", "TrafficMap"},
                               {"metadata", {{"name", name}}},
                               {"spec", {{"service", name}, {"mode", mode}}}};
        const auto written = run(own,
                                 writer.apply(object_path(kube::traffic_maps, ns, name),
                                              json::serialize(map),
                                              {.field_manager = "test"}));
        EXPECT_TRUE(written) << written.error().message;
    }
    void remove_from(const kube::Access& access, const std::string& name) {
        net::asio::io_context own(1);
        kube::Client writer(own, access);
        const auto gone = run(own, writer.remove(object_path(kube::traffic_maps, ns, name), {}));
        EXPECT_TRUE(gone) << gone.error().message;
    }

    using Names = std::map<std::string, std::string>;
    net::asio::io_context io{1};
    std::unique_ptr<kube::Client> client;
    std::string ns;
    kube::FollowSettings quick{.backoff = {.first = 50ms, .longest = 500ms}};
};

TEST_F(FollowerServerTest, ListsInPagesAndFollows) {
    Names expected;
    for (int i = 0; i < 7; ++i) {
        write(fmt::format("m{}", i), "Split");
        expected[fmt::format("m{}", i)] = "Split";
    }
    quick.page = 3;
    Follow follow(io, *client, ns, quick);
    ASSERT_TRUE(follow.until([&] { return follow.status().watching; }));
    EXPECT_EQ(follow.known, expected);
    EXPECT_EQ(follow.whole_lists, 1U);
    write("m3", "All");
    write("new", "Single");
    remove_from(kube_servers().access(), "m0");
    expected["m3"] = "All";
    expected["new"] = "Single";
    expected.erase("m0");
    EXPECT_TRUE(follow.until([&] { return follow.known == expected; }));
    EXPECT_EQ(follow.status().lists, 1U);
    EXPECT_TRUE(follow.troubles.empty());
}

TEST_F(FollowerServerTest, GoesOnAfterARestartOfTheApiServer) {
    write("a", "Split");
    Follow follow(io, *client, ns, quick);
    ASSERT_TRUE(follow.until([&] { return follow.status().watching; }));
    kube_servers().restart_api_server();
    write("b", "All");
    EXPECT_TRUE(follow.until([&] { return follow.known.count("b") == 1; }));
    EXPECT_EQ(follow.known, (Names{{"a", "Split"}, {"b", "All"}}));
}

TEST_F(FollowerServerTest, GoesOnAfterARestartOfEtcd) {
    write("a", "Split");
    Follow follow(io, *client, ns, quick);
    ASSERT_TRUE(follow.until([&] { return follow.status().watching; }));
    kube_servers().restart_etcd();
    ASSERT_TRUE(eventually([&] {
        return kube_servers().kubectl({"get", "--raw=/readyz"}).exit_code == 0;
    }));
    write("b", "All");
    EXPECT_TRUE(follow.until([&] { return follow.known.count("b") == 1; }));
}

TEST_F(FollowerServerTest, ListsAgainWhenTheServerHasForgottenWhereItWas) {
    write("stays", "Split");
    write("goes", "Split");
    Follow follow(io, *client, ns, quick);
    ASSERT_TRUE(follow.until([&] { return follow.status().watching; }));

    // All of it happens where the follower cannot see: on another port.
    kube_servers().stop_api_server();
    const std::uint16_t elsewhere = refused_port();
    kube_servers().start_api_server_on(elsewhere);
    kube::Access access = kube_servers().access();
    access.server.port = elsewhere;
    remove_from(access, "goes");
    write_to(access, "stays", "All");
    write_to(access, "comes", "Single");
    kube_servers().compact_etcd();
    kube_servers().restart_api_server();

    EXPECT_TRUE(follow.until([&] {
        return follow.known == Names{{"stays", "All"}, {"comes", "Single"}};
    }));
    EXPECT_EQ(follow.whole_lists, 2U);
    const bool told = std::any_of(follow.troubles.begin(),
                                  follow.troubles.end(),
                                  [](const kube::Failure& failure) { return failure.gone(); });
    EXPECT_TRUE(told) << "it was told that its place is too old";
}

TEST_F(FollowerServerTest, LeavesAServerThatHangs) {
    write("a", "Split");
    quick.patience = 1s;
    kube::ClientSettings impatient;
    impatient.step_timeout = 1s;
    kube::Client hasty(io, kube_servers().access(), impatient);
    Follow follow(io, hasty, ns, quick);
    ASSERT_TRUE(follow.until([&] { return follow.status().watching; }));
    follow.troubles.clear();
    kube_servers().pause_api_server();
    const bool noticed = follow.until([&] { return !follow.troubles.empty(); });
    kube_servers().resume_api_server();
    EXPECT_TRUE(noticed);
    write("b", "All");
    EXPECT_TRUE(follow.until([&] { return follow.known.count("b") == 1; }));
}

TEST_F(FollowerServerTest, HearsBookmarksWhileNothingHappens) {
    Follow follow(io, *client, ns, quick);
    ASSERT_TRUE(follow.until([&] { return follow.status().bookmarks > 0; }));
    EXPECT_TRUE(follow.troubles.empty());
    EXPECT_EQ(follow.status().lists, 1U);
}

TEST_F(FollowerServerTest, SaysThatItMayNotLook) {
    kube::Client stranger(io, kube_servers().access("stranger"));
    Follow follow(io, stranger, ns, quick);
    ASSERT_TRUE(follow.until([&] { return !follow.troubles.empty(); }));
    EXPECT_TRUE(follow.troubles.front().forbidden()) << follow.troubles.front().message;
    EXPECT_FALSE(follow.status().watching);
}

}  // namespace
}  // namespace ome::test
