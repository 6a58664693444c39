#include <ome/net/standard_output.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

namespace ome::net {
namespace {

class StandardOutput : public testing::Test {
protected:
    StandardOutput() {
        std::signal(SIGPIPE, SIG_IGN);  // as the programs do
        EXPECT_EQ(::pipe(pipe_), 0);
        stream_ = ::fdopen(pipe_[1], "w");
    }
    ~StandardOutput() override {
        leave();
        std::fclose(stream_);
    }
    void leave() {
        if (pipe_[0] >= 0) {
            ::close(pipe_[0]);
            pipe_[0] = -1;
        }
    }

    int pipe_[2] = {-1, -1};
    std::FILE* stream_ = nullptr;
};

TEST_F(StandardOutput, ArrivesAtOnce) {
    ASSERT_EQ(print_to(stream_, "text\n"), Printed::Whole);
    char bytes[16];
    EXPECT_EQ(::read(pipe_[0], bytes, sizeof bytes), 5);
}

TEST_F(StandardOutput, IsNoFailureWhenTheReaderHasLeft) {
    EXPECT_TRUE(has_reader(stream_));
    leave();
    EXPECT_FALSE(has_reader(stream_));
    EXPECT_EQ(print_to(stream_, "text\n"), Printed::ReaderLeft);
    EXPECT_EQ(print_to(stream_, std::string(100'000, 'x')), Printed::ReaderLeft) << "again";
}

TEST_F(StandardOutput, IsAFailureWhenThereIsNoRoom) {
    std::FILE* full = std::fopen("/dev/full", "w");
    ASSERT_NE(full, nullptr);
    EXPECT_TRUE(has_reader(full));
    EXPECT_EQ(print_to(full, "text\n"), Printed::Failed);
    std::fclose(full);
}

TEST_F(StandardOutput, DecidesOnTheExitCodeOnlyWhenItFails) {
    EXPECT_EQ(exit_code_of(Printed::Whole, 78), 78);
    EXPECT_EQ(exit_code_of(Printed::ReaderLeft, 0), 0);
    EXPECT_EQ(exit_code_of(Printed::Failed, 0), 1);
    EXPECT_EQ(exit_code_of(Printed::Failed, 78), 78);
}

}  // namespace
}  // namespace ome::net
