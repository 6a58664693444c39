// contract/observer.md 13.1: the operator's configuration as a whole.
#include "policy_bounds.hpp"
#include <ome/core/policy_rules.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::core {
namespace {

template <typename Settings>
std::optional<Problem> block_problem(const Settings& settings,
                                     std::string_view block,
                                     const Bounds& bounds) {
    if (settings.path.value_or("").empty()) {
        return std::nullopt;
    }
    if (std::optional<Problem> problem = field_problem(settings, block)) {
        return problem;
    }
    return bounds_problem(values_of(settings), block, bounds);
}

}  // namespace

std::optional<Problem> rule_problem(const RoutingSettings& routing) {
    if (!routing.enabled.value_or(false)) {
        return std::nullopt;
    }
    const Result<ObserverLimits> limits = check_limits(routing.observer);
    if (!limits) {
        return limits.error();
    }
    const Bounds bounds{"routing.observer", limits->min_period, limits->max_samples};
    if (std::optional<Problem> problem = block_problem(routing.probe, "routing.probe", bounds)) {
        return problem;
    }
    return block_problem(routing.capacity, "routing.capacity", bounds);
}

std::vector<Problem> configuration_problems(const RoutingSettings& routing) {
    std::vector<Problem> problems = text_problems(routing);
    if (problems.empty()) {
        if (std::optional<Problem> problem = rule_problem(routing)) {
            problems.push_back(std::move(*problem));
        }
    }
    return problems;
}

std::vector<Problem> every_configuration_problem(const RoutingSettings& routing) {
    std::vector<Problem> problems = configuration_problems(routing);
    if (!routing.enabled.value_or(false)) {
        return problems;
    }
    const auto add = [&problems](std::vector<Problem> more) {
        for (Problem& one : more) {
            const bool known = std::any_of(problems.begin(), problems.end(), [&](const Problem& p) {
                return p.field == one.field;
            });
            if (!known) {
                problems.push_back(std::move(one));
            }
        }
    };
    add(limit_problems(routing.observer));
    add(field_problems(routing.probe, "routing.probe"));
    add(field_problems(routing.capacity, "routing.capacity"));
    return problems;
}

std::optional<Problem> configuration_error(const RoutingSettings& routing) {
    return as_configuration_error(configuration_problems(routing));
}

std::optional<Problem> as_configuration_error(const std::vector<Problem>& problems) {
    if (problems.empty()) {
        return std::nullopt;
    }
    return Problem{"invalid multi-cluster configuration: " + join_messages(problems),
                   problems.front().field};
}

std::optional<Problem> publisher_problem(const PublisherSettings& publisher) {
    const std::string name = publisher.name.value_or("");
    if (!name.empty() && name != built_in_publisher) {
        return Problem{
            fmt::format("TrafficMap publisher {} is not compiled into this manager (available: [])",
                        go_quote(name)),
            "routing.publisher.name"};
    }
    const Options options = publisher.options.value_or(Options{});
    if (options.empty()) {
        return std::nullopt;
    }
    std::vector<std::string> keys;
    for (const auto& [key, value] : options) {
        keys.push_back(key);
    }
    return Problem{
        fmt::format("configure built-in Gateway API publisher: Gateway API publisher does not "
                    "accept global options: {}",
                    fmt::join(keys, ", ")),
        "routing.publisher.options"};
}

std::string join_messages(const std::vector<Problem>& problems) {
    std::string joined;
    for (const Problem& problem : problems) {
        joined += joined.empty() ? "" : "\n";
        joined += problem.message;
    }
    return joined;
}

}  // namespace ome::core
