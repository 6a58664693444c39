// `ome-trafficmap render`
#include "render_command.hpp"

#include "commands.hpp"
#include "map_table.hpp"
#include "render.hpp"
#include "render_files.hpp"
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/net/text_file.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>

namespace ome::controller {
namespace {

constexpr int failure = 1;
constexpr int usage_error = 2;
constexpr int bad_configuration = 78;

class Rendering {
public:
    Rendering(const RenderOptions& options, std::istream& standard_input, core::WallTime now)
        : options_(options), standard_input_(standard_input), now_(now) {}

    RenderOutcome run() {
        if (read_time() && read_configuration()) {
            read_files();
            render_all();
            print();
        }
        return std::move(outcome_);
    }

private:
    void fail(int code, const std::string& message) {
        outcome_.exit_code = std::max(outcome_.exit_code, code);
        outcome_.err += fmt::format("error: {}\n", message);
    }

    bool read_time() {
        if (options_.now.empty()) {
            return true;
        }
        const std::optional<core::WallTime> now = core::parse_timestamp(options_.now);
        if (!now) {
            fail(usage_error,
                 fmt::format("--now {} must be an RFC 3339 time with a zone, such as "
                             "2026-09-28T10:00:00Z",
                             core::go_quote(options_.now)));
            return false;
        }
        now_ = *now;
        return true;
    }

    bool read_configuration() {
        if (options_.config.empty()) {
            return true;
        }
        const core::Result<std::string> text =
            net::read_text_input(options_.config, standard_input_);
        if (!text) {
            fail(failure, text.error().message);
            return false;
        }
        core::Result<core::RoutingSettings> read = read_installation(*text);
        if (!read) {
            fail(bad_configuration, fmt::format("{}: {}", options_.config, read.error().message));
            return false;
        }
        installation_ = *std::move(read);
        return true;
    }

    void read_each(const std::vector<std::string>& names,
                   void (RenderFiles::*take)(const std::string&, std::string_view)) {
        for (const std::string& name : names) {
            if (const auto text = net::read_text_input(name, standard_input_)) {
                (files_.*take)(name == "-" ? "<stdin>" : name, *text);
            } else {
                fail(failure, text.error().message);
            }
        }
    }

    void read_files() {
        read_each(options_.isvc, &RenderFiles::take_services);
        read_each(options_.readings, &RenderFiles::take_readings);
        read_each(options_.maps, &RenderFiles::take_maps);
        for (const std::string& warning : files_.warnings) {
            outcome_.err += fmt::format("warning: {}\n", warning);
        }
        for (const std::string& problem : files_.problems) {
            fail(failure, problem);
        }
    }

    void render_all() {
        rendered_.reserve(files_.services.size());
        for (const routing::InferenceService& service : files_.services) {
            render_one(service);
        }
    }

    void render_one(const routing::InferenceService& service) {
        const std::string name = fmt::format("{}/{}", service.key.ns, service.key.name);
        const auto& unusable = files_.unusable;
        if (std::find(unusable.begin(), unusable.end(), service.key) != unusable.end()) {
            fail(failure, name + ": its stored map cannot be read");
            return;
        }
        const auto reading = files_.readings.find(service.key);
        const auto stored = files_.maps.find(service.key);
        core::Result<Rendered> one =
            render(service,
                   {.installation = installation_,
                    .reading = reading == files_.readings.end() ? nullptr : &reading->second,
                    .stored = stored == files_.maps.end() ? nullptr : &stored->second,
                    .now = now_});
        if (!one) {
            fail(failure,
                 fmt::format("{}{}{}",
                             name,
                             one.error().message.starts_with("is not") ? " " : ": ",
                             one.error().message));
            return;
        }
        if (options_.explain) {
            explain(name, service, *one);
        }
        rendered_.push_back(std::move(one->map));
    }

    void explain(const std::string& name,
                 const routing::InferenceService& service,
                 const Rendered& one) {
        const routing::Explanation explanation =
            routing::explain(service, one.routed, one.observations);
        explanation_ += fmt::format("{}: {}\n", name, explanation.routable);
        for (const routing::HomeExplanation& home : explanation.homes) {
            explanation_ += fmt::format("  {}\n", home.text);
        }
    }

    // In a document there is no place for the explanation.
    void print() {
        if (options_.output == "table") {
            outcome_.out = table();
            outcome_.out += options_.explain ? "\n" + explanation_ : "";
            return;
        }
        outcome_.out = options_.output == "json" ? wire::traffic_maps_json(rendered_)
                                                 : wire::traffic_maps_yaml(rendered_);
        outcome_.err += explanation_;
    }

    [[nodiscard]] std::string table() const {
        std::vector<core::Row> rows{map_table_heading()};
        for (const routing::TrafficMap& map : rendered_) {
            for (core::Row& row : map_table_rows(map)) {
                rows.push_back(std::move(row));
            }
        }
        return core::align(rows, options_.color);
    }

    const RenderOptions& options_;
    std::istream& standard_input_;
    core::WallTime now_;
    core::RoutingSettings installation_ = chart_installation();
    RenderFiles files_;
    std::vector<routing::TrafficMap> rendered_;
    std::string explanation_;
    RenderOutcome outcome_;
};

core::WallTime time_of_day() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    const auto count = std::chrono::duration_cast<core::Duration>(since).count();
    return {count / 1'000'000'000, static_cast<std::int32_t>(count % 1'000'000'000)};
}

bool color_wanted() {
    const char* no_color = std::getenv("NO_COLOR");
    return ::isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

// Not fmt::print: a reader that has left would make it throw.
bool put(std::FILE* to, const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), to) == text.size() && std::fflush(to) == 0;
}

int render_and_print(const RenderOptions& options) {
    const RenderOutcome outcome = run_render(options, std::cin, time_of_day());
    const bool told = put(stderr, outcome.err);
    const bool printed = put(stdout, outcome.out);
    return told && printed ? outcome.exit_code : std::max(outcome.exit_code, failure);
}

constexpr const char* footer =
    "Nothing is written: the maps go to standard output, several of them as a List in input "
    "order.\n"
    "A service that is not routed, or that the controller would freeze, is an error; the others "
    "are\n"
    "printed all the same. In a reading, a missing policyDigest counts as matching, and a missing\n"
    "`conclusive` is true when the result is Passing or Failing. Without a reading a home has no\n"
    "capacity report yet, and the gate that --map holds for it.\n"
    "\n"
    "Examples:\n"
    "  ome-trafficmap render --isvc isvc.yaml -o table --explain\n"
    "  kubectl get isvc -A -o json | ome-trafficmap render --isvc - --map maps.json\n"
    "  curl -s localhost:7460/v1/services | ome-trafficmap render --isvc isvc.yaml --readings -\n"
    "\n"
    "Exit codes: 0 ok, 1 a file or a service has an error, 2 wrong usage, 78 bad configuration.";

}  // namespace

RenderOutcome run_render(const RenderOptions& options,
                         std::istream& standard_input,
                         core::WallTime now) {
    return Rendering(options, standard_input, now).run();
}

void add_render_command(CLI::App& app, Run& run) {
    const auto options = std::make_shared<RenderOptions>();
    CLI::App* command = app.add_subcommand(
        "render", "Print the TrafficMaps that follow from files, without writing them anywhere");
    command
        ->add_option("--isvc",
                     options->isvc,
                     "InferenceServices in JSON or YAML: one, several documents, or a List; - is "
                     "standard input")
        ->required();
    command->add_option("--readings",
                        options->readings,
                        "Readings as the observer answers them, for one service or a list");
    command->add_option("--map", options->maps, "The stored TrafficMaps");
    command->add_option("--config",
                        options->config,
                        "The multicluster configuration or its ConfigMap; without it routing is on "
                        "with the limits of the chart");
    command->add_flag("--explain",
                      options->explain,
                      "Say how each weight comes about: below the table, otherwise on standard "
                      "error");
    command->add_option("--now", options->now, "The instant to render for, in RFC 3339 (now)");
    command->add_option("--output,-o", options->output, "yaml, json or table")
        ->check(CLI::IsMember({"yaml", "json", "table"}))
        ->capture_default_str();
    command->footer(footer);
    command->callback([options, &run] {
        options->color = options->output == "table" && color_wanted();
        run = [options] { return render_and_print(*options); };
    });
}

}  // namespace ome::controller
