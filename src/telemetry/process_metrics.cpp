#include <ome/telemetry/process_metrics.hpp>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace ome::telemetry {
namespace {

std::string slurp(const char* path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::optional<double> boot_time() {
    std::istringstream stat(slurp("/proc/stat"));
    for (std::string word; stat >> word;) {
        if (double seconds = 0; word == "btime" && stat >> seconds) {
            return seconds;
        }
    }
    return std::nullopt;
}

// Since Linux 6.2 their number is the size of the folder. To list 10,000 of them takes milliseconds
// in which the thread that is asked for metrics does nothing else.
std::optional<double> open_descriptors() {
    struct stat folder {};
    if (::stat("/proc/self/fd", &folder) == 0 && folder.st_size > 0) {
        return static_cast<double>(folder.st_size);
    }
    std::error_code error;
    double count = 0;
    for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
         !error && entry != end;
         entry.increment(error)) {
        ++count;
    }
    return error ? std::nullopt : std::optional(count - 1);  // without the one that lists them
}

void add_descriptors(MetricsPage& page) {
    if (const auto open = open_descriptors()) {
        page.gauge("process_open_fds", "Number of open file descriptors.", *open);
    }
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        page.gauge("process_max_fds",
                   "Maximum number of open file descriptors.",
                   static_cast<double>(limit.rlim_cur));
    }
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text,
                                              long ticks_per_second,
                                              long page_bytes) {
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string_view::npos) {
        return std::nullopt;
    }
    // Fields are counted from the third, the state, which stands behind the name.
    std::istringstream rest{std::string(text.substr(name_end + 1))};
    std::string state;
    rest >> state;
    std::vector<double> fields;
    for (double value = 0; rest >> value;) {
        fields.push_back(value);
    }
    if (fields.size() < 21) {
        return std::nullopt;
    }
    const auto field = [&](std::size_t number) { return fields[number - 4]; };
    const auto ticks = static_cast<double>(ticks_per_second);
    ProcessStat stat;
    stat.cpu_seconds = (field(14) + field(15)) / ticks;
    stat.threads = static_cast<std::uint64_t>(field(20));
    stat.start_seconds_after_boot = field(22) / ticks;
    stat.virtual_bytes = static_cast<std::uint64_t>(field(23));
    stat.resident_bytes = static_cast<std::uint64_t>(field(24) * static_cast<double>(page_bytes));
    return stat;
}

void add_process_metrics(MetricsPage& page) {
    const auto stat = parse_process_stat(
        slurp("/proc/self/stat"), ::sysconf(_SC_CLK_TCK), ::sysconf(_SC_PAGESIZE));
    if (stat) {
        page.counter("process_cpu_seconds_total",
                     "Total user and system CPU time spent in seconds.",
                     stat->cpu_seconds);
        page.gauge("process_resident_memory_bytes",
                   "Resident memory size in bytes.",
                   static_cast<double>(stat->resident_bytes));
        page.gauge("process_virtual_memory_bytes",
                   "Virtual memory size in bytes.",
                   static_cast<double>(stat->virtual_bytes));
        page.gauge("process_threads", "Number of OS threads.", static_cast<double>(stat->threads));
        if (const auto boot = boot_time()) {
            page.gauge("process_start_time_seconds",
                       "Start time of the process since unix epoch in seconds.",
                       *boot + stat->start_seconds_after_boot);
        }
    }
    add_descriptors(page);
}

}  // namespace ome::telemetry
