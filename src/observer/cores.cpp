#include "cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace ome::observer {
namespace {

constexpr std::size_t most_reactors = 16;

std::string slurp(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::optional<double> positive(double value) {
    return value > 0 ? std::optional(value) : std::nullopt;
}

// The path behind the second colon of `0::/a/b` (v2) or `4:cpu,cpuacct:/a/b` (v1).
std::filesystem::path group_path(bool version_2) {
    std::istringstream lines(slurp("/proc/self/cgroup"));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) {
            continue;
        }
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        if (version_2 ? controllers == ",," : controllers.find(",cpu,") != std::string::npos) {
            return std::filesystem::path(line.substr(second + 1)).relative_path();
        }
    }
    return {};
}

// Every ancestor may have a quota, and the tightest counts. Inside a container the path may not
// exist below the mount; the mount itself is then our group.
template <typename Read>
std::vector<double> quotas_up(const std::filesystem::path& mount,
                              std::filesystem::path group,
                              Read read) {
    std::vector<double> quotas;
    while (true) {
        if (const auto quota = read(mount / group)) {
            quotas.push_back(*quota);
        }
        if (group.empty()) {
            return quotas;
        }
        group = group.parent_path();
    }
}

std::vector<double> kernel_quotas() {
    auto quotas =
        quotas_up("/sys/fs/cgroup", group_path(true), [](const std::filesystem::path& group) {
            return parse_cpu_max(slurp(group / "cpu.max"));
        });
    const auto old =
        quotas_up("/sys/fs/cgroup/cpu", group_path(false), [](const std::filesystem::path& group) {
            return parse_cfs_quota(slurp(group / "cpu.cfs_quota_us"),
                                   slurp(group / "cpu.cfs_period_us"));
        });
    quotas.insert(quotas.end(), old.begin(), old.end());
    return quotas;
}

}  // namespace

std::optional<double> parse_cpu_max(std::string_view text) {
    std::istringstream words{std::string(text)};
    double quota = 0;
    double period = 0;
    return words >> quota >> period && period > 0 ? positive(quota / period) : std::nullopt;
}

std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period) {
    return parse_cpu_max(std::string(quota) + " " + std::string(period));
}

std::size_t reactors_for(std::size_t affinity, const std::vector<double>& quotas) {
    double cores = static_cast<double>(std::max<std::size_t>(affinity, 1));
    for (const double quota : quotas) {
        cores = std::min(cores, std::max(1.0, std::ceil(quota)));
    }
    return std::min(static_cast<std::size_t>(cores), most_reactors);
}

std::size_t default_reactors() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    return reactors_for(known ? static_cast<std::size_t>(CPU_COUNT(&allowed)) : 1, kernel_quotas());
}

}  // namespace ome::observer
