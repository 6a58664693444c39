// The rules that the CRD states as expressions; the schema's facets are in policy_facets.cpp.
#include "policy_facets.hpp"
#include "policy_values.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/policy_admission.hpp>

#include <algorithm>

namespace ome::core {
namespace {

using Text = std::optional<std::string>;

struct AdmissionRule {
    bool broken;
    const char* message;
};

// Rules look only at what is present; a text that is no duration is reported by the facets.
std::optional<Duration> present(const Text& text) {
    return text ? parse_duration(*text) : std::nullopt;
}

bool not_positive(const Text& text) {
    const std::optional<Duration> value = present(text);
    return value && *value <= Duration::zero();
}

template <typename Compare>
bool both(const Text& a, const Text& b, Compare compare) {
    const std::optional<Duration> first = present(a);
    const std::optional<Duration> second = present(b);
    return first && second && compare(*first, *second);
}

bool any_present(const ProbeSettings& s) {
    return s.path || s.method || s.accept_statuses || s.gate_statuses || s.period || s.timeout ||
           s.failure_threshold || s.success_threshold || s.all_failed_policy;
}

bool all_present(const ProbeSettings& s) {
    return s.path && s.method && s.accept_statuses && s.gate_statuses && s.period && s.timeout &&
           s.failure_threshold && s.success_threshold && s.all_failed_policy;
}

bool any_present(const CapacitySettings& s) {
    return s.path || s.method || s.format || s.options || s.period || s.timeout || s.samples ||
           s.quorum || s.max_age;
}

bool all_present(const CapacitySettings& s) {
    return s.path && s.method && s.format && s.period && s.timeout && s.samples && s.quorum &&
           s.max_age;
}

template <typename Settings>
bool stands_not_alone(const Settings& settings) {
    return settings.disabled.value_or(false) && any_present(settings);
}

template <typename Settings>
bool lacks_members(const Settings& settings) {
    return !settings.disabled.value_or(false) && !all_present(settings);
}

bool gates_barred_status(const ProbeSettings& probe) {
    const Statuses gate = probe.gate_statuses.value_or(Statuses{});
    return std::any_of(gate.begin(), gate.end(), may_never_gate);
}

template <std::size_t size>
void append_broken(const AdmissionRule (&rules)[size], const char* field, Admission& admission) {
    for (const AdmissionRule& rule : rules) {
        if (rule.broken) {
            admission.rules.push_back({rule.message, field});
        }
    }
}

void append_rules(const ProbeSettings& s, Admission& admission) {
    const AdmissionRule rules[] = {
        {stands_not_alone(s), "disabled must not be combined with probe configuration fields"},
        {lacks_members(s),
         "an enabled probe must specify path, method, acceptStatuses, gateStatuses, period, "
         "timeout, failureThreshold, successThreshold, and allFailedPolicy"},
        {not_positive(s.period), "period must be positive"},
        {not_positive(s.timeout), "timeout must be positive"},
        {both(s.timeout, s.period, std::greater_equal<>()), "timeout must be shorter than period"},
        {gates_barred_status(s), "gateStatuses must not contain 401, 403, or 429"},
    };
    append_broken(rules, "spec.routing.probe", admission);
}

void append_rules(const CapacitySettings& s, Admission& admission) {
    const AdmissionRule rules[] = {
        {stands_not_alone(s), "disabled must not be combined with capacity configuration fields"},
        {lacks_members(s),
         "an enabled capacity poll must specify path, method, format, period, timeout, samples, "
         "quorum, and maxAge"},
        {not_positive(s.period), "period must be positive"},
        {not_positive(s.timeout), "timeout must be positive"},
        {both(s.timeout, s.period, std::greater_equal<>()), "timeout must be shorter than period"},
        {both(s.max_age, s.period, std::less<>()), "maxAge must be at least period"},
        {s.quorum && s.samples && *s.quorum > *s.samples, "quorum must not exceed samples"},
    };
    append_broken(rules, "spec.routing.capacity", admission);
}

// The API server counts characters, not bytes.
std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

bool bad_option(const std::pair<const std::string, std::string>& option) {
    return option.first.empty() || characters(option.first) > 128 || option.second.empty() ||
           characters(option.second) > 4096;
}

void append_rules(const Options& options, Admission& admission) {
    const AdmissionRule rules[] = {
        {std::any_of(options.begin(), options.end(), bad_option),
         "publisher option keys must contain 1-128 characters and values must contain 1-4096 "
         "characters"},
    };
    append_broken(rules, "spec.routing.publisher", admission);
}

template <typename Block>
void append(const std::optional<Block>& block, Admission& admission) {
    if (block) {
        append_rules(*block, admission);
        append_facets(*block, admission.facets);
    }
}

}  // namespace

Admission admission(const ServiceRoutingSettings& routing) {
    Admission found;
    append_factor_facets(routing.capacity_factors, found.facets);
    append(routing.probe, found);
    append(routing.capacity, found);
    append(routing.publisher_options, found);
    return found;
}

}  // namespace ome::core
