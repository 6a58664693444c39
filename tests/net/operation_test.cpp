#include <ome/net/operation.hpp>

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace ome::net {
namespace {

using namespace std::chrono_literals;

struct Broken {
    int times = 0;
    void cancel() { ++times; }
};

class OperationTest : public testing::Test {
protected:
    void run_until_over(Operation& operation) {
        while (!operation.over()) {
            io.restart();
            io.run_one();
        }
    }

    asio::io_context io{1};
    Deadlines deadlines{io};
};

TEST_F(OperationTest, RunsUntilSomethingEndsIt) {
    Operation operation(deadlines, 1h);
    EXPECT_EQ(operation.ended(), Ended::Running);
    EXPECT_EQ(operation.deadline(), operation.started() + 1h);
}

TEST_F(OperationTest, BreaksOffWhatIsAwaitedWhenItIsCancelled) {
    Operation operation(deadlines, 1h);
    Broken awaited;
    CancelOnEnd hook(operation, awaited);
    operation.cancel();
    operation.cancel();
    EXPECT_EQ(operation.ended(), Ended::Cancelled);
    EXPECT_EQ(awaited.times, 1);
}

TEST_F(OperationTest, BreaksOffTheNewestAndReturnsToTheOneBefore) {
    Operation operation(deadlines, 1h);
    Broken outer;
    Broken inner;
    CancelOnEnd hook(operation, outer);
    { const CancelOnEnd second(operation, inner); }
    operation.cancel();
    EXPECT_EQ(outer.times, 1);
    EXPECT_EQ(inner.times, 0);
}

// A busy machine can hold up the test itself, which is a stall; then the test says nothing.
constexpr int tries = 10;

TEST_F(OperationTest, TheSweepEndsWhatIsPastItsDeadline) {
    Ended how = Ended::Running;
    for (int round = 0; round < tries && how != Ended::Deadline; ++round) {
        Operation operation(deadlines, 20ms);
        Operation other(deadlines, 1h);
        Broken awaited;
        CancelOnEnd hook(operation, awaited);
        run_until_over(operation);
        EXPECT_EQ(awaited.times, 1);
        EXPECT_EQ(other.ended(), Ended::Running);
        EXPECT_GE(std::chrono::steady_clock::now(), operation.deadline());
        how = operation.ended();
    }
    EXPECT_EQ(how, Ended::Deadline);
}

TEST_F(OperationTest, EndsAtALookAtTheClockBeforeAnySweep) {
    Operation operation(deadlines, 0ms);
    EXPECT_FALSE(operation.over());
    EXPECT_EQ(operation.ended(), Ended::Deadline);
}

TEST_F(OperationTest, ATimeoutOfCenturiesIsNotOverAtOnce) {
    Operation operation(deadlines, core::Duration::max());
    EXPECT_EQ(operation.ended(), Ended::Running);
    EXPECT_EQ(operation.deadline(), core::SteadyTime::max());
}

TEST_F(OperationTest, AReactorThatStoodStillEndsItAsStalled) {
    Operation operation(deadlines, 20ms);
    asio::post(io, [] { std::this_thread::sleep_for(150ms); });
    run_until_over(operation);
    EXPECT_EQ(operation.ended(), Ended::Stalled);
}

TEST_F(OperationTest, ACompletionThatComesBeforeTheLateSweepIsStalledToo) {
    Operation operation(deadlines, 20ms);
    std::this_thread::sleep_for(150ms);
    EXPECT_EQ(operation.ended(), Ended::Stalled);
}

TEST_F(OperationTest, AStallThatEndedBeforeTheDeadlineIsNoExcuse) {
    Ended how = Ended::Running;
    for (int round = 0; round < tries && how != Ended::Deadline; ++round) {
        Operation operation(deadlines, 200ms);
        asio::post(io, [] { std::this_thread::sleep_for(100ms); });
        run_until_over(operation);
        how = operation.ended();
    }
    EXPECT_EQ(how, Ended::Deadline);
}

TEST_F(OperationTest, DeadlinesMayGoWhileTheirTimerIsStillArmed) {
    {
        Deadlines brief(io);
        const Operation operation(brief, 1h);
    }
    io.run();
}

}  // namespace
}  // namespace ome::net
