#include <ome/telemetry/duration_histogram.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace ome::telemetry {
namespace {

using namespace std::chrono_literals;

TEST(DurationHistogram, StaysWithinItsErrorOverTheWholeRange) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponent(3.1, 12.0);  // 1.3 us to 1,000 s
    std::vector<core::Duration> all;
    DurationHistogram histogram;
    for (int i = 0; i < 20'000; ++i) {
        all.emplace_back(static_cast<std::int64_t>(std::pow(10.0, exponent(random))));
        histogram.add(all.back());
    }
    std::sort(all.begin(), all.end());
    for (const double fraction : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        const auto rank = static_cast<std::size_t>(std::ceil(fraction * 20'000)) - 1;
        const auto exact = static_cast<double>(all[rank].count());
        const auto told = static_cast<double>(histogram.percentile(fraction).count());
        EXPECT_LE(std::abs(told - exact), exact * 0.032) << fraction;
    }
    EXPECT_EQ(histogram.max(), all.back());
}

TEST(DurationHistogram, CountsRanksExactly) {
    DurationHistogram histogram;
    for (int i = 0; i < 99; ++i) {
        histogram.add(1ms);
    }
    histogram.add(1s);
    EXPECT_LT(histogram.percentile(0.99), 2ms);
    EXPECT_GT(histogram.percentile(0.991), 900ms);
}

TEST(DurationHistogram, MergesAndClears) {
    DurationHistogram sum;
    DurationHistogram other;
    sum.add(1ms);
    other.add(1s);
    sum.merge(other);
    EXPECT_EQ(sum.count(), 2U);
    EXPECT_EQ(sum.max(), 1s);
    sum.clear();
    EXPECT_EQ(sum.count(), 0U);
    EXPECT_EQ(sum.percentile(0.5), 0s);
}

TEST(DurationHistogram, TakesWhatIsOutsideItsRange) {
    DurationHistogram histogram;
    histogram.add(-1s);
    EXPECT_EQ(histogram.percentile(1), 0s);
    histogram.add(core::Duration::max());
    EXPECT_EQ(histogram.max(), core::Duration::max());
    EXPECT_LE(histogram.percentile(0.5), 1us);
    EXPECT_GE(histogram.percentile(1), 1000s);
}

}  // namespace
}  // namespace ome::telemetry
