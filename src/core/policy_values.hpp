// A block of settings with absent members as zero values, the way the run-time rules look at them
// (contract/observer.md 13.3, 13.4), and what several rules ask of it.
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ome::core {

using Statuses = std::vector<std::int64_t>;

struct ProbeValues {
    std::string path;
    std::string method;
    Statuses accept;
    Statuses gate;
    Duration period{};
    Duration timeout{};
    std::int64_t failure_threshold = 0;
    std::int64_t success_threshold = 0;
    std::string all_failed_policy;
};

struct CapacityValues {
    std::string path;
    std::string method;
    std::string format;
    Options options;
    Duration period{};
    Duration timeout{};
    std::int64_t samples = 0;
    std::int64_t quorum = 0;
    Duration max_age{};
};

/// A duration that does not parse counts as zero: the text checks have named it before.
[[nodiscard]] Duration duration_or_zero(const std::optional<std::string>& text);
[[nodiscard]] ProbeValues values_of(const ProbeSettings& settings);
[[nodiscard]] CapacityValues values_of(const CapacitySettings& settings);

/// Anything set besides `disabled`; a zero value counts as not set.
[[nodiscard]] bool sets_anything(const ProbeValues& values);
[[nodiscard]] bool sets_anything(const CapacityValues& values);

[[nodiscard]] bool is_http_status(std::int64_t status);  ///< 100-599
[[nodiscard]] bool may_never_gate(std::int64_t status);  ///< 401, 403, 429
[[nodiscard]] bool holds(const Statuses& statuses, std::int64_t status);
[[nodiscard]] std::optional<std::int64_t> first_not_http(const Statuses& statuses);

}  // namespace ome::core
