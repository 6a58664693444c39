#include <ome/telemetry/log.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <regex>
#include <string>
#include <thread>
#include <vector>

namespace ome::telemetry::log {
namespace {

using namespace std::chrono_literals;

class LogTest : public testing::Test {
protected:
    LogTest() { EXPECT_EQ(::pipe(pipe_), 0); }
    ~LogTest() override {
        ::close(pipe_[0]);
        ::close(pipe_[1]);
    }

    std::unique_ptr<Logging> start(std::size_t queue_lines = 1024, core::Duration farewell = 5s) {
        Settings settings;
        settings.descriptor = pipe_[1];
        settings.queue_lines = queue_lines;
        settings.farewell = farewell;
        return std::move(Logging::start(settings).value());
    }

    // Nobody has read, so the next line does not fit.
    void fill_pipe() {
        ::fcntl(pipe_[1], F_SETFL, O_NONBLOCK);
        while (::write(pipe_[1], "x", 1) == 1) {
        }
        ::fcntl(pipe_[1], F_SETFL, 0);
    }

    std::string read_all() {
        ::fcntl(pipe_[0], F_SETFL, O_NONBLOCK);
        std::string all;
        char bytes[4096];
        for (ssize_t count = 0; (count = ::read(pipe_[0], bytes, sizeof bytes)) > 0;) {
            all.append(bytes, static_cast<std::size_t>(count));
        }
        return all;
    }

    int pipe_[2] = {-1, -1};
};

TEST_F(LogTest, WritesEveryLineBeforeItEnds) {
    auto logging = start();
    for (int i = 0; i < 100; ++i) {
        info("counted", {{"i", i}});
    }
    logging.reset();
    const std::string all = read_all();
    EXPECT_NE(all.find(" INFO  counted i=0\n"), std::string::npos);
    EXPECT_NE(all.find(" INFO  counted i=99\n"), std::string::npos);
}

TEST_F(LogTest, LeavesOutWhatIsBelowTheLevel) {
    auto logging = start();
    EXPECT_FALSE(enabled(Level::Debug));
    EXPECT_TRUE(enabled(Level::Info));
    debug("hidden");
    warn("shown");
    logging.reset();
    const std::string all = read_all();
    EXPECT_EQ(all.find("hidden"), std::string::npos);
    EXPECT_NE(all.find("shown"), std::string::npos);
}

TEST_F(LogTest, DoesNothingOutsideALogging) {
    EXPECT_FALSE(enabled(Level::Error));
    error("nobody hears this");
    start().reset();
    error("nor this");
    EXPECT_EQ(read_all(), "");
}

TEST_F(LogTest, NeverWaitsForAReaderThatHasStopped) {
    auto logging = start(16, 50ms);
    fill_pipe();
    for (int i = 0; i < 1000; ++i) {
        info("unread");
    }
    EXPECT_GE(logging->dropped(), 900U);
    logging.reset();  // and so does the end
}

// The sum of what whole lines tell; a busy machine may have it told in parts.
std::size_t told_lost(const std::string& log) {
    static const std::regex line("WARN  log lines dropped count=([0-9]+)\n");
    std::size_t lost = 0;
    for (std::sregex_iterator one(log.begin(), log.end(), line), end; one != end; ++one) {
        lost += std::stoul((*one)[1]);
    }
    return lost;
}

TEST_F(LogTest, TellsHowManyLinesWereLost) {
    auto logging = start(16);
    fill_pipe();
    for (int i = 0; i < 1000; ++i) {
        info("burst");
    }
    std::string all;
    for (int i = 0; i < 20000 && told_lost(all) < 900; ++i) {
        all += read_all();
        std::this_thread::sleep_for(1ms);
    }
    EXPECT_THAT(told_lost(all), testing::AllOf(testing::Ge(900U), testing::Le(1000U)))
        << all.substr(all.size() - std::min<std::size_t>(all.size(), 500));
}

TEST_F(LogTest, TakesLinesFromSeveralThreads) {
    auto logging = start();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([] {
            for (int line = 0; line < 50; ++line) {
                info("line");
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    logging.reset();
    const std::string all = read_all();
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 200);
}

}  // namespace
}  // namespace ome::telemetry::log
