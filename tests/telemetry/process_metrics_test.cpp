#include <ome/telemetry/process_metrics.hpp>

#include <gtest/gtest.h>

#include <fstream>

namespace ome::telemetry {
namespace {

// Fields 1 to 24 of proc(5), each with its number as value where it is not used.
constexpr const char* stat_text =
    "77 (a) b (c) S 4 5 6 7 8 9 10 11 12 13 250 150 16 17 18 19 9 21 500 1000000 25 26\n";

TEST(ProcessMetrics, ReadsStatBehindANameWithBrackets) {
    const auto stat = parse_process_stat(stat_text, 100, 4096);
    ASSERT_TRUE(stat);
    EXPECT_DOUBLE_EQ(stat->cpu_seconds, 4.0);
    EXPECT_EQ(stat->threads, 9U);
    EXPECT_DOUBLE_EQ(stat->start_seconds_after_boot, 5.0);
    EXPECT_EQ(stat->virtual_bytes, 1'000'000U);
    EXPECT_EQ(stat->resident_bytes, 25U * 4096U);
}

TEST(ProcessMetrics, RefusesWhatIsNoStat) {
    EXPECT_FALSE(parse_process_stat("", 100, 4096));
    EXPECT_FALSE(parse_process_stat("1 (x) S 1 2 3", 100, 4096));
}

TEST(ProcessMetrics, AreThereForThisProcess) {
    MetricsPage page;
    add_process_metrics(page);
    const std::string text = to_text(page);
    for (const char* name : {"process_cpu_seconds_total",
                             "process_resident_memory_bytes",
                             "process_open_fds",
                             "process_max_fds",
                             "process_start_time_seconds",
                             "process_threads"}) {
        EXPECT_NE(text.find(std::string("\n") + name + " "), std::string::npos) << name;
    }
}

double open_descriptors() {
    MetricsPage page;
    add_process_metrics(page);
    const std::string text = to_text(page);
    const std::string name = "\nprocess_open_fds ";
    const std::size_t at = text.find(name);
    return at == text.npos ? -1 : std::stod(text.substr(at + name.size()));
}

TEST(ProcessMetrics, CountsEveryOpenDescriptor) {
    const double before = open_descriptors();
    const std::ifstream one("/dev/null");
    const std::ifstream other("/dev/null");
    EXPECT_EQ(open_descriptors(), before + 2);
}

}  // namespace
}  // namespace ome::telemetry
