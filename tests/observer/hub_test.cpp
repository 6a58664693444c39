#include "hub.hpp"

#include "shard.hpp"
#include "support/run.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ome::observer {
namespace {

namespace asio = net::asio;

/// A reactor that runs when the test says so.
struct Reactor {
    asio::io_context io{1};
    std::shared_ptr<net::Client> client = *net::Client::create(io, net::ClientSettings{});
    std::unique_ptr<Shard> shard = std::make_unique<Shard>(
        io, *client, ShardSettings{}, [](ShardNews) {}, [](const core::PermitReport&) {});

    ~Reactor() {
        test::run(io, shard->stop());
        test::run(io, client->stop());
    }
};

void poll(asio::io_context& io) {
    io.restart();
    io.poll();
}

class HubTest : public testing::Test {
protected:
    /// What the task gives, with everything running.
    template <typename T>
    T finish(net::Awaitable<T> task) {
        auto result = start(std::move(task));
        while (!*result) {
            poll(io);
            poll(reactors[0].io);
            poll(reactors[1].io);
        }
        return std::move(**result);
    }

    template <typename T>
    std::shared_ptr<std::optional<T>> start(net::Awaitable<T> task) {
        auto result = std::make_shared<std::optional<T>>();
        asio::co_spawn(io, std::move(task), [result](const std::exception_ptr&, T value) {
            *result = std::move(value);
        });
        return result;
    }

    /// A suspended service: nothing is observed.
    core::ServiceKey declare(const std::string& name) {
        core::ServiceDeclaration declaration;
        declaration.key = {"demo", name};
        declaration.suspended = true;
        return finish(hub.declare(declaration)).reading.key;
    }

    /// One that lives on this reactor.
    core::ServiceKey declare_on(std::size_t reactor) {
        for (int i = 0;; ++i) {
            const std::string name = "s" + std::to_string(reactor) + "-" + std::to_string(i);
            const core::ServiceKey key = declare(name);
            if (reactors[reactor].shard->read(key)) {
                return key;
            }
        }
    }

    asio::io_context io{1};
    std::array<Reactor, 2> reactors;
    Hub hub{
        {{&reactors[0].io, reactors[0].shard.get()}, {&reactors[1].io, reactors[1].shard.get()}},
        HubSettings{}};
};

// Its reactor has answered, the other one has not, and a change comes: it is not in the answer.
TEST_F(HubTest, AReadingIsNotOfARevisionThatCameAfterIt) {
    const core::ServiceKey first = declare_on(0);
    const core::ServiceKey second = declare_on(1);
    const std::uint64_t known = hub.revision();
    const auto answer = start(hub.read_some({first, second}));
    poll(io);
    poll(reactors[0].io);
    poll(io);
    ShardNews news;
    news.service = first;
    news.service_changed = true;
    hub.announce(news);
    ASSERT_GT(hub.revision(), known);
    poll(reactors[1].io);
    poll(io);
    ASSERT_TRUE(*answer);
    ASSERT_EQ((*answer)->size(), 2U);
    EXPECT_LE((*answer)->front().revision, known) << "whoever follows from it is told";
    EXPECT_GT(finish(hub.read(first))->revision, known);
}

}  // namespace
}  // namespace ome::observer
