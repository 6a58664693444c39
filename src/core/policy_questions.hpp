// The questions that the tables of policy_operator_rules.cpp and policy_service_rules.cpp share.
#pragma once

#include "policy_rule.hpp"
#include <ome/core/policy.hpp>

#include <algorithm>

namespace ome::core::questions {

template <typename Values>
Broken no_path(const Values& values) {
    return broken_if(values.path.empty());
}

template <typename Values>
Broken relative_path(const Values& values) {
    return broken_if(!values.path.starts_with('/'));
}

template <typename Values>
Broken no_method(const Values& values) {
    return broken_if(values.method.empty());
}

template <typename Values>
Broken unknown_method(const Values& values) {
    return broken_if(!parse_method(values.method).has_value());
}

template <typename Values>
Broken no_period(const Values& values) {
    return broken_if(values.period <= Duration::zero());
}

template <typename Values>
Broken no_timeout(const Values& values) {
    return broken_if(values.timeout <= Duration::zero());
}

template <typename Values>
Broken timeout_not_shorter(const Values& values) {
    return broken_if(values.timeout >= values.period);
}

inline Broken no_accept(const ProbeValues& values) {
    return broken_if(values.accept.empty());
}

inline Broken no_gate(const ProbeValues& values) {
    return broken_if(values.gate.empty());
}

inline Broken bad_accept(const ProbeValues& values) {
    return first_not_http(values.accept);
}

inline Broken no_failure_threshold(const ProbeValues& values) {
    return broken_if(values.failure_threshold <= 0);
}

inline Broken no_success_threshold(const ProbeValues& values) {
    return broken_if(values.success_threshold <= 0);
}

inline Broken unknown_policy(const ProbeValues& values) {
    return broken_if(!parse_all_failed_policy(values.all_failed_policy).has_value());
}

inline Broken no_format(const CapacityValues& values) {
    return broken_if(values.format.empty());
}

inline Broken no_samples(const CapacityValues& values) {
    return broken_if(values.samples <= 0);
}

inline Broken no_quorum(const CapacityValues& values) {
    return broken_if(values.quorum <= 0);
}

inline Broken quorum_above_samples(const CapacityValues& values) {
    return broken_if(values.quorum > values.samples);
}

inline Broken no_age(const CapacityValues& values) {
    return broken_if(values.max_age <= Duration::zero());
}

inline Broken age_below_period(const CapacityValues& values) {
    return broken_if(values.max_age < values.period);
}

/// Asked of a period that is none, too, where every broken rule is told.
inline Broken age_short_of_quorum(const CapacityValues& values) {
    return broken_if(values.quorum > 1 && values.period > Duration::zero() &&
                     values.max_age / values.period < values.quorum);
}

}  // namespace ome::core::questions
