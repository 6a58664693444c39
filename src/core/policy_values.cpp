#include "policy_values.hpp"

#include <ome/core/duration.hpp>

#include <algorithm>

namespace ome::core {

Duration duration_or_zero(const std::optional<std::string>& text) {
    return parse_duration(text.value_or("")).value_or(Duration::zero());
}

ProbeValues values_of(const ProbeSettings& settings) {
    return {
        .path = settings.path.value_or(""),
        .method = settings.method.value_or(""),
        .accept = settings.accept_statuses.value_or(Statuses{}),
        .gate = settings.gate_statuses.value_or(Statuses{}),
        .period = duration_or_zero(settings.period),
        .timeout = duration_or_zero(settings.timeout),
        .failure_threshold = settings.failure_threshold.value_or(0),
        .success_threshold = settings.success_threshold.value_or(0),
        .all_failed_policy = settings.all_failed_policy.value_or(""),
    };
}

CapacityValues values_of(const CapacitySettings& settings) {
    return {
        .path = settings.path.value_or(""),
        .method = settings.method.value_or(""),
        .format = settings.format.value_or(""),
        .options = settings.options.value_or(Options{}),
        .period = duration_or_zero(settings.period),
        .timeout = duration_or_zero(settings.timeout),
        .samples = settings.samples.value_or(0),
        .quorum = settings.quorum.value_or(0),
        .max_age = duration_or_zero(settings.max_age),
    };
}

bool sets_anything(const ProbeValues& values) {
    return !values.path.empty() || !values.method.empty() || !values.accept.empty() ||
           !values.gate.empty() || values.period != Duration::zero() ||
           values.timeout != Duration::zero() || values.failure_threshold != 0 ||
           values.success_threshold != 0 || !values.all_failed_policy.empty();
}

bool sets_anything(const CapacityValues& values) {
    return !values.path.empty() || !values.method.empty() || !values.format.empty() ||
           !values.options.empty() || values.period != Duration::zero() ||
           values.timeout != Duration::zero() || values.samples != 0 || values.quorum != 0 ||
           values.max_age != Duration::zero();
}

bool is_http_status(std::int64_t status) {
    return status >= 100 && status <= 599;
}

bool may_never_gate(std::int64_t status) {
    return status == 401 || status == 403 || status == 429;
}

bool holds(const Statuses& statuses, std::int64_t status) {
    return std::find(statuses.begin(), statuses.end(), status) != statuses.end();
}

std::optional<std::int64_t> first_not_http(const Statuses& statuses) {
    const auto found = std::find_if_not(statuses.begin(), statuses.end(), is_http_status);
    return found == statuses.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ome::core
