// Where the configuration of the routing part comes from, and what a new one does.
#include "app_state.hpp"
#include <ome/telemetry/log.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <tuple>
#include <utility>

namespace ome::controller {

namespace log = telemetry::log;

namespace {

// What is shown beside its place need not begin with it.
core::Problem without_place(core::Problem problem, const std::string& place) {
    if (problem.message.starts_with(place + ": ")) {
        problem.message.erase(0, place.size() + 2);
    }
    return problem;
}

}  // namespace

std::optional<core::Problem> App::State::follow_config_map() {
    auto access = kube::find_access(settings.store.access, kube::process_environment());
    if (!access) {
        return access.error();
    }
    if (auto trust = link_trust(); !trust) {
        return trust.error();
    }
    ConfigMapName where = settings.config_map;
    where.ns = where.ns.empty() ? access->ns : where.ns;
    config_map = std::make_unique<ConfigurationMap>(
        io,
        *std::move(access),
        std::move(where),
        ConfigurationMap::Listener{
            [this](core::Result<ReadConfiguration> read) { take_configuration(std::move(read)); },
            [this](const std::string& problem) { take_trouble(problem); }});
    view.source = config_map->text();
    view.problem = view.source + ": not read yet";
    return std::nullopt;
}

std::optional<core::Problem> App::State::build_configuration() {
    if (settings.config_file.empty()) {
        return follow_config_map();
    }
    view.source = settings.config_file;
    view.routing_off = settings.routing_off;
    view.warnings = settings.config_warnings;
    told_warnings = settings.config_warnings;
    configuration = std::make_unique<ConfigurationFile>(
        io, settings.config_file, settings.config_interval, [this](auto read) {
            take_configuration(std::move(read));
        });
    return build_engine();
}

// A slip in the name of a member is a change like another, and may cost every map.
void App::State::tell_warnings(const std::vector<std::string>& warnings) {
    if (warnings == told_warnings) {
        return;
    }
    for (const std::string& warning : warnings) {
        log::warn("settings", {{"warning", warning}});
    }
    told_warnings = warnings;
}

void App::State::tell_changes(const ReadConfiguration& read,
                              const std::vector<std::string>& changes) const {
    const bool off = settings.configuration.routing.enabled.value_or(false) &&
                     !read.all.routing.enabled.value_or(false);
    if (off) {
        const auto maps = engine->reconciler().counts(net::read_clock()).maps;
        log::warn("routing is turned off: the maps are deleted, and the routes with them",
                  {{"maps", maps}, {"because", read.routing_off}});
    }
    log::info("the configuration has changed, the routing part starts anew",
              {{"changes", fmt::format("{}", fmt::join(changes, "; "))}});
}

// Told once for each change of what is there.
void App::State::refuse_configuration(const core::Problem& problem) {
    view.problem = problem.message;
    refused = true;
    log::error(engine == nullptr ? "the configuration cannot be used, waiting for one that can"
                                 : "the configuration cannot be used, what was in force stays",
               {{"problem", problem.message}});
    if (engine == nullptr) {
        return;
    }
    engine->complain(view.source, without_place(problem, view.source));
    if (config_map != nullptr && !config_map->uid().empty()) {
        engine->remark({.key = {config_map->where().ns, config_map->where().name},
                        .service_uid = {},
                        .warning = true,
                        .reason = "InvalidConfiguration",
                        .message = fmt::format("{}; what was in force stays", problem.message),
                        .at = net::read_clock().wall,
                        .config_map_uid = config_map->uid()});
    }
}

void App::State::give_up(const core::Problem& problem) {
    log::error("the routing part cannot start", {{"problem", problem.message}});
    failed = true;
    std::ignore = std::raise(SIGTERM);
}

void App::State::begin_with(ReadConfiguration read) {
    settings.configuration = std::move(read.all);
    if (const auto problem = build_engine()) {
        give_up(*problem);
        return;
    }
    begin();
}

// What is in force stays, of course: nothing is known of what is there.
void App::State::take_trouble(const std::string& problem) {
    if (engine == nullptr) {
        view.problem = problem;
    }
}

void App::State::take_configuration(core::Result<ReadConfiguration> read) {
    if (stopping) {
        return;
    }
    if (!read) {
        refuse_configuration(read.error());
        return;
    }
    if (engine != nullptr) {
        if (const auto problem = half_written(view.source, settings.configuration, *read)) {
            refuse_configuration(*problem);
            return;
        }
    }
    view.problem.clear();
    view.routing_off = read->routing_off;
    view.warnings = read->warnings;
    tell_warnings(read->warnings);
    if (std::exchange(refused, false)) {
        log::info("the configuration can be used again", {{"from", view.source}});
    }
    if (engine == nullptr) {
        begin_with(*std::move(read));
        return;
    }
    engine->complain(view.source, std::nullopt);
    const auto changes = core::configuration_changes(settings.configuration, read->all);
    if (changes.empty()) {
        return;
    }
    tell_changes(*read, changes);
    settings.configuration = std::move(read->all);
    if (!stopping && !std::exchange(restarting, true)) {
        tasks.spawn(start_anew());
    }
}

}  // namespace ome::controller
