// A kept-alive poll allocates nothing: from due over permit, request, response and report to the
// window of its home. Only what is told of readings does, once a period for each home.
//
// Left out is what asio takes for itself, which is no operator new: it keeps two operations and two
// frames for the next ones, and a poll has two frames.
//
// A program of its own: it counts what the whole process takes from the heap.
#include "support/polled_home.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>

namespace {

std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) {
        return memory;
    }
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace ome::observer {
namespace {

using namespace std::chrono_literals;

/// What was allocated in steps that told of no reading, and how many polls those had.
struct Quiet {
    std::size_t polls = 0;
    std::size_t allocated = 0;
};

class AllocationsTest : public testing::Test {
protected:
    /// Runs until `polls` more have been answered.
    Quiet run(std::size_t polls) {
        Quiet quiet;
        for (std::size_t answered = 0; answered < polls;) {
            const std::size_t requests = homes.answer(0ms);
            answered += requests;
            const std::size_t told = shard.changes();
            const std::uint64_t reused = shard.reuses();
            const std::size_t before = allocations;
            shard.step(1ms);
            if (shard.changes() == told) {
                quiet.allocated += allocations - before;
                quiet.polls += shard.reuses() - reused;
            }
        }
        return quiet;
    }

    test::PolledHomes homes;
    test::PollingShard shard{{.homes = 20, .permits = 5, .period = 20ms}, homes.port()};
};

TEST_F(AllocationsTest, CountsWhatIsAllocated) {
    const std::size_t before = allocations;
    const auto number = std::make_unique<int>(1);
    EXPECT_EQ(allocations, before + 1) << *number;
}

TEST_F(AllocationsTest, AKeptAlivePollAllocatesNothing) {
    run(600);  // connections are opened, buffers and tables grow, windows and histories fill
    const Quiet quiet = run(400);
    EXPECT_GT(quiet.polls, 100U);
    EXPECT_EQ(quiet.allocated, 0U) << "in " << quiet.polls << " polls";
}

}  // namespace
}  // namespace ome::observer
