#include "recorder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ome::observer {
namespace {

RecordedAttempt attempt() {
    RecordedAttempt one;
    one.kind = core::Kind::Probe;
    one.cluster = "a";
    one.outcome.status = 200;
    return one;
}

class RecorderTest : public testing::Test {
protected:
    RecorderTest() {
        std::string name = testing::TempDir() + "ome-recorder-XXXXXX";
        folder = mkdtemp(name.data());
    }
    ~RecorderTest() override { std::filesystem::remove_all(folder); }

    [[nodiscard]] std::size_t lines() const {
        std::ifstream file(folder / "record");
        std::size_t count = 0;
        for (std::string line; std::getline(file, line);) {
            ++count;
        }
        return count;
    }

    std::filesystem::path folder;
};

TEST_F(RecorderTest, WritesWhatIsQueuedWhenItEnds) {
    auto recorder = *Recorder::start((folder / "record").string(), 1 << 20);
    for (int i = 0; i < 1000; ++i) {
        recorder->offer(attempt());
    }
    recorder.reset();
    EXPECT_EQ(lines(), 1000U);
}

TEST_F(RecorderTest, TakesFromSeveralThreadsAtOnce) {
    auto recorder = *Recorder::start((folder / "record").string(), 1 << 20);
    std::vector<std::thread> reactors;
    for (int i = 0; i < 4; ++i) {
        reactors.emplace_back([&] {
            for (int k = 0; k < 500; ++k) {
                recorder->offer(attempt());
            }
        });
    }
    for (std::thread& reactor : reactors) {
        reactor.join();
    }
    recorder.reset();
    EXPECT_EQ(lines(), 2000U);
}

TEST_F(RecorderTest, CountsWhatAFullDiskDoesNotTake) {
    const auto recorder = *Recorder::start("/dev/full", 1 << 20);
    for (int i = 0; i < 100; ++i) {
        recorder->offer(attempt());
    }
    for (int i = 0; i < 500 && recorder->stats().lost < 100; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(recorder->stats().lost, 100U);
    EXPECT_EQ(recorder->stats().written, 0U);
}

TEST_F(RecorderTest, TakesAllDeclarationsOfALargeFleetAtOnce) {
    auto recorder = *Recorder::start((folder / "record").string(), 1 << 30);
    for (int i = 0; i < 50'000; ++i) {
        recorder->offer(RecordedForgetting{{}, core::ServiceKey{"team", "chat"}});
    }
    EXPECT_EQ(recorder->stats().lost, 0U);
    recorder.reset();
    EXPECT_EQ(lines(), 50'000U);
}

TEST_F(RecorderTest, CountsEveryLineThatMoreThanTheQueueHoldsLoses) {
    const auto recorder = *Recorder::start("/dev/full", 1 << 20);
    constexpr std::uint64_t offered = 100'000;
    for (std::uint64_t i = 0; i < offered; ++i) {
        recorder->offer(attempt());
    }
    for (int i = 0; i < 1000 && recorder->stats().lost < offered; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(recorder->stats().lost, offered);
}

}  // namespace
}  // namespace ome::observer
