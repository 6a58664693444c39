// How a fetch ends when the peer does not end it: the deadline and the owner, in every phase.
#include "fetch_fixture.hpp"
#include "support/scripted_dns.hpp"
#include <ome/net/task_scope.hpp>

#include <boost/asio/co_spawn.hpp>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace ome::net {
namespace {

using core::Fault;
using test::response;

/// A listener whose queue is full: what connects to it hears nothing.
class FullListener {
public:
    FullListener() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        socklen_t size = sizeof address;
        EXPECT_EQ(bind(listener_, generic, size), 0);
        EXPECT_EQ(listen(listener_, 0), 0);
        EXPECT_EQ(getsockname(listener_, generic, &size), 0);
        port_ = ntohs(address.sin_port);
        for (int& filler : fillers_) {
            filler = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            std::ignore = connect(filler, generic, size);
        }
    }
    ~FullListener() {
        for (const int filler : fillers_) {
            close(filler);
        }
        close(listener_);
    }
    FullListener(const FullListener&) = delete;
    FullListener& operator=(const FullListener&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    int listener_;
    std::uint16_t port_ = 0;
    std::array<int, 4> fillers_{};
};

Awaitable<void> fetch_until_cancelled(Client* client,
                                      std::shared_ptr<const PreparedRequest> request,
                                      Operation* operation,
                                      FetchOptions options,
                                      FetchBuffer* buffer,
                                      std::optional<core::AttemptOutcome>* outcome) {
    *outcome = co_await client->fetch(request, options, nullptr, operation, buffer);
}

class FetchEndingTest : public FetchTest {
protected:
    FetchEndingTest() { settings.dns_servers = dns.address(); }

    /// The fetch ends at the deadline, and at once when its owner ends it, whatever it is at.
    void expect_both_endings(const core::RequestTarget& target, Fault at_deadline) {
        timeout = 100ms;
        const core::AttemptOutcome late = fetch(target, core::Method::Get, true);
        EXPECT_EQ(late.fault, at_deadline);
        EXPECT_EQ(late.text, "context deadline exceeded");
        EXPECT_LT(took, 1s);

        Operation operation(deadlines, 1h);
        std::optional<core::AttemptOutcome> outcome;
        const auto request =
            std::make_shared<PreparedRequest>(prepare(target, core::Method::Get, true));
        asio::co_spawn(
            io,
            fetch_until_cancelled(&the_client(), request, &operation, options, &buffer, &outcome),
            [](const std::exception_ptr& bug) { EXPECT_EQ(bug, nullptr); });
        io.restart();
        io.run_for(50ms);
        EXPECT_FALSE(outcome.has_value());
        operation.cancel();
        io.restart();
        io.run_for(20ms);
        ASSERT_TRUE(outcome.has_value());
        EXPECT_EQ(outcome->fault, Fault::Cancelled);
    }

    test::ScriptedDns dns{[](const std::string&, bool) { return test::DnsReply{.silent = true}; }};
};

TEST_F(FetchEndingTest, DuringTheLookup) {
    expect_both_endings(target_of(80, "/", "silent.test"), Fault::Unreachable);
}

TEST_F(FetchEndingTest, F17_DuringTheConnect) {
    const FullListener listener;
    expect_both_endings(target_of(listener.port()), Fault::Unreachable);
}

TEST_F(FetchEndingTest, F22_DuringTheHandshake) {
    test::ScriptedServer server([](test::Peer& peer) { peer.wait_until_gone(); });
    expect_both_endings(tls_target_of(server.port(), "127.0.0.1"), Fault::Unreachable);
}

TEST_F(FetchEndingTest, DuringTheWrite) {
    test::ScriptedServer server([](test::Peer& peer) {
        while (peer.pause(10ms)) {
        }
    });
    const std::string path = "/" + std::string(std::size_t{16} << 20, 'x');
    expect_both_endings(target_of(server.port(), path), Fault::Unreachable);
}

TEST_F(FetchEndingTest, F17_BeforeTheHead) {
    test::ScriptedServer server([](test::Peer& peer) { peer.wait_until_gone(); });
    expect_both_endings(target_of(server.port()), Fault::Unreachable);
}

TEST_F(FetchEndingTest, F03_DuringTheBody) {
    test::ScriptedServer server([](test::Peer& peer) {
        peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
        peer.wait_until_gone();
    });
    expect_both_endings(target_of(server.port()), Fault::Body);
}

TEST_F(FetchEndingTest, TheSocketIsClosedWhenTheFetchReturns) {
    timeout = 50ms;
    test::ScriptedServer server([](test::Peer& peer) { peer.wait_until_gone(); });
    fetch(target_of(server.port()));
    server.wait_for_all();
}

TEST_F(FetchEndingTest, AnAnswerThatCameWhileWeStoodStillIsNoFaultOfTheHome) {
    timeout = 60ms;
    may_stall = true;
    test::ScriptedServer server(test::answer_all(response("body")));
    // Twice posted, so that it comes after the first step of the fetch.
    asio::post(io, [this] { asio::post(io, [] { std::this_thread::sleep_for(200ms); }); });
    const core::AttemptOutcome outcome = fetch(target_of(server.port()));
    EXPECT_EQ(outcome.fault, Fault::Stalled);
}

TEST_F(FetchEndingTest, AnOperationThatIsOverStartsNothing) {
    test::ScriptedServer server(test::answer_all(response("body")));
    Operation operation(deadlines, 1h);
    operation.cancel();
    const auto request = std::make_shared<PreparedRequest>(
        prepare(target_of(server.port()), core::Method::Get, true));
    const core::AttemptOutcome outcome =
        test::run(io, the_client().fetch(request, options, nullptr, &operation, &buffer));
    EXPECT_EQ(outcome.fault, Fault::Cancelled);
    EXPECT_EQ(server.connections(), 0U);
}

TEST_F(FetchEndingTest, StopWaitsForTheLastFetchAndRefusesNewOnes) {
    Operation operation(deadlines, 1h);
    std::optional<core::AttemptOutcome> outcome;
    const auto request = std::make_shared<PreparedRequest>(
        prepare(target_of(80, "/", "silent.test"), core::Method::Get, true));
    asio::co_spawn(
        io,
        fetch_until_cancelled(&the_client(), request, &operation, options, &buffer, &outcome),
        [](const std::exception_ptr& bug) { EXPECT_EQ(bug, nullptr); });
    io.poll();
    EXPECT_EQ(the_client().stats().in_flight, 1U);
    test::run(io, the_client().stop());
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->fault, Fault::Cancelled);
    EXPECT_EQ(fetch(target_of(80)).fault, Fault::Cancelled);
}

Awaitable<void> fetch_in_scope(Client* client,
                               std::shared_ptr<const PreparedRequest> request,
                               Deadlines* deadlines,
                               FetchBuffer* buffer,
                               std::optional<core::AttemptOutcome>* outcome) {
    Operation operation(*deadlines, 1h);
    const FetchOptions options;
    *outcome = co_await client->fetch(request, options, nullptr, &operation, buffer);
}

TEST_F(FetchEndingTest, D11_AScopeThatStopsIsNoFaultOfTheHome) {
    test::ScriptedServer server([](test::Peer& peer) { peer.wait_until_gone(); });
    const auto request = std::make_shared<PreparedRequest>(
        prepare(target_of(server.port()), core::Method::Get, true));
    TaskScope scope(io);
    std::optional<core::AttemptOutcome> outcome;
    scope.spawn(fetch_in_scope(&the_client(), request, &deadlines, &buffer, &outcome));
    io.restart();
    io.run_for(50ms);
    test::run(io, scope.stop());
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->fault, Fault::Cancelled);
}

TEST_F(FetchEndingTest, F33_WithoutADescriptorTheHomeIsNotBlamed) {
    test::ScriptedServer server(test::answer_all(response("body")));
    EXPECT_EQ(fetch(target_of(server.port())).fault, Fault::None);
    EXPECT_EQ(the_client().stats().idle_connections, 1U);
    Lane idle = std::exchange(lane, Lane());

    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    rlimit tight = before;
    tight.rlim_cur = 256;
    setrlimit(RLIMIT_NOFILE, &tight);
    std::vector<int> hoard;
    const auto take_all = [&] {
        for (int taken = 0; (taken = dup(0)) >= 0;) {
            hoard.push_back(taken);
        }
    };
    take_all();
    // An idle connection gives way. (The server is in this same process, so it may not answer.)
    timeout = 100ms;
    fetch(target_of(server.port()), core::Method::Get, true);
    EXPECT_EQ(the_client().stats().evictions, 1U);
    EXPECT_EQ(the_client().stats().shortages, 0U);
    // The server's threads give descriptors back a little later: again, until none is left.
    core::AttemptOutcome outcome;
    for (int tries = 0; tries < 50 && outcome.fault != Fault::Cancelled; ++tries) {
        lane.close();
        take_all();
        outcome = fetch(target_of(server.port()));
    }
    for (const int taken : hoard) {
        close(taken);
    }
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(outcome.fault, Fault::Cancelled);
    EXPECT_EQ(outcome.text, "no file descriptor left");
    EXPECT_TRUE(facts.descriptor_shortage);
    EXPECT_EQ(the_client().stats().shortages, 1U);
    timeout = 5s;
    EXPECT_EQ(fetch(target_of(server.port())).fault, Fault::None);
}

}  // namespace
}  // namespace ome::net
