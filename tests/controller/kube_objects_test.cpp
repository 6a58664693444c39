// Kinds that an API server does not have. What is followed on a real one:
// tests/kube/kube_publication_server_test.cpp.
#include "kube_objects.hpp"

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
using routing::ObjectKind;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* missing_route =
    "the API server has no type httproutes.gateway.networking.k8s.io of version v1: install the "
    "Gateway API CRDs";

class KubeObjectsTest : public testing::Test {
protected:
    explicit KubeObjectsTest(std::set<ObjectKind> needed = {})
        : objects(io, client, listener(), std::move(needed)) {}
    ~KubeObjectsTest() override {
        test::run(io, objects.stop());
        client.stop();
    }

    KubeObjects::Listener listener() {
        return {.news = [this](StoreNews one) { take(std::move(one)); },
                .listed = [] {},
                .troubled = [](const kube::Failure&) {},
                .trouble_changed = [this] { ++changes; }};
    }
    void take(StoreNews one) {
        if (const auto* kind = std::get_if<news::KindUnreadable>(&one)) {
            if (kind->kind == ObjectKind::HttpRoute) {
                told.push_back(kind->problem ? kind->problem->message : "");
            }
        }
    }
    void play(test::Peer& peer) const {
        for (std::string head = peer.read_request(); !head.empty(); head = peer.read_request()) {
            if (head.find("watch=true") != std::string::npos) {
                peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                peer.wait_until_gone();
                return;
            }
            const bool gateway = head.find("gateway.networking") != std::string::npos;
            peer.write(
                gateway && !installed
                    ? test::response("404 page not found\n", "", "404 Not Found")
                    : test::response(
                          R"({"kind":"List","metadata":{"resourceVersion":"9"},"items":[]})"));
        }
    }
    [[nodiscard]] bool eventually(const std::function<bool()>& condition) {
        const auto until = std::chrono::steady_clock::now() + 30s;
        while (!condition() && std::chrono::steady_clock::now() < until) {
            io.restart();
            io.run_for(5ms);
        }
        return condition();
    }
    [[nodiscard]] kube::Access access() const {
        kube::Access made;
        made.server =
            net::parse_local_url(fmt::format("http://127.0.0.1:{}", server.port())).value();
        return made;
    }

    test::CapturedLog log;
    std::atomic<bool> installed{false};
    test::ScriptedServer server{[this](test::Peer& peer) { play(peer); }};
    net::asio::io_context io{1};
    std::vector<std::string> told;  // of HTTPRoutes
    int changes = 0;
    kube::Client client{io, access()};
    KubeObjects objects;
};

class NeededKinds : public KubeObjectsTest {
protected:
    NeededKinds() : KubeObjectsTest({ObjectKind::HttpRoute, ObjectKind::Service}) {}
};

TEST_F(NeededKinds, OneThatIsNotInstalledIsWarnedOfUntilItIs) {
    objects.follow({""}, {""});
    ASSERT_TRUE(eventually([&] { return objects.settled(); }));
    EXPECT_THAT(told, testing::ElementsAre(missing_route));
    ASSERT_THAT(objects.troubles(), SizeIs(1)) << "a policy is not needed";
    EXPECT_EQ(objects.troubles().front().at, "HTTPRoute");
    EXPECT_EQ(objects.troubles().front().problem, missing_route);
    EXPECT_GT(objects.troubles().front().since.seconds, 0);
    EXPECT_GT(changes, 0);
    installed = true;
    ASSERT_TRUE(eventually([&] { return told.size() == 2; }));
    EXPECT_EQ(told.back(), "");
    EXPECT_THAT(objects.troubles(), IsEmpty());
    const std::string text = log.text();
    EXPECT_THAT(text,
                HasSubstr(fmt::format("WARN  objects of a kind that is needed cannot be read, "
                                      "nothing is published kind=HTTPRoute problem=\"{}\"",
                                      missing_route)));
    EXPECT_THAT(text, HasSubstr("objects of a kind can be read again kind=HTTPRoute"));
}

TEST_F(KubeObjectsTest, WithoutAGatewayNobodyMissesThem) {
    objects.follow({""}, {""});
    ASSERT_TRUE(eventually([&] { return objects.settled(); }));
    EXPECT_THAT(told, testing::ElementsAre(missing_route));
    EXPECT_THAT(objects.troubles(), IsEmpty());
    EXPECT_THAT(log.text(), Not(HasSubstr("WARN")));
}

}  // namespace
}  // namespace ome::controller
