#include <ome/telemetry/metrics.hpp>

#include <gtest/gtest.h>

#include <array>

namespace ome::telemetry {
namespace {

constexpr std::array bounds{0.1, 1.0};

TEST(Histogram, CountsAValueAtABoundIntoItsBucket) {
    Histogram histogram(bounds);
    histogram.add(0.1);
    histogram.add(0.1000001);
    histogram.add(1.0);
    histogram.add(1.5);
    EXPECT_EQ(histogram.counts(), (std::vector<std::uint64_t>{1, 2, 1}));
    EXPECT_EQ(histogram.count(), 4U);
    EXPECT_DOUBLE_EQ(histogram.sum(), 2.7000001);
}

TEST(Histogram, MergesWhatSeveralReactorsCounted) {
    Histogram sum(bounds);
    Histogram other(bounds);
    sum.add(0.05);
    other.add(0.05);
    other.add(5);
    sum.merge(other);
    EXPECT_EQ(sum.counts(), (std::vector<std::uint64_t>{2, 0, 1}));
    EXPECT_DOUBLE_EQ(sum.sum(), 5.1);
}

TEST(MetricsPage, WritesFamiliesInOrderWithTheirSamplesTogether) {
    MetricsPage page;
    page.counter("a_total", "About a.", 3, {{"kind", "poll"}});
    page.gauge("b", "About b.", 0.5);
    page.counter("a_total", "About a.", 4, {{"kind", "probe"}});
    EXPECT_EQ(to_text(page),
              "# HELP a_total About a.\n# TYPE a_total counter\n"
              "a_total{kind=\"poll\"} 3\na_total{kind=\"probe\"} 4\n"
              "# HELP b About b.\n# TYPE b gauge\nb 0.5\n");
}

TEST(MetricsPage, WritesAHistogramCumulatively) {
    Histogram histogram(bounds);
    histogram.add(0.05);
    histogram.add(0.5);
    histogram.add(2);
    MetricsPage page;
    page.histogram("h_seconds", "About h.", histogram);
    const std::string text = to_text(page);
    for (const char* line :
         {"h_seconds_count 3\n", "h_seconds_sum 2.55", "le=\"1\"} 2\n", "le=\"+Inf\"} 3\n"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    }
}

TEST(MetricsPage, EscapesLabelValues) {
    MetricsPage page;
    page.gauge("g", "g", 1, {{"v", "a\"b\nc\\"}});
    EXPECT_NE(to_text(page).find("g{v=\"a\\\"b\\nc\\\\\"} 1\n"), std::string::npos);
}

TEST(MetricsPage, CanBeWrittenFamilyByFamily) {
    MetricsPage page;
    page.gauge("a", "a", 1);
    page.gauge("b", "b", 2);
    std::string pieces;
    for (const auto& family : page.families()) {
        pieces += to_text(family);
    }
    EXPECT_EQ(pieces, to_text(page));
}

TEST(LatencyBounds, AreAscending) {
    const auto all = latency_bounds();
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
}

}  // namespace
}  // namespace ome::telemetry
