#include "support/run.hpp"
#include <ome/net/task_scope.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace ome::net {
namespace {

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         Executor>;

Awaitable<void> note(std::string* log, std::string text) {
    *log += text;
    co_return;
}

Awaitable<void> wait_for_ever(std::string* log) {
    Timer timer(co_await asio::this_coro::executor, Timer::time_point::max());
    const auto [error] = co_await timer.async_wait(as_result);
    *log += error == asio::error::operation_aborted ? "aborted " : "expired ";
    // A second wait after the request to stop still completes: nothing throws.
    timer.expires_after(std::chrono::milliseconds(1));
    std::ignore = co_await timer.async_wait(as_result);
    *log += "gone ";
}

TEST(TaskScope, RunsATaskAfterSpawnReturned) {
    asio::io_context io(1);
    TaskScope scope(io);
    std::string log;
    scope.spawn(note(&log, "ran"));
    EXPECT_EQ(log, "");
    EXPECT_EQ(scope.size(), 1U);
    io.run();
    EXPECT_EQ(log, "ran");
    EXPECT_EQ(scope.size(), 0U);
}

TEST(TaskScope, StopAsksAndWaitsForTheLastTask) {
    asio::io_context io(1);
    TaskScope scope(io);
    std::string log;
    scope.spawn(wait_for_ever(&log));
    scope.spawn(wait_for_ever(&log));
    io.poll();
    test::run(io, scope.stop());
    EXPECT_EQ(log, "aborted aborted gone gone ");
    EXPECT_EQ(scope.size(), 0U);
}

TEST(TaskScope, StopOfAnEmptyScopeReturnsAtOnce) {
    asio::io_context io(1);
    TaskScope scope(io);
    test::run(io, scope.stop());
    EXPECT_EQ(scope.size(), 0U);
}

TEST(TaskScopeDeathTest, GoingWithATaskStillRunningIsABug) {
    asio::io_context io(1);
    std::string log;
    EXPECT_DEATH(
        {
            TaskScope scope(io);
            scope.spawn(wait_for_ever(&log));
        },
        "running.empty");
}

}  // namespace
}  // namespace ome::net
