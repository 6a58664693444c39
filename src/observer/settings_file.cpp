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

core::RoutingSettings turned_on(core::RoutingSettings routing) {
    routing.enabled = true;
    routing.publisher = {};
    routing.publisher.resync_interval = "1m";
    return routing;
}

std::vector<core::Problem> problems_when_on(const core::RoutingSettings& routing) {
    return problems_of(turned_on(routing));
}

// Behind the rules, since a mistyped name is often why another member is missing.
core::Problem with_warnings(core::Problem problem, const std::vector<core::Problem>& warnings) {
    for (const core::Problem& warning : warnings) {
        problem.message += "\nwarning: " + warning.message;
    }
    return problem;
}

FileValues values_of(const core::ObserverSettings& observer) {
    FileValues values;
    values.limits_required = true;
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
    core::Result<wire::ConfigDocument> document = wire::read_config(*text, problems_when_on);
    if (!document) {
        return document.error();
    }
    document->routing = turned_on(std::move(document->routing));
    const std::vector<core::Problem> problems = problems_of(document->routing);
    if (!problems.empty() && !are_for_the_settings(problems, document->routing)) {
        return with_warnings(*core::as_configuration_error(problems), document->warnings);
    }
    ConfigFile file{values_of(document->routing.observer), {}};
    for (const core::Problem& warning : document->warnings) {
        file.warnings.push_back(warning.message);
    }
    return file;
}

}  // namespace ome::observer
