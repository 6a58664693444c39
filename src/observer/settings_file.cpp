#include "settings_file.hpp"

#include <ome/core/policy_rules.hpp>
#include <ome/net/text_file.hpp>
#include <ome/wire/config_document.hpp>
#include <ome/wire/document_kind.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace ome::observer {
namespace {

struct Limit {
    std::string_view field;
    bool given;
};

std::array<Limit, 5> limits_of(const core::ObserverSettings& observer) {
    return {{{"routing.observer.maxConcurrentReconciles", !!observer.max_concurrent_reconciles},
             {"routing.observer.maxConcurrentRequests", !!observer.max_concurrent_requests},
             {"routing.observer.maxResponseBytes", !!observer.max_response_bytes},
             {"routing.observer.minPeriod", !!observer.min_period},
             {"routing.observer.maxSamples", !!observer.max_samples}}};
}

// A file that holds only some of the limits says nothing of the others: a flag or a variable may
// bring them.
std::vector<core::Problem> problems_of(const core::RoutingSettings& routing) {
    std::vector<core::Problem> problems = core::every_configuration_problem(routing);
    const auto limits = limits_of(routing.observer);
    std::erase_if(problems, [&limits](const core::Problem& problem) {
        return std::any_of(limits.begin(), limits.end(), [&problem](const Limit& limit) {
            return !limit.given && limit.field == problem.field;
        });
    });
    return problems;
}

// A flag or a variable may also be laid over a limit of such a file; then it is the setting in
// force that is judged.
bool are_for_the_settings(const std::vector<core::Problem>& problems,
                          const core::RoutingSettings& routing) {
    const auto limits = limits_of(routing.observer);
    const auto given = [](const Limit& limit) { return limit.given; };
    const auto of_a_limit = [&limits](const core::Problem& problem) {
        return std::any_of(limits.begin(), limits.end(), [&problem](const Limit& limit) {
            return limit.field == problem.field;
        });
    };
    return !std::all_of(limits.begin(), limits.end(), given) &&
           core::text_problems(routing).empty() &&
           std::all_of(problems.begin(), problems.end(), of_a_limit);
}

bool is_off(const core::RoutingSettings& routing) {
    return routing.enabled == std::optional(false);
}

// The publisher's members are the controller's. Without `enabled` a file that holds limits is
// meant.
core::RoutingSettings as_the_observer_sees(core::RoutingSettings routing) {
    routing.enabled = !is_off(routing);
    routing.publisher = {};
    routing.publisher.resync_interval = "1m";
    return routing;
}

// A file that turns routing off may be one that is being prepared (contract/publisher-cli.md Part
// 3, 3.2): its limits are judged when it turns routing on.
std::vector<core::Problem> problems_in_force(const core::RoutingSettings& routing) {
    const core::RoutingSettings seen = as_the_observer_sees(routing);
    return is_off(routing) ? core::every_configuration_problem(seen) : problems_of(seen);
}

// Nothing will be declared while routing is off, so that any limits do: the defaults stand in for
// those that could not be taken.
std::vector<core::Problem> leave_out_broken_limits(core::ObserverSettings& observer) {
    std::vector<core::Problem> warnings = core::limit_problems(observer);
    std::erase_if(warnings, [limits = limits_of(observer)](const core::Problem& problem) {
        return std::none_of(limits.begin(), limits.end(), [&problem](const Limit& limit) {
            return limit.given && limit.field == problem.field;
        });
    });
    const auto leave_out = [](auto& limit) {
        if (limit && *limit <= 0) {
            limit.reset();
        }
    };
    leave_out(observer.max_concurrent_reconciles);
    leave_out(observer.max_concurrent_requests);
    leave_out(observer.max_response_bytes);
    leave_out(observer.max_samples);
    for (core::Problem& warning : warnings) {
        warning.message += "; it is not, and the default stands in";
    }
    return warnings;
}

// Behind the rules, since a mistyped name is often why another member is missing.
core::Problem with_warnings(core::Problem problem, const std::vector<core::Problem>& warnings) {
    for (const core::Problem& warning : warnings) {
        problem.message += "\nwarning: " + warning.message;
    }
    return problem;
}

FileValues values_of(const core::ObserverSettings& observer, bool required) {
    FileValues values;
    values.limits_required = required;
    const auto put = [&values](const char* name, const auto& value) {
        if (value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(*value)>, std::string>) {
                values.texts[name] = *value;
            } else {
                values.texts[name] = std::to_string(*value);
            }
        }
    };
    put("max-concurrent-reconciles", observer.max_concurrent_reconciles);
    put("max-concurrent-requests", observer.max_concurrent_requests);
    put("max-response-bytes", observer.max_response_bytes);
    put("min-period", observer.min_period);
    put("max-samples", observer.max_samples);
    return values;
}

core::Problem without_path(std::string message, const std::string& path) {
    if (message.starts_with(path + ": ")) {
        message.erase(0, path.size() + 2);
    }
    return {std::move(message)};
}

}  // namespace

core::Result<ConfigFile> read_settings_file(const std::string& path) {
    const core::Result<std::string> text = net::read_text_file(path);
    if (!text) {
        return without_path(text.error().message, path);
    }
    if (auto problem = wire::other_than_configuration(*text)) {
        return *std::move(problem);
    }
    core::Result<wire::ConfigDocument> document = wire::read_config(*text, problems_in_force);
    if (!document) {
        return document.error();
    }
    document->routing = as_the_observer_sees(std::move(document->routing));
    core::RoutingSettings& routing = document->routing;
    const std::vector<core::Problem> problems = problems_in_force(routing);
    if (!problems.empty() && (is_off(routing) || !are_for_the_settings(problems, routing))) {
        return with_warnings(*core::as_configuration_error(problems), document->warnings);
    }
    if (is_off(routing)) {
        for (core::Problem& warning : leave_out_broken_limits(routing.observer)) {
            document->warnings.push_back(std::move(warning));
        }
    }
    ConfigFile file{values_of(routing.observer, !is_off(routing)), {}};
    for (const core::Problem& warning : document->warnings) {
        file.warnings.push_back(warning.message);
    }
    return file;
}

}  // namespace ome::observer
