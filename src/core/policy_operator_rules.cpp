// contract/observer.md 13.3: the field rules of the operator's blocks.
#include "policy_questions.hpp"
#include <ome/core/policy_rules.hpp>

namespace ome::core {
namespace {

using namespace questions;

// In list order a status may be out of range or barred; the first of either kind decides.
std::optional<std::int64_t> first_bad_gate(const ProbeValues& values) {
    const auto found = std::find_if(values.gate.begin(), values.gate.end(), [](auto status) {
        return !is_http_status(status) || may_never_gate(status);
    });
    return found == values.gate.end() ? std::nullopt : std::optional(*found);
}

Broken bad_gate(const ProbeValues& values) {
    const auto status = first_bad_gate(values);
    return status && !is_http_status(*status) ? status : std::nullopt;
}

Broken barred_gate(const ProbeValues& values) {
    const auto status = first_bad_gate(values);
    return status && may_never_gate(*status) ? status : std::nullopt;
}

Broken accepted_and_gated(const ProbeValues& values) {
    const auto found = std::find_if(values.accept.begin(),
                                    values.accept.end(),
                                    [&values](auto status) { return holds(values.gate, status); });
    return found == values.accept.end() ? std::nullopt : std::optional(*found);
}

Broken unregistered_format(const CapacityValues& values) {
    return broken_if(values.format != report_format);
}

Broken unwanted_options(const CapacityValues& values) {
    return broken_if(!values.options.empty());
}

constexpr Rule<ProbeValues> probe_rules[] = {
    {"path", relative_path, "{b}.path {path} must begin with \"/\""},
    {"method", no_method, "{b}.method is required{when}"},
    {"method", unknown_method, "{b}.method {method} must be GET, HEAD, or POST"},
    {"acceptStatuses", no_accept, "{b}.acceptStatuses is required{when}"},
    {"gateStatuses", no_gate, "{b}.gateStatuses is required{when}"},
    {"acceptStatuses", bad_accept, "{b}.acceptStatuses contains invalid HTTP status {n}"},
    {"gateStatuses", bad_gate, "{b}.gateStatuses contains invalid HTTP status {n}"},
    {"gateStatuses", barred_gate, "{b}.gateStatuses must not contain {n}"},
    {"", accepted_and_gated, "{b}: status {n} is in both acceptStatuses and gateStatuses"},
    {"period", no_period, "{b}.period must be positive{when}"},
    {"timeout", no_timeout, "{b}.timeout must be positive{when}"},
    {"timeout",
     timeout_not_shorter,
     "{b}.timeout ({timeout}) must be shorter than {b}.period ({period})"},
    {"failureThreshold", no_failure_threshold, "{b}.failureThreshold must be positive{when}"},
    {"successThreshold", no_success_threshold, "{b}.successThreshold must be positive{when}"},
    {"allFailedPolicy",
     unknown_policy,
     "{b}.allFailedPolicy {policy} must be \"PreserveTraffic\" or \"Drain\"{when}"},
};

constexpr Rule<CapacityValues> capacity_rules[] = {
    {"path", relative_path, "{b}.path {path} must begin with \"/\""},
    {"method", no_method, "{b}.method is required{when}"},
    {"format", no_format, "{b}.format is required{when}"},
    {"method", unknown_method, "{b}.method {method} must be GET, HEAD, or POST"},
    {"period", no_period, "{b}.period must be positive{when}"},
    {"timeout", no_timeout, "{b}.timeout must be positive{when}"},
    {"timeout",
     timeout_not_shorter,
     "{b}.timeout ({timeout}) must be shorter than {b}.period ({period})"},
    {"maxAge", no_age, "{b}.maxAge must be positive{when}"},
    {"samples", no_samples, "{b}.samples must be positive{when}"},
    {"quorum", no_quorum, "{b}.quorum must be positive{when}"},
    {"quorum",
     quorum_above_samples,
     "{b}.quorum ({quorum}) must not exceed {b}.samples ({samples})"},
    {"maxAge",
     age_short_of_quorum,
     "{b}.maxAge ({age}) must span at least quorum ({quorum}) {b}.period intervals"},
    {"maxAge", age_below_period, "{b}.maxAge ({age}) must be at least {b}.period ({period})"},
    {"format",
     unregistered_format,
     "{b}.format {format} is not registered in this build (available: [Report])"},
    {"options", unwanted_options, "{b}.options is not accepted for format \"Report\""},
};

template <typename Values, std::size_t size>
std::optional<Problem> unless_off(const Rule<Values> (&rules)[size],
                                  const Values& values,
                                  std::string_view block) {
    return values.path.empty() ? std::nullopt : first_problem(rules, values, block);
}

}  // namespace

std::vector<Problem> field_problems(const ProbeSettings& probe, std::string_view block) {
    const ProbeValues values = values_of(probe);
    return values.path.empty() ? std::vector<Problem>() : every_problem(probe_rules, values, block);
}

std::vector<Problem> field_problems(const CapacitySettings& capacity, std::string_view block) {
    const CapacityValues values = values_of(capacity);
    return values.path.empty() ? std::vector<Problem>()
                               : every_problem(capacity_rules, values, block);
}

std::optional<Problem> field_problem(const ProbeSettings& probe, std::string_view block) {
    return unless_off(probe_rules, values_of(probe), block);
}

std::optional<Problem> field_problem(const CapacitySettings& capacity, std::string_view block) {
    return unless_off(capacity_rules, values_of(capacity), block);
}

}  // namespace ome::core
