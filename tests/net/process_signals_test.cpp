#include <ome/net/process_signals.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace ome::net {
namespace {

volatile std::sig_atomic_t heard = 0;

void hear(int) {
    heard = 1;
}

// In a process of its own: the limit stays.
int write_beyond_the_limit() {
    survive_failed_writes();
    const rlimit limit{8, 8};
    std::FILE* file = std::tmpfile();
    if (file == nullptr || ::setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return 1;
    }
    const bool begun = ::write(::fileno(file), "123456789", 9) == 8;
    return begun && ::write(::fileno(file), "9", 1) == -1 && errno == EFBIG ? 0 : 2;
}

int hear_a_hangup_late() {
    hold_hangup();
    std::raise(SIGHUP);
    std::signal(SIGHUP, hear);
    if (heard != 0) {
        return 1;
    }
    release_hangup();
    return heard == 1 ? 0 : 2;
}

TEST(ProcessSignalsDeathTest, AFileAtTheSizeLimitIsAnError) {
    EXPECT_EXIT(std::_Exit(write_beyond_the_limit()), testing::ExitedWithCode(0), "");
}

TEST(ProcessSignalsDeathTest, AHangupBeforeItsHandlerIsHeardLater) {
    EXPECT_EXIT(std::_Exit(hear_a_hangup_late()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ome::net
