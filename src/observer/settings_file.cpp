#include "settings_file.hpp"

#include <ome/core/policy_rules.hpp>
#include <ome/net/text_file.hpp>
#include <ome/wire/config_document.hpp>
#include <ome/wire/document_kind.hpp>

namespace ome::observer {
namespace {

// With all five limits in the file the rules between limits and policies can be checked too;
// without, a flag or a variable may bring the rest.
bool has_all_limits(const core::ObserverSettings& observer) {
    return observer.max_concurrent_reconciles && observer.max_concurrent_requests &&
           observer.max_response_bytes && observer.min_period && observer.max_samples;
}

std::optional<core::Problem> problem_of(const core::RoutingSettings& routing) {
    if (has_all_limits(routing.observer)) {
        return core::configuration_error(routing);
    }
    const std::vector<core::Problem> texts = core::text_problems(routing);
    if (!texts.empty()) {
        return core::Problem{"invalid multi-cluster configuration: " + core::join_messages(texts),
                             texts[0].field};
    }
    std::optional<core::Problem> problem = core::field_problem(routing.probe, "routing.probe");
    if (!problem) {
        problem = core::field_problem(routing.capacity, "routing.capacity");
    }
    if (problem) {
        problem->message.insert(0, "invalid multi-cluster configuration: ");
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
    core::Result<wire::ConfigDocument> document = wire::read_config(*text);
    if (!document) {
        return document.error();
    }
    document->routing.enabled = true;
    document->routing.publisher = {};
    document->routing.publisher.resync_interval = "1m";
    if (std::optional<core::Problem> problem = problem_of(document->routing)) {
        return *problem;
    }
    ConfigFile file{values_of(document->routing.observer), {}};
    for (const core::Problem& warning : document->warnings) {
        file.warnings.push_back(warning.message);
    }
    return file;
}

}  // namespace ome::observer
