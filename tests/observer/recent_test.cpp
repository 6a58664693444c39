#include "recent.hpp"

#include <gtest/gtest.h>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;

const core::SteadyTime start{1h};

TEST(Recent, ShowsTheLastTenToTwentySeconds) {
    Recent recent(start);
    recent.add(100ms, start + 1s);
    EXPECT_EQ(recent.view(start + 1s).values.count(), 1U);
    recent.add(200ms, start + 11s);
    const Recent::View both = recent.view(start + 19s);
    EXPECT_EQ(both.values.count(), 2U);
    EXPECT_EQ(both.span, 19s);
    EXPECT_EQ(recent.view(start + 21s).values.count(), 1U)
        << "the first one is more than a window old";
}

TEST(Recent, ForgetsEverythingInASilence) {
    Recent recent(start);
    recent.add(100ms, start + 9s);
    EXPECT_EQ(recent.view(start + 20s - 1ns).values.count(), 1U);
    Recent silent(start);
    silent.add(100ms, start + 9s);
    EXPECT_EQ(silent.view(start + 20s).values.count(), 0U);
}

}  // namespace
}  // namespace ome::observer
