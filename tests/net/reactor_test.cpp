#include <ome/net/reactor.hpp>

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <future>
#include <thread>

namespace ome::net {
namespace {

using namespace std::chrono_literals;

TEST(Reactor, RunsPostedWorkInOrderOnItsOwnNamedThread) {
    Reactor reactor("a-reactor-with-a-long-name");
    std::string order;
    std::promise<std::string> name;
    reactor.post([&] { order += "1"; });
    reactor.start();
    reactor.post([&] {
        order += "2";
        std::array<char, 16> text{};
        pthread_getname_np(pthread_self(), text.data(), text.size());
        name.set_value(text.data());
    });
    EXPECT_EQ(name.get_future().get(), "a-reactor-with-");
    EXPECT_EQ(order, "12");
}

TEST(Reactor, StopLetsWhatWasPostedBeforeFinish) {
    Reactor reactor("reactor");
    reactor.start();
    bool ran = false;
    reactor.post([&] { ran = true; });
    reactor.stop();
    reactor.join();
    EXPECT_TRUE(ran);
}

TEST(Reactor, ShowsTheCpuTimeOfItsThreadWhileItRunsAndAfterwards) {
    Reactor reactor("reactor");
    EXPECT_EQ(reactor.busy(), 0ns);
    reactor.start();
    std::promise<void> worked;
    reactor.post([&] {
        const auto end = std::chrono::steady_clock::now() + 20ms;
        while (std::chrono::steady_clock::now() < end) {
        }
        worked.set_value();
    });
    worked.get_future().get();
    const core::Duration running = reactor.busy();
    EXPECT_GT(running, 1ms);
    reactor.stop();
    reactor.join();
    EXPECT_GE(reactor.busy(), running);
}

TEST(Reactor, OneThatWasNeverStartedGoesQuietly) {
    Reactor reactor("reactor");
}

}  // namespace
}  // namespace ome::net
