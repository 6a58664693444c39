// Connections kept between attempts: when they are used again, and when not.
#include "fetch_fixture.hpp"

namespace ome::net {
namespace {

using core::Fault;
using core::Method;
using test::response;

class IdlePoolTest : public FetchTest {
protected:
    /// Runs the loop until no connection is idle, or a second has passed.
    void run_until_none_is_idle() {
        const auto end = std::chrono::steady_clock::now() + 1s;
        while (the_client().stats().idle_connections != 0 &&
               std::chrono::steady_clock::now() < end) {
            io.restart();
            io.run_one_for(10ms);
        }
    }

    core::AttemptOutcome again(test::ScriptedServer& server, Method method = Method::Get) {
        return fetch(target_of(server.port()), method);
    }
};

TEST_F(IdlePoolTest, F01_KeepsOneConnectionForOneHome) {
    test::ScriptedServer server(test::answer_all(response("body")));
    for (int attempt = 0; attempt < 30; ++attempt) {
        EXPECT_EQ(again(server).fault, Fault::None);
        EXPECT_EQ(facts.reused, attempt != 0);
    }
    EXPECT_EQ(server.connections(), 1U);
    const ClientStats stats = the_client().stats();
    EXPECT_EQ(stats.connects, 1U);
    EXPECT_EQ(stats.reuses, 29U);
    EXPECT_EQ(stats.resends, 0U);
    EXPECT_EQ(stats.idle_connections, 1U);
}

TEST_F(IdlePoolTest, F01_AnEmptyBodyIsACompleteAnswer) {
    test::ScriptedServer server(test::answer_all(response("")));
    for (int attempt = 0; attempt < 5; ++attempt) {
        EXPECT_EQ(again(server).fault, Fault::None);
    }
    EXPECT_EQ(server.connections(), 1U);
}

TEST_F(IdlePoolTest, F01_AConnectionThatEndsWhileIdleIsDroppedAtOnce) {
    for (const bool reset : {false, true}) {
        test::ScriptedServer server([reset](test::Peer& peer) {
            peer.read_request();
            peer.write(response("body"));
            reset ? peer.reset() : peer.finish();
            peer.wait_until_gone();
        });
        for (int attempt = 0; attempt < 5; ++attempt) {
            EXPECT_EQ(again(server).fault, Fault::None) << reset;
            run_until_none_is_idle();
        }
        EXPECT_EQ(server.connections(), 5U);
    }
    EXPECT_EQ(the_client().stats().reuses, 0U);
}

TEST_F(IdlePoolTest, F01_ARequestThatMeetsADeadConnectionIsSentAgainOnce) {
    // The peer ends the connection only when the next request is there: nobody can see it coming.
    for (const bool reset : {false, true}) {
        test::ScriptedServer server([reset](test::Peer& peer) {
            peer.read_request();
            peer.write(response("body"));
            peer.read_request();
            reset ? peer.reset() : peer.finish();
        });
        for (const Method method : {Method::Get, Method::Head}) {
            EXPECT_EQ(again(server, Method::Get).fault, Fault::None);
            EXPECT_EQ(again(server, method).fault, Fault::None) << reset;
            lane.close();
        }
    }
    EXPECT_EQ(the_client().stats().resends, 4U);
}

TEST_F(IdlePoolTest, OneThatDiedAfterTheFirstByteIsNotSentAgain) {
    test::ScriptedServer server([](test::Peer& peer) {
        peer.read_request();
        peer.write(response("body"));
        peer.read_request();
        peer.write("H");
        peer.finish();
        peer.wait_until_gone();
    });
    EXPECT_EQ(again(server).fault, Fault::None);
    EXPECT_EQ(again(server).fault, Fault::Unreachable);
    EXPECT_EQ(the_client().stats().resends, 0U);
}

TEST_F(IdlePoolTest, ResendingStopsAtTheSecondDeath) {
    test::ScriptedServer server([](test::Peer& peer) {
        peer.read_request();
        if (peer.index() == 0) {
            peer.write(response("body"));
            peer.read_request();
        }
    });
    EXPECT_EQ(again(server).fault, Fault::None);
    EXPECT_EQ(again(server).fault, Fault::Unreachable);
    EXPECT_EQ(server.connections(), 2U);
    EXPECT_EQ(server.requests().size(), 3U);
}

TEST_F(IdlePoolTest, FreshRequestsAndPostsNeverShareAConnection) {
    test::ScriptedServer server(test::answer_all(response("body")));
    EXPECT_EQ(fetch(target_of(server.port()), Method::Get, true).fault, Fault::None);
    EXPECT_EQ(fetch(target_of(server.port()), Method::Get, true).fault, Fault::None);
    EXPECT_EQ(again(server, Method::Post).fault, Fault::None);
    EXPECT_EQ(again(server, Method::Post).fault, Fault::None);
    EXPECT_EQ(server.connections(), 4U);
    EXPECT_EQ(the_client().stats().idle_connections, 0U);
}

TEST_F(IdlePoolTest, ConnectionsAreNotKeptWhenThePeerWantsThemClosedOrMayBeConfused) {
    for (const std::string& bytes : {response("body", "Connection: close\r\n"),
                                     response("body") + "surplus",
                                     std::string("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"),
                                     response("body", "Keep-Alive: timeout=1\r\n")}) {
        test::ScriptedServer server([&](test::Peer& peer) {
            peer.read_request();
            peer.write(bytes);
            peer.wait_until_gone();
        });
        EXPECT_EQ(again(server).fault, Fault::None) << bytes;
        EXPECT_EQ(the_client().stats().idle_connections, 0U) << bytes;
        server.wait_for_all();
    }
}

TEST_F(IdlePoolTest, HeadAndStatusesWithoutABodyKeepTheConnection) {
    test::ScriptedServer server([](test::Peer& peer) {
        for (std::string request; !(request = peer.read_request()).empty();) {
            peer.write(request.starts_with("HEAD")
                           ? "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
                           : "HTTP/1.1 204 X\r\nTransfer-Encoding: chunked\r\n\r\n");
        }
    });
    for (int attempt = 0; attempt < 3; ++attempt) {
        EXPECT_EQ(again(server, Method::Head).status, 200);
        EXPECT_EQ(again(server).status, 204);
    }
    EXPECT_EQ(server.connections(), 1U);
}

TEST_F(IdlePoolTest, AFailingReportWhoseBodyCameAlongKeepsTheConnection) {
    options.body = BodyUse::Report;
    test::ScriptedServer server(test::answer_all(response("sorry", "", "503 X")));
    EXPECT_EQ(again(server).status, 503);
    EXPECT_EQ(again(server).status, 503);
    EXPECT_EQ(server.connections(), 1U);
}

TEST_F(IdlePoolTest, SurplusBytesWhileIdleEndTheConnection) {
    test::ScriptedServer server([](test::Peer& peer) {
        peer.read_request();
        peer.write(response("body"));
        peer.pause(20ms);
        peer.write(response("nobody asked", "", "408 X"));
        peer.wait_until_gone();
    });
    EXPECT_EQ(again(server).status, 200);
    run_until_none_is_idle();
    EXPECT_EQ(the_client().stats().idle_connections, 0U);
    EXPECT_EQ(again(server).status, 200);
}

TEST_F(IdlePoolTest, AConnectionIsNotUsedBeyondItsAge) {
    settings.connection_max_age = 30ms;
    test::ScriptedServer server(test::answer_all(response("body")));
    EXPECT_EQ(again(server).fault, Fault::None);
    std::this_thread::sleep_for(40ms);
    EXPECT_EQ(again(server).fault, Fault::None);
    EXPECT_EQ(server.connections(), 2U);
}

TEST_F(IdlePoolTest, AnIdleConnectionIsClosedAtItsAgeThoughNobodyAsks) {
    settings.connection_max_age = 100ms;
    test::ScriptedServer server(test::answer_all(response("body")));
    EXPECT_EQ(again(server).fault, Fault::None);
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (the_client().stats().idle_connections != 0 && std::chrono::steady_clock::now() < end) {
        io.restart();
        io.run_one_for(100ms);
    }
    EXPECT_EQ(the_client().stats().idle_connections, 0U);
}

TEST_F(IdlePoolTest, TheOldestGivesWayWhenThePoolIsFull) {
    settings.max_idle_connections = 2;
    test::ScriptedServer server(test::answer_all(response("body")));
    std::vector<Lane> lanes(3);
    for (Lane& each : lanes) {
        EXPECT_EQ(again(server).fault, Fault::None);
        std::swap(lane, each);
    }
    EXPECT_EQ(the_client().stats().idle_connections, 2U);
    EXPECT_EQ(the_client().stats().evictions, 1U);
    std::swap(lane, lanes[0]);
    again(server);
    EXPECT_FALSE(facts.reused) << "the first was the oldest";
    std::swap(lane, lanes[2]);
    again(server);
    EXPECT_TRUE(facts.reused);
}

TEST_F(IdlePoolTest, AClosedLaneClosesItsConnection) {
    test::ScriptedServer server(test::answer_all(response("body")));
    EXPECT_EQ(again(server).fault, Fault::None);
    lane.close();
    EXPECT_EQ(the_client().stats().idle_connections, 0U);
    server.wait_for_all();
    {
        Lane other;
        std::swap(lane, other);
        again(server);
        std::swap(lane, other);
    }
    server.wait_for_all();
}

TEST_F(IdlePoolTest, F33_AThousandFetchesLeaveNoDescriptorBehind) {
    test::ScriptedServer resets([](test::Peer& peer) {
        peer.read_request();
        peer.reset();
    });
    test::ScriptedServer keeps(test::answer_all(response("body")));
    again(keeps);
    again(resets);
    lane.close();
    resets.wait_for_all();
    keeps.wait_for_all();
    const std::size_t before = open_descriptors();
    for (int attempt = 0; attempt < 250; ++attempt) {
        EXPECT_EQ(again(keeps).fault, Fault::None);
        EXPECT_EQ(fetch(target_of(keeps.port()), Method::Get, true).fault, Fault::None);
        EXPECT_EQ(fetch(target_of(test::refused_port()), Method::Get, true).fault,
                  Fault::Unreachable);
        EXPECT_EQ(fetch(target_of(resets.port()), Method::Get, true).fault, Fault::Unreachable);
    }
    lane.close();
    resets.wait_for_all();
    keeps.wait_for_all();
    EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace ome::net
