// A fixed number of kept-alive polls, each from due to judged, on one thread.
// tools/count-instructions counts what they cost.
//
// Usage: instructions_poll POLLS
#include "support/polled_home.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>

namespace {

using namespace std::chrono_literals;

// Every poll is due when the one before has ended, and no timer but the client's sweep runs.
bool make_polls(std::int64_t polls) {
    ome::test::PolledHomes home;
    ome::test::PollingShard shard({.homes = 1, .period = 1us, .grid = 1h}, home.port());
    for (std::int64_t answered = 0; answered < polls;) {
        if (home.answer(0ms) > 0) {
            ++answered;
        } else if (!shard.step(10s)) {
            return false;
        }
    }
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    std::int64_t polls = 0;
    if (count == 2) {
        std::from_chars(arguments[1], arguments[1] + std::strlen(arguments[1]), polls);
    }
    if (polls == 0) {
        std::fputs("usage: instructions_poll POLLS\n", stderr);
        return 2;
    }
    if (!make_polls(polls)) {
        std::fputs("instructions_poll: a poll did not come\n", stderr);
        return 1;
    }
    return 0;
}
