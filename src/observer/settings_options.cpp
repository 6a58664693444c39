#include "settings_options.hpp"

#include "settings_table.hpp"
#include <ome/core/setting_variables.hpp>
#include <ome/wire/json_document.hpp>
#include <ome/wire/settings_document.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace ome::observer {
namespace {

/// The configuration file as somebody named it.
struct NamedFile {
    std::string path;    ///< empty: none
    std::string origin;  ///< `--config` or the variable

    [[nodiscard]] std::string shown() const { return fmt::format("{} {}", origin, path); }
};

NamedFile config_file_of(const RawSettings& raw) {
    const auto found = raw.find("config");
    return found == raw.end() || found->second.texts.empty()
               ? NamedFile()
               : NamedFile{found->second.texts.front(), found->second.origin};
}

// The text of a load that failed ends with a blank (contract/observer.md 13.1), which is of no use
// to whoever reads it here.
void tell(Words& words, std::string_view what) {
    std::string told = fmt::format("ome-observer: {}\n", what);
    for (auto at = told.find(" \n"); at != told.npos; at = told.find(" \n")) {
        told.erase(at, 1);
    }
    words.err += told;
}

// Nothing is served, so there will be no log.
int end_with(int code, Words& words, const std::vector<core::Problem>& problems) {
    for (const std::string& warning : words.warnings) {
        tell(words, "warning: " + warning);
    }
    for (const core::Problem& problem : problems) {
        tell(words, problem.message);
        words.problems.push_back(problem.message);
    }
    return code;
}

// Of the flags and variables, which can be judged without the file.
void add_other_problems(const RawSettings& raw, std::vector<core::Problem>& problems) {
    auto checked = check_settings(raw);
    if (auto* others = std::get_if<std::vector<core::Problem>>(&checked)) {
        problems.insert(problems.end(), others->begin(), others->end());
    }
}

}  // namespace

void add_setting_options(CLI::App& app, ServeOptions& options) {
    for (const Setting& setting : settings_table()) {
        net::add_setting_option(app, setting_list().program, setting, options.flags);
    }
    CLI::Option* print_config =
        app.add_flag("--print-config",
                     options.print_config,
                     "Print every setting and where it comes from, and end");
    app.add_option("--output,-o", options.output, "Of --print-config: table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->needs(print_config);
}

std::variant<Settings, int> prepare_settings(const ServeOptions& options,
                                             const Environment& environment,
                                             const FileReader& read_file,
                                             Words& words) {
    constexpr int bad_configuration = 78;
    RawSettings raw = resolve_settings(options.flags, environment, std::nullopt);
    for (core::Problem& problem : core::unknown_variables(setting_list(), options.variables)) {
        words.warnings.push_back(std::move(problem.message));
    }
    const NamedFile config = config_file_of(raw);
    if (!config.path.empty()) {
        words.config_file = config.shown();
        const auto file = read_file(config.path);
        if (!file) {
            std::vector<core::Problem> problems{
                {fmt::format("{}: {}", config.shown(), file.error().message), "config"}};
            add_other_problems(raw, problems);
            return end_with(bad_configuration, words, problems);
        }
        for (const std::string& warning : file->warnings) {
            words.warnings.push_back(fmt::format("{}: {}", config.shown(), warning));
        }
        raw = resolve_settings(options.flags, environment, file->values);
    }
    if (options.print_config) {
        const auto rows = core::settings_in_force(setting_list(), raw, config.path);
        words.out += options.output == "json" ? wire::to_text(wire::settings_document(rows)) + "\n"
                                              : core::print_settings_table(rows);
    }
    auto checked = check_settings(raw);
    if (const auto* problems = std::get_if<std::vector<core::Problem>>(&checked)) {
        return end_with(bad_configuration, words, *problems);
    }
    if (options.print_config) {
        return end_with(0, words, {});
    }
    Settings settings = std::get<Settings>(std::move(checked));
    settings.in_force = core::settings_in_force(setting_list(), raw, config.path);
    return settings;
}

}  // namespace ome::observer
