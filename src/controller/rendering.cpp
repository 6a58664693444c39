// What `ome-trafficmap render` does, once its command line is understood.
#include "map_table.hpp"
#include "render.hpp"
#include "render_command.hpp"
#include "render_files.hpp"
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/net/text_file.hpp>
#include <ome/routing/unaddressable.hpp>
#include <ome/wire/problem_line.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

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
        if (standard_input_once() && read_time() && read_configuration() && read_files()) {
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

    void warn(std::string_view message) { outcome_.err += fmt::format("warning: {}\n", message); }

    // The second one would find it empty.
    bool standard_input_once() {
        std::vector<std::string_view> flags;
        const auto look_at = [&flags](std::string_view flag, const std::string& name) {
            if (name == "-") {
                flags.push_back(flag);
            }
        };
        look_at("--config", options_.config);
        for (const auto& [flag, names] : file_flags()) {
            for (const std::string& name : *names) {
                look_at(flag, name);
            }
        }
        if (flags.size() > 1) {
            fail(usage_error,
                 fmt::format("standard input can be read once, it is given to {}",
                             fmt::join(flags, " and ")));
        }
        return flags.size() <= 1;
    }

    using FileFlag = std::pair<std::string_view, const std::vector<std::string>*>;
    [[nodiscard]] std::array<FileFlag, 3> file_flags() const {
        return {{{"--isvc", &options_.isvc},
                 {"--readings", &options_.readings},
                 {"--map", &options_.maps}}};
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
            fail(failure, fmt::format("--config {}", text.error().message));
            return false;
        }
        core::Result<core::RoutingSettings> read = read_installation(*text);
        if (!read) {
            fail(bad_configuration,
                 fmt::format("--config {}: {}", shown(options_.config), read.error().message));
            return false;
        }
        installation_ = *std::move(read);
        return true;
    }

    static std::string shown(const std::string& name) { return name == "-" ? "<stdin>" : name; }

    using Take = void (RenderFiles::*)(const std::string&, std::string_view);
    bool read_each(const FileFlag& flag, Take take) {
        bool all = true;
        for (const std::string& name : *flag.second) {
            if (const auto text = net::read_text_input(name, standard_input_)) {
                (files_.*take)(shown(name), *text);
            } else {
                fail(failure, fmt::format("{} {}", flag.first, text.error().message));
                all = false;
            }
        }
        return all;
    }

    // All of them, so that every one that is wrong is named at once.
    bool read_files() {
        constexpr std::array<Take, 3> takes = {
            &RenderFiles::take_services, &RenderFiles::take_readings, &RenderFiles::take_maps};
        const auto flags = file_flags();
        bool usable = true;
        for (std::size_t i = 0; i < flags.size(); ++i) {
            usable = read_each(flags[i], takes[i]) && usable;
        }
        for (const std::string& problem : files_.unusable_files) {
            fail(failure, problem);
        }
        if (!usable || !files_.unusable_files.empty()) {
            return false;
        }
        files_.warn_of_strangers();
        for (const std::string& warning : files_.warnings) {
            warn(warning);
        }
        for (const std::string& problem : files_.problems) {
            fail(failure, problem);
        }
        return true;
    }

    void render_all() {
        rendered_.reserve(files_.services.size());
        for (routing::InferenceService& service : files_.services) {
            render_one(service);
        }
        if (options_.explain) {
            explain_unreadable();
        }
    }

    // What a controller would go on with.
    void explain_unreadable() {
        for (const auto& [key, why] : files_.unreadable) {
            const auto stored = files_.maps.find(key);
            if (stored != files_.maps.end()) {
                explain(key.ns + "/" + key.name,
                        routing::explain_frozen(
                            &stored->second,
                            "its manifest cannot be used, so the last good state stays in force: " +
                                wire::on_one_line(why)));
            }
        }
    }

    void render_one(routing::InferenceService& service) {
        const std::string name = service.key.ns + "/" + service.key.name;
        const auto& unusable = files_.unusable;
        if (std::find(unusable.begin(), unusable.end(), service.key) != unusable.end()) {
            fail(failure, name + ": its stored map cannot be read");
            return;
        }
        const auto reading = files_.readings.find(service.key);
        const auto stored = files_.maps.find(service.key);
        const routing::TrafficMap* map = stored == files_.maps.end() ? nullptr : &stored->second;
        complete_as_stored(service, map);
        core::Result<Rendered> one =
            render(service,
                   {.installation = installation_,
                    .reading = reading == files_.readings.end() ? nullptr : &reading->second,
                    .stored = map,
                    .now = now_});
        if (!one) {
            refuse(name, map, one.error().message);
            return;
        }
        for (const core::Problem& unused : one->unused) {
            warn(fmt::format("{}: {}", name, unused.message));
        }
        if (!options_.explain) {
            for (const routing::Unaddressable& home : routing::unaddressable(service)) {
                warn(fmt::format("{}: {}", name, routing::sentence(home)));
            }
        }
        if (options_.explain) {
            explain(name, routing::explain(service, one->routed, one->observations));
        }
        rendered_.push_back(std::move(one->map));
    }

    void refuse(const std::string& name, const routing::TrafficMap* map, const std::string& why) {
        const bool not_routed = why.starts_with("is not");
        fail(failure, fmt::format("{}{}{}", name, not_routed ? " " : ": ", why));
        if (options_.explain && map != nullptr && !not_routed) {
            explain(name, routing::explain_frozen(map, why));
        }
    }

    void explain(const std::string& name, const routing::Explanation& explanation) {
        explanation_ += fmt::format("{}: {}", name, routing::text_of(explanation, "  "));
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

}  // namespace

RenderOutcome run_render(const RenderOptions& options,
                         std::istream& standard_input,
                         core::WallTime now) {
    return Rendering(options, standard_input, now).run();
}

}  // namespace ome::controller
