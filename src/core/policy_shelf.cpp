#include "policy_shelf.hpp"

#include <tuple>

namespace ome::core {
namespace {

// Naming every field makes a new one an error here.
auto fields(const CapacityPolicy& policy) {
    const auto& [path, method, format, options, period, timeout, samples, quorum, max_age, digest] =
        policy;
    return std::tie(
        path, method, format, options, period, timeout, samples, quorum, max_age, digest);
}

auto fields(const ProbePolicy& policy) {
    const auto& [path,
                 method,
                 accept_statuses,
                 gate_statuses,
                 period,
                 timeout,
                 failure_threshold,
                 success_threshold,
                 all_failed_policy,
                 digest] = policy;
    return std::tie(path,
                    method,
                    accept_statuses,
                    gate_statuses,
                    period,
                    timeout,
                    failure_threshold,
                    success_threshold,
                    all_failed_policy,
                    digest);
}

}  // namespace

bool same_policy(const CapacityPolicy& one, const CapacityPolicy& other) {
    return fields(one) == fields(other);
}

bool same_policy(const ProbePolicy& one, const ProbePolicy& other) {
    return fields(one) == fields(other);
}

}  // namespace ome::core
