// The line to the observer against servers that say what a test tells them to.
#include "observer_link.hpp"

#include "reconciler_fixture.hpp"
#include "support/run.hpp"
#include "support/scripted_server.hpp"
#include <ome/net/clock.hpp>

#include <gmock/gmock.h>

#include <atomic>

namespace ome::test {
namespace {

using testing::HasSubstr;

constexpr const char* bookmark = R"({"type":"Bookmark","instance":"one","revision":3})";

std::string chunk(const std::string& text) {
    std::array<char, 20> size{};
    std::snprintf(size.data(), size.size(), "%zx\r\n", text.size());
    return size.data() + text + "\r\n";
}

/// What an observer without services answers, up to the watch, which `stream` then speaks.
/// `declared` hears of each declaration of the whole set.
void play_observer(
    Peer& peer,
    const std::function<void(Peer&)>& stream,
    const std::function<void()>& declared = [] {}) {
    for (std::string head = peer.read_request(); !head.empty(); head = peer.read_request()) {
        if (head.starts_with("PUT /v1/services ")) {
            if (head.find("chunked") != std::string::npos) {
                (void)peer.read_request();  // the chunks, which end like a head does
            }
            declared();
            peer.write(response(R"({"instance":"one","applied":0,"forgotten":0,"rejected":[]})",
                                "Content-Type: application/json\r\n"));
        } else if (head.starts_with("GET /v1/services?")) {
            peer.write(response(R"({"instance":"one","revision":3,"services":[],"continue":""})",
                                "Content-Type: application/json\r\n"));
        } else if (head.starts_with("GET /v1/watch?")) {
            peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            stream(peer);
            return;
        } else {
            peer.write(response("{}", "", "500 Internal Server Error"));
        }
    }
}

class ObserverLinkTest : public testing::Test {
protected:
    ~ObserverLinkTest() override {
        if (link_ != nullptr) {
            run(io, link_->stop());
        }
    }

    controller::ObserverLink& begin(std::uint16_t port) {
        controller::LinkSettings settings;
        settings.url = net::parse_local_url("http://127.0.0.1:" + std::to_string(port)).value();
        settings.holder = "test";
        settings.first_pause = 10ms;
        settings.longest_pause = 50ms;
        settings.patience = 300ms;
        reconciler = std::make_unique<controller::Reconciler>(
            controller::ReconcilerSettings{.installation = installation()}, net::read_clock());
        reconciler->hear(controller::news::Listed{}, net::read_clock());
        link_ = std::make_unique<controller::ObserverLink>(
            io, settings, *reconciler, [] { return net::read_clock(); }, [] {});
        link_->start();
        return *link_;
    }

    [[nodiscard]] bool eventually(const std::function<bool()>& condition) {
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (!condition() && std::chrono::steady_clock::now() < until) {
            io.restart();
            io.run_for(5ms);
        }
        return condition();
    }

    net::asio::io_context io{1};
    std::unique_ptr<controller::Reconciler> reconciler;

private:
    std::unique_ptr<controller::ObserverLink> link_;
};

TEST_F(ObserverLinkTest, DeclaresListsAndFollows) {
    ScriptedServer server([](Peer& peer) {
        play_observer(peer, [](Peer& stream) {
            while (stream.write(chunk(std::string(bookmark) + "\n")) && stream.pause(20ms)) {
            }
        });
    });
    auto& link = begin(server.port());
    EXPECT_TRUE(eventually([&] { return link.status().lines >= 3; }));
    EXPECT_TRUE(link.status().connected);
    EXPECT_EQ(link.status().instance, "one");
    EXPECT_FALSE(reconciler->observer_silent(net::read_clock()));
    EXPECT_EQ(link.status().syncs, 1U);
    EXPECT_THAT(server.requests(), testing::Contains(HasSubstr("holder=test&since=one:3")));
}

TEST_F(ObserverLinkTest, ALineInPiecesIsOneLine) {
    ScriptedServer server([](Peer& peer) {
        play_observer(peer, [](Peer& stream) {
            const std::string line = std::string(bookmark) + "\n";
            stream.write(chunk(line.substr(0, 10)));
            (void)stream.pause(20ms);
            stream.write(chunk(line.substr(10) + line));
            stream.wait_until_gone();
        });
    });
    auto& link = begin(server.port());
    EXPECT_TRUE(eventually([&] { return link.status().lines == 2; }));
}

TEST_F(ObserverLinkTest, GarbageIsNotHearingAndEndsTheSession) {
    std::atomic<int> streams{0};
    ScriptedServer server([&](Peer& peer) {
        play_observer(peer, [&](Peer& stream) {
            ++streams;
            stream.write(chunk("\x01{]garbage\n"));
            stream.wait_until_gone();
        });
    });
    auto& link = begin(server.port());
    EXPECT_TRUE(eventually([&] { return streams >= 3; })) << "it begins anew, again and again";
    EXPECT_EQ(link.status().lines, 0U);
    EXPECT_TRUE(eventually([&] { return !link.status().problem.empty(); }));
    EXPECT_THAT(link.status().problem, HasSubstr("a line of the watch cannot be understood"));
}

TEST_F(ObserverLinkTest, GoneMeansEverythingAnew) {
    std::atomic<int> streams{0};
    ScriptedServer server([&](Peer& peer) {
        play_observer(peer, [&](Peer& stream) {
            const bool first = streams++ == 0;
            stream.write(chunk(first ? "{\"type\":\"Gone\",\"instance\":\"one\"}\n"
                                     : std::string(bookmark) + "\n"));
            stream.wait_until_gone();
        });
    });
    auto& link = begin(server.port());
    EXPECT_TRUE(eventually(
        [&] { return streams == 2 && link.status().connected && link.status().lines == 2; }));
}

// Another lead may have closed gates meanwhile, which the observer's old histories know nothing of.
TEST_F(ObserverLinkTest, WhatALostLeadLeftBehindIsForgottenBeforeTheNextOneDeclares) {
    std::atomic<bool> reachable{true};
    std::atomic<int> bulks{0};
    ScriptedServer server([&](Peer& peer) {
        if (!reachable) {
            peer.reset();
            return;
        }
        play_observer(
            peer,
            [&](Peer& stream) {
                while (reachable && stream.write(chunk(std::string(bookmark) + "\n")) &&
                       stream.pause(20ms)) {
                }
                stream.reset();
            },
            [&] { ++bulks; });
    });
    auto& link = begin(server.port());
    ASSERT_TRUE(eventually([&] { return link.status().connected; }));
    ASSERT_EQ(bulks, 1);

    reachable = false;
    reconciler->start_over(net::read_clock());
    link.let_go();
    ASSERT_TRUE(eventually([&] { return !link.status().problem.empty(); }));

    reachable = true;
    reconciler->hear(controller::news::Listed{}, net::read_clock());
    ASSERT_TRUE(eventually([&] { return link.status().connected; }));
    EXPECT_EQ(bulks, 3) << "nothing, and then everything";
}

TEST_F(ObserverLinkTest, AStreamThatHangsIsLeft) {
    std::atomic<int> streams{0};
    ScriptedServer server([&](Peer& peer) {
        play_observer(peer, [&](Peer& stream) {
            ++streams;
            stream.wait_until_gone();
        });
    });
    auto& link = begin(server.port());
    EXPECT_TRUE(eventually([&] { return streams >= 2; }));
    EXPECT_GE(link.status().breaks, 1U);
}

TEST_F(ObserverLinkTest, SomethingElseAtTheAddressIsNamed) {
    ScriptedServer server(answer_all(response("<html>", "Content-Type: text/html\r\n")));
    auto& link = begin(server.port());
    EXPECT_TRUE(eventually([&] { return !link.status().problem.empty(); }));
    EXPECT_THAT(link.status().problem, HasSubstr("cannot be understood"));
    EXPECT_FALSE(link.status().connected);
}

TEST_F(ObserverLinkTest, NobodyThereIsAState) {
    auto& link = begin(refused_port());
    EXPECT_TRUE(eventually([&] { return !link.status().problem.empty(); }));
    EXPECT_THAT(link.status().problem, HasSubstr("cannot reach http://127.0.0.1:"));
}

TEST_F(ObserverLinkTest, EndsInTheMiddleOfACall) {
    ScriptedServer server([](Peer& peer) {
        (void)peer.read_request();
        peer.wait_until_gone();
    });
    begin(server.port());
    EXPECT_TRUE(eventually([&] { return server.connections() > 0; }));
}

}  // namespace
}  // namespace ome::test
