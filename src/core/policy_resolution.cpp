#include "policy_bounds.hpp"
#include "policy_rule.hpp"
#include <ome/core/policy_resolution.hpp>
#include <ome/core/policy_rules.hpp>

#include <fmt/format.h>

namespace ome::core {
namespace {

std::vector<std::int32_t> narrow(const Statuses& statuses) {
    std::vector<std::int32_t> narrowed;
    for (const std::int64_t status : statuses) {
        narrowed.push_back(static_cast<std::int32_t>(status));
    }
    return narrowed;
}

// The block that counts, and whose it is.
template <typename Settings>
struct Effective {
    Settings settings;
    bool own = false;
};

template <typename Settings>
Result<Effective<Settings>> effective(const Settings& installed,
                                      const std::optional<Settings>& own) {
    if (!own) {
        return Effective<Settings>{installed, false};
    }
    if (std::optional<Problem> problem = shape_problem(*own)) {
        return *problem;
    }
    return Effective<Settings>{*own, true};
}

Problem with_prefix(std::string_view prefix, const Problem& problem) {
    return {fmt::format("{}{}", prefix, problem.message),
            fmt::format("{}{}", prefix, problem.field)};
}

Problem in_stage(std::string_view stage, const Problem& problem) {
    return {fmt::format("{}: {}", stage, problem.message), problem.field};
}

template <typename Settings>
std::optional<Problem> installed_problem(const Settings& settings,
                                         std::string_view block,
                                         const RoutingSettings& installation) {
    if (std::optional<Problem> problem = field_problem(settings, block)) {
        return problem;
    }
    if (settings.path.value_or("").empty()) {
        return std::nullopt;
    }
    const Bounds bounds{"routing.observer",
                        duration_or_zero(installation.observer.min_period),
                        installation.observer.max_samples.value_or(0)};
    return bounds_problem(values_of(settings), block, bounds);
}

template <typename Policy, typename Settings>
Result<std::optional<Policy>> resolve(const RoutingSettings& installation,
                                      bool opted_out,
                                      const Settings& installed,
                                      const std::optional<Settings>& own,
                                      std::string_view block) {
    const Result<Effective<Settings>> chosen = effective(installed, own);
    if (!chosen) {
        return chosen.error();
    }
    if ((chosen->own && chosen->settings.disabled.value_or(false)) ||
        !installation.enabled.value_or(false) || opted_out) {
        return std::optional<Policy>();
    }
    if (std::optional<Problem> problem = installed_problem(chosen->settings, block, installation)) {
        return chosen->own ? with_prefix("spec.", *problem) : *problem;
    }
    if (chosen->settings.path.value_or("").empty()) {
        return std::optional<Policy>();
    }
    return std::optional<Policy>(unchecked_policy(chosen->settings));
}

bool opts_out(const ServiceRoutingSettings* service) {
    return service != nullptr && !service->enabled.value_or(true);
}

// Texts that are no durations, then a path that is missing, then 13.3, then the observer's bounds.
template <typename Settings>
std::optional<Problem> declared_problem(const Settings& settings,
                                        std::string_view block,
                                        const ObserverLimits& limits) {
    for (const Problem& problem : duration_problems(settings, block)) {
        return problem;
    }
    if (settings.path.value_or("").empty()) {
        return Problem{fmt::format("{}.path is required", block), field_of(block, "path")};
    }
    if (std::optional<Problem> problem = field_problem(settings, block)) {
        return problem;
    }
    return bounds_problem(
        values_of(settings), block, {"observer", limits.min_period, limits.max_samples});
}

template <typename Policy, typename Settings>
Result<Policy> declared(const Settings& settings,
                        std::string_view block,
                        const ObserverLimits& limits) {
    if (std::optional<Problem> problem = declared_problem(settings, block, limits)) {
        return *problem;
    }
    return unchecked_policy(settings);
}

}  // namespace

ProbePolicy unchecked_policy(const ProbeSettings& probe) {
    const ProbeValues values = values_of(probe);
    ProbePolicy policy{
        .path = values.path,
        .method = parse_method(values.method).value_or(Method::Get),
        .accept_statuses = narrow(values.accept),
        .gate_statuses = narrow(values.gate),
        .period = values.period,
        .timeout = values.timeout,
        .failure_threshold = static_cast<std::int32_t>(values.failure_threshold),
        .success_threshold = static_cast<std::int32_t>(values.success_threshold),
        .all_failed_policy = parse_all_failed_policy(values.all_failed_policy)
                                 .value_or(AllFailedPolicy::PreserveTraffic),
        .digest = {},
    };
    policy.digest = digest_of(policy);
    return policy;
}

CapacityPolicy unchecked_policy(const CapacitySettings& capacity) {
    const CapacityValues values = values_of(capacity);
    CapacityPolicy policy{
        .path = values.path,
        .method = parse_method(values.method).value_or(Method::Get),
        .format = values.format,
        .options = values.options,
        .period = values.period,
        .timeout = values.timeout,
        .samples = static_cast<std::int32_t>(values.samples),
        .quorum = static_cast<std::int32_t>(values.quorum),
        .max_age = values.max_age,
        .digest = {},
    };
    policy.digest = digest_of(policy);
    return policy;
}

Result<std::optional<ProbePolicy>> resolve_probe(const RoutingSettings& installation,
                                                 const ServiceRoutingSettings* service) {
    const std::optional<ProbeSettings> own = service ? service->probe : std::nullopt;
    return resolve<ProbePolicy>(
        installation, opts_out(service), installation.probe, own, "routing.probe");
}

Result<std::optional<CapacityPolicy>> resolve_capacity(const RoutingSettings& installation,
                                                       const ServiceRoutingSettings* service) {
    const std::optional<CapacitySettings> own = service ? service->capacity : std::nullopt;
    return resolve<CapacityPolicy>(
        installation, opts_out(service), installation.capacity, own, "routing.capacity");
}

Result<Policies> resolve_policies(const RoutingSettings& installation,
                                  const ServiceRoutingSettings* service) {
    if (service != nullptr) {
        if (std::optional<Problem> problem = shape_problem(*service)) {
            return in_stage("validate routing policy", *problem);
        }
    }
    const auto probe = resolve_probe(installation, service);
    if (!probe) {
        return in_stage("resolve probe policy", probe.error());
    }
    const auto capacity = resolve_capacity(installation, service);
    if (!capacity) {
        return in_stage("resolve capacity policy", capacity.error());
    }
    return Policies{*probe, *capacity};
}

Result<ProbePolicy> declared_probe(const ProbeSettings& probe, const ObserverLimits& limits) {
    return declared<ProbePolicy>(probe, "probe", limits);
}

Result<CapacityPolicy> declared_capacity(const CapacitySettings& capacity,
                                         const ObserverLimits& limits) {
    return declared<CapacityPolicy>(capacity, "capacity", limits);
}

}  // namespace ome::core
