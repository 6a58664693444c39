// contract/observer.md 13.4: the shape of `spec.routing` at run time.
#include "policy_questions.hpp"
#include <ome/core/policy_rules.hpp>
#include <ome/core/quantity.hpp>
#include <ome/core/text.hpp>
#include <ome/core/utf8.hpp>

#include <fmt/format.h>

namespace ome::core {
namespace {

using namespace questions;

constexpr std::string_view probe_block = "spec.routing.probe";
constexpr std::string_view capacity_block = "spec.routing.capacity";
constexpr std::string_view options_field = "spec.routing.publisher.options";
constexpr std::size_t max_options = 32;
constexpr std::size_t max_key_bytes = 128;
constexpr std::size_t max_value_bytes = 4096;

// Here the gate list alone decides the order, the overlap included.
std::optional<std::int64_t> first_bad_gate(const ProbeValues& values) {
    const auto found = std::find_if(values.gate.begin(), values.gate.end(), [&values](auto status) {
        return !is_http_status(status) || may_never_gate(status) || holds(values.accept, status);
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
    return first_bad_gate(values);  // the two above have had their turn
}

constexpr Rule<ProbeValues> probe_rules[] = {
    {"path", no_path, "{b}.path is required"},
    {"path", relative_path, "{b}.path {path} must begin with \"/\""},
    {"method", no_method, "{b}.method is required"},
    {"method", unknown_method, "{b}.method {method} must be GET, HEAD, or POST"},
    {"acceptStatuses", no_accept, "{b}.acceptStatuses is required"},
    {"gateStatuses", no_gate, "{b}.gateStatuses is required"},
    {"acceptStatuses",
     bad_accept,
     "{b}.acceptStatuses contains invalid HTTP status {n}; statuses must be between 100 and 599"},
    {"gateStatuses",
     bad_gate,
     "{b}.gateStatuses contains invalid HTTP status {n}; statuses must be between 100 and 599"},
    {"gateStatuses", barred_gate, "{b}.gateStatuses must not contain {n}"},
    {"", accepted_and_gated, "{b} status {n} is in both acceptStatuses and gateStatuses"},
    {"period", no_period, "{b}.period must be positive"},
    {"timeout", no_timeout, "{b}.timeout must be positive"},
    {"timeout",
     timeout_not_shorter,
     "{b}.timeout ({timeout}) must be shorter than period ({period})"},
    {"failureThreshold", no_failure_threshold, "{b}.failureThreshold must be positive"},
    {"successThreshold", no_success_threshold, "{b}.successThreshold must be positive"},
    {"allFailedPolicy",
     unknown_policy,
     "{b}.allFailedPolicy {policy} must be \"PreserveTraffic\" or \"Drain\""},
};

constexpr Rule<CapacityValues> capacity_rules[] = {
    {"path", no_path, "{b}.path is required"},
    {"path", relative_path, "{b}.path {path} must begin with \"/\""},
    {"method", no_method, "{b}.method is required"},
    {"method", unknown_method, "{b}.method {method} must be GET, HEAD, or POST"},
    {"format", no_format, "{b}.format is required"},
    {"period", no_period, "{b}.period must be positive"},
    {"timeout", no_timeout, "{b}.timeout must be positive"},
    {"timeout",
     timeout_not_shorter,
     "{b}.timeout ({timeout}) must be shorter than period ({period})"},
    {"samples", no_samples, "{b}.samples must be positive"},
    {"quorum", no_quorum, "{b}.quorum must be positive"},
    {"quorum", quorum_above_samples, "{b}.quorum ({quorum}) must not exceed samples ({samples})"},
    {"maxAge", no_age, "{b}.maxAge must be positive"},
    {"maxAge", age_below_period, "{b}.maxAge ({age}) must be at least period ({period})"},
    {"maxAge",
     age_short_of_quorum,
     "{b}.maxAge ({age}) must span at least quorum ({quorum}) period intervals"},
};

template <typename Values, std::size_t size>
std::optional<Problem> shape(const Rule<Values> (&rules)[size],
                             bool disabled,
                             const Values& values,
                             std::string_view block,
                             std::string_view kind) {
    if (!disabled) {
        return first_problem(rules, values, block);
    }
    if (!sets_anything(values)) {
        return std::nullopt;
    }
    return Problem{
        fmt::format("{}.disabled must not be combined with {} configuration fields", block, kind),
        field_of(block, "disabled")};
}

std::optional<Problem> factor_problem(const std::string& cluster, const std::string& text) {
    const std::string field = fmt::format("spec.routing.capacityFactors[{}]", go_quote(cluster));
    const std::optional<Quantity> factor = parse_quantity(text);
    if (!factor) {
        return Problem{
            fmt::format(
                "{}: {} is not a quantity (use forms like \"2\", \"500m\")", field, go_quote(text)),
            field};
    }
    if (!factor->positive()) {
        return Problem{
            fmt::format("{} must be positive, got {}", field, go_quote(factor->canonical())),
            field};
    }
    return std::nullopt;
}

std::optional<std::string> option_fault(const std::string& key, const std::string& value) {
    if (is_blank(key)) {
        return fmt::format("{} contains an empty or whitespace-only key", options_field);
    }
    if (key.size() > max_key_bytes) {
        return fmt::format("{} key {} exceeds the 128-byte limit", options_field, go_quote(key));
    }
    if (is_blank(value)) {
        return fmt::format(
            "{}[{}] must not be empty or whitespace-only", options_field, go_quote(key));
    }
    if (value.size() > max_value_bytes) {
        return fmt::format(
            "{}[{}] exceeds the 4096-byte value limit", options_field, go_quote(key));
    }
    return std::nullopt;
}

std::optional<Problem> options_problem(const Options& options) {
    if (options.size() > max_options) {
        return Problem{
            fmt::format(
                "{} must contain at most 32 entries, got {}", options_field, options.size()),
            std::string(options_field)};
    }
    for (const auto& [key, value] : options) {
        if (std::optional<std::string> fault = option_fault(key, value)) {
            return Problem{std::move(*fault), std::string(options_field)};
        }
    }
    return std::nullopt;
}

template <typename Settings>
std::optional<Problem> unreadable(const std::optional<Settings>& settings, std::string_view block) {
    if (settings) {
        for (Problem& problem : duration_problems(*settings, block)) {
            return std::move(problem);
        }
    }
    return std::nullopt;
}

template <typename Settings>
std::optional<Problem> shape_of(const std::optional<Settings>& settings) {
    return settings ? shape_problem(*settings) : std::nullopt;
}

std::optional<Problem> factors_problem(const Options& factors) {
    for (const auto& [cluster, text] : factors) {
        if (std::optional<Problem> problem = factor_problem(cluster, text)) {
            return problem;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Problem> shape_problem(const ProbeSettings& probe) {
    return shape(
        probe_rules, probe.disabled.value_or(false), values_of(probe), probe_block, "probe");
}

std::optional<Problem> shape_problem(const CapacitySettings& capacity) {
    return shape(capacity_rules,
                 capacity.disabled.value_or(false),
                 values_of(capacity),
                 capacity_block,
                 "capacity");
}

std::optional<Problem> shape_problem(const ServiceRoutingSettings& routing) {
    if (std::optional<Problem> problem = unreadable(routing.probe, probe_block)) {
        return problem;
    }
    if (std::optional<Problem> problem = unreadable(routing.capacity, capacity_block)) {
        return problem;
    }
    if (std::optional<Problem> problem = factors_problem(routing.capacity_factors)) {
        return problem;
    }
    if (std::optional<Problem> problem = shape_of(routing.probe)) {
        return problem;
    }
    if (std::optional<Problem> problem = shape_of(routing.capacity)) {
        return problem;
    }
    return options_problem(routing.publisher_options.value_or(Options{}));
}

}  // namespace ome::core
