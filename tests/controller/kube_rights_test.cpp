#include "kube_rights.hpp"

#include "support/captured_log.hpp"
#include "support/run.hpp"
#include "support/scripted_server.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Lists are refused to it, and it answers whether it still does so.
class KubeRightsTest : public testing::Test {
protected:
    ~KubeRightsTest() override {
        test::run(io, rights.stop());
        client.stop();
    }

    void answer(test::Peer& peer) {
        for (std::string head = peer.read_request(); !head.empty(); head = peer.read_request()) {
            // In front of it may be the body of the request before.
            if (head.find("POST /") != std::string::npos) {
                const char* says = allows ? "true" : "false";
                ++questions;
                peer.write(test::response(
                    fmt::format(R"({{"status":{{"allowed":{}}}}})", says), "", "201 Created"));
            } else {
                peer.write(test::response(
                    R"({"kind":"Status","code":403,"message":"User \"a\" cannot list resource \"trafficmaps\" in API group \"ome.io\""})",
                    "",
                    "403 Forbidden"));
            }
        }
    }
    [[nodiscard]] kube::Access access() const {
        kube::Access made;
        made.server =
            net::parse_local_url(fmt::format("http://127.0.0.1:{}", server.port())).value();
        return made;
    }
    kube::ClientSettings settings() {
        kube::ClientSettings made;
        made.answered = [this](const std::string& method,
                               const std::string& target,
                               unsigned status,
                               const kube::Failure* refusal) {
            rights.heard(method, target, status, refusal);
        };
        return made;
    }
    void list() { test::run(io, look()); }
    net::Awaitable<void> look() {
        const auto list = co_await client.get(collection_path(kube::traffic_maps, ""));
        EXPECT_FALSE(list);
    }
    [[nodiscard]] bool eventually(const std::function<bool()>& condition) {
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (!condition() && std::chrono::steady_clock::now() < until) {
            io.restart();
            io.run_for(5ms);
        }
        return condition();
    }

    std::atomic<bool> allows{false};
    std::atomic<int> questions{0};
    test::ScriptedServer server{[this](test::Peer& peer) { answer(peer); }};
    net::asio::io_context io{1};
    test::CapturedLog log;
    std::size_t told = 0;  // needed() may be another
    kube::Client client{io, access(), settings()};
    KubeRights rights{io, client, false, [this] { ++told; }, 1ms};
};

TEST_F(KubeRightsTest, ARightIsAskedForUntilItIsThere) {
    list();
    EXPECT_EQ(told, 1U);
    ASSERT_THAT(rights.needed(), SizeIs(1));
    EXPECT_EQ(spoken(rights.needed()[0]), "list trafficmaps.ome.io in all namespaces");
    rights.start();
    ASSERT_TRUE(eventually([&] { return questions > 2; }));
    EXPECT_THAT(rights.needed(), SizeIs(1));
    allows = true;
    ASSERT_TRUE(eventually([&] { return rights.needed().empty(); }));
    const std::string text = log.text();
    EXPECT_THAT(text, HasSubstr("a right is missing"));
    EXPECT_THAT(text, HasSubstr("a right is there again"));
}

TEST_F(KubeRightsTest, AfterALeadNothingIsMissed) {
    list();
    rights.lead_ended();
    EXPECT_THAT(rights.needed(), IsEmpty());
    EXPECT_THAT(log.text(), Not(HasSubstr("there again")));
}

TEST_F(KubeRightsTest, NothingIsAskedAfterTheEnd) {
    list();
    rights.start();
    ASSERT_TRUE(eventually([&] { return questions > 0; }));
    test::run(io, rights.stop());
    const std::size_t before = told;
    io.restart();
    io.run_for(20ms);  // of many pauses
    EXPECT_EQ(told, before);
}

}  // namespace
}  // namespace ome::controller
