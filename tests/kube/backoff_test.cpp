#include <ome/kube/backoff.hpp>

#include <gtest/gtest.h>

namespace ome::kube {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesUpToItsLongest) {
    Backoff backoff({.first = 100ms, .longest = 1s});
    EXPECT_EQ(backoff.next(1.0), 100ms);
    EXPECT_EQ(backoff.next(1.0), 200ms);
    EXPECT_EQ(backoff.next(1.0), 400ms);
    EXPECT_EQ(backoff.next(1.0), 800ms);
    EXPECT_EQ(backoff.next(1.0), 1s);
    EXPECT_EQ(backoff.next(1.0), 1s);
}

TEST(Backoff, SpreadsOverTheUpperHalf) {
    Backoff low({.first = 100ms, .longest = 1s});
    EXPECT_EQ(low.next(0.0), 50ms);
    EXPECT_EQ(low.next(0.0), 100ms);
}

TEST(Backoff, StaysAtItsLongestForEver) {
    Backoff backoff({.first = 1ms, .longest = 30s});
    for (int i = 0; i < 1000; ++i) {
        EXPECT_LE(backoff.next(1.0), 30s);
    }
    EXPECT_EQ(backoff.next(1.0), 30s);
}

TEST(Backoff, BeginsAnewAfterASuccess) {
    Backoff backoff({.first = 100ms, .longest = 1s});
    static_cast<void>(backoff.next(1.0));
    static_cast<void>(backoff.next(1.0));
    backoff.reset();
    EXPECT_EQ(backoff.next(1.0), 100ms);
}

TEST(Backoff, WaitsAtLeastAsLongAsTheServerAsks) {
    Backoff backoff({.first = 100ms, .longest = 1s});
    Failure failure;
    failure.retry_after = 5s;
    EXPECT_EQ(backoff.after(failure, 0.0), 5s);
    EXPECT_GT(backoff.after(failure, 0.9), 5s);
    EXPECT_LE(backoff.after(failure, 0.9), 5500ms);
    failure.retry_after = 1ms;
    EXPECT_EQ(backoff.after(failure, 1.0), 800ms);
}

}  // namespace
}  // namespace ome::kube
