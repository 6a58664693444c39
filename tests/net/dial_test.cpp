#include "../../src/net/dial.hpp"

#include "support/run.hpp"
#include "support/scripted_server.hpp"

#include <gtest/gtest.h>

namespace ome::net {
namespace {

using namespace std::chrono_literals;

core::IpAddress address(std::string_view text) {
    return core::parse_address(text).value();
}

Endpoint endpoint(std::string_view text, std::uint16_t port) {
    return endpoint_of(address(text), "", port).value();
}

Awaitable<Dialled> dial_once(SocketEvents* events,
                             std::vector<Endpoint> to,
                             Deadlines* deadlines,
                             core::Duration timeout) {
    Operation operation(*deadlines, timeout);
    co_return co_await dial(*events, std::move(to), operation);
}

std::uint16_t port_of_peer(const EventSocket& socket) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    getpeername(socket.native_handle(), reinterpret_cast<sockaddr*>(&peer), &size);
    return ntohs(peer.sin_port);
}

class DialTest : public testing::Test {
protected:
    Dialled dial_to(std::vector<Endpoint> to, core::Duration timeout = 5s) {
        const auto begun = std::chrono::steady_clock::now();
        Dialled dialled = test::run(io, dial_once(&events, std::move(to), &deadlines, timeout));
        took = std::chrono::steady_clock::now() - begun;
        io.restart();
        io.poll();
        return dialled;
    }

    asio::io_context io{1};
    Deadlines deadlines{io};
    SocketEvents events{io};
    core::Duration took{};
    test::ScriptedServer server{[](test::Peer& peer) { peer.wait_until_gone(); }};
};

TEST(DialOrder, AlternatesFamiliesFromIPv6AndStopsAtEight) {
    const std::vector<core::IpAddress> order = order_for_dialling(
        {address("192.0.2.1"), address("192.0.2.2"), address("192.0.2.3"), address("2001:db8::1")});
    EXPECT_EQ(order,
              (std::vector{address("2001:db8::1"),
                           address("192.0.2.1"),
                           address("192.0.2.2"),
                           address("192.0.2.3")}));
    const std::vector<core::IpAddress> many(20, address("192.0.2.1"));
    EXPECT_EQ(order_for_dialling(many).size(), 8U);
}

TEST_F(DialTest, TakesTheNextAddressAsSoonAsOneFails) {
    const std::uint16_t refused = test::refused_port();
    std::vector<Endpoint> all;
    for (int last = 1; last <= 7; ++last) {
        all.push_back(endpoint(("127.0.0." + std::to_string(last)).c_str(), refused));
    }
    all.push_back(endpoint("127.0.0.1", server.port()));
    const Dialled dialled = dial_to(all);
    ASSERT_NE(dialled.socket, nullptr) << dialled.problem;
    EXPECT_EQ(port_of_peer(*dialled.socket), server.port());
    EXPECT_LT(took, 1500ms) << "seven pauses of 250 ms were made";
}

TEST_F(DialTest, DoesNotWaitForOneThatIsSilent) {
    // 192.0.2.0/24 is for documentation: either silence or an error, never an answer.
    const Dialled dialled =
        dial_to({endpoint("192.0.2.1", 81), endpoint("127.0.0.1", server.port())});
    ASSERT_NE(dialled.socket, nullptr) << dialled.problem;
    EXPECT_EQ(port_of_peer(*dialled.socket), server.port());
    EXPECT_LT(took, 2s);
}

TEST_F(DialTest, SaysWhatAPeerSaidRatherThanWhatThisMachineLacks) {
    const std::uint16_t refused = test::refused_port();
    EXPECT_EQ(dial_to({endpoint("127.0.0.1", refused)}).problem, "connection refused");
    EXPECT_EQ(dial_to({endpoint("127.0.0.1", refused), endpoint("fe80::1", refused)}).problem,
              "connection refused");
}

TEST_F(DialTest, EndsAtTheDeadline) {
    const Dialled dialled = dial_to({endpoint("192.0.2.1", 81), endpoint("192.0.2.2", 81)}, 100ms);
    EXPECT_EQ(dialled.socket, nullptr);
    EXPECT_LT(took, 1s);
}

}  // namespace
}  // namespace ome::net
