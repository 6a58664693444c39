#include "config_reader.hpp"

#include "settings_reader.hpp"
#include <ome/wire/problem_line.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

bool has_any(const json::object& object, std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&object](std::string_view name) {
        return object.contains(name);
    });
}

// Other sections belong to other controllers, which check them.
void read_sections(Members root, ConfigReading& reading) {
    for (const char* section : {"workloadCluster", "placement"}) {
        root.ignore(section);
    }
    if (std::optional<Members> routing = root.members("routing")) {
        reading.routing = read_routing(std::move(*routing));
    }
    if (std::optional<Members> endpoint = root.members("endpoint")) {
        reading.gateway = read_gateway(std::move(*endpoint));
    }
    root.report_unknown();
}

void note_nulls(const json::object& object, const std::string& path, ConfigReading& reading) {
    for (const auto& member : object) {
        const std::string at = member_path(path, member.key());
        if (member.value().is_null()) {
            reading.nulls.push_back(at);
        } else if (const json::object* inner = member.value().if_object()) {
            note_nulls(*inner, at, reading);
        }
    }
}

const json::value* wrapped(const json::value& document) {
    const json::object* object = document.if_object();
    const json::value* inner = object ? object->if_contains("multicluster") : nullptr;
    return inner != nullptr && inner->is_object() ? inner : nullptr;
}

// A block scalar begins on the line after its key; one in quotes on the same line. What is on
// several lines in YAML is taken to be a block; a JSON string is all on one line.
std::size_t offset_of(const Source& manifest, std::string_view value) {
    const std::size_t key_line = manifest.lines.of("data.multicluster");
    const bool block = manifest.yaml && value.find('\n') != value.npos;
    return block || key_line == 0 ? key_line : key_line - 1;
}

bool is_on_one_line(const Source& manifest, std::string_view value) {
    return !manifest.yaml || value.find('\n') == value.npos;
}

// Lines of a text that stands on one line of the manifest are no lines of the file.
core::Problem value_problem(const core::Problem& problem, bool one_line) {
    const LineAndMessage said = split_line(problem.message);
    const bool counted_inside = one_line && said.line > 1;
    return {counted_inside ? fmt::format("line {} of the text, {}", said.line, said.message)
                           : problem.message,
            "data.multicluster"};
}

// The warning of a member that looks like a slip for `name`.
const core::Problem* slip_for(std::string_view name, const Notes& notes) {
    const std::string meant = fmt::format("; did you mean {}?", name);
    const auto found =
        std::find_if(notes.warnings.begin(), notes.warnings.end(), [&meant](const auto& warning) {
            return warning.message.ends_with(meant);
        });
    return found == notes.warnings.end() ? nullptr : &*found;
}

constexpr std::string_view routing_switch = "routing.enabled";

}  // namespace

// Absent is off, as for OME.
RoutingOff routing_off(const ConfigReading& reading) {
    if (reading.routing.enabled.value_or(false)) {
        return {};
    }
    if (reading.routing.enabled) {
        return {fmt::format("{} is false", routing_switch)};
    }
    for (const core::Problem& warning : reading.notes.warnings) {
        if (warning.field == "data.multicluster") {
            return {"data.multicluster is absent"};
        }
    }
    const core::Problem* slip = slip_for("enabled", reading.notes);
    slip = slip != nullptr && slip->field.starts_with("routing.")
               ? slip
               : slip_for("routing", reading.notes);
    std::string why = fmt::format("{} is not set", routing_switch);
    return slip == nullptr ? RoutingOff{std::move(why)}
                           : RoutingOff{fmt::format("{}; {}", why, slip->message), true};
}

bool is_config_map(const json::value& document) {
    const json::object* object = document.if_object();
    const json::value* kind = object ? object->if_contains("kind") : nullptr;
    return kind != nullptr && *kind == "ConfigMap";
}

bool is_configuration(const json::value& document) {
    const json::object* object = document.if_object();
    return object != nullptr && !object->contains("kind") &&
           has_any(*object,
                   {"routing", "multicluster", "workloadCluster", "placement", "endpoint"}) &&
           !has_any(*object, {"spec", "homes", "services"});
}

ConfigReading read_configuration(Source source) {
    ConfigReading reading;
    const json::value* inner = wrapped(source.value);
    const json::value& config = inner ? *inner : source.value;
    reading.lines = std::move(source.lines);
    reading.lines.look_under(inner ? "multicluster" : "");
    reading.notes.errors = std::move(source.duplicates);
    if (const json::object* object = config.if_object()) {
        note_nulls(*object, "", reading);
        read_sections({*object, "", reading.notes, Names::Fold}, reading);
    } else {
        reading.notes.errors.push_back(
            {"the configuration: " + shown(config) + " must be an object"});
    }
    return reading;
}

ConfigReading read_config_map(const Source& source) {
    ConfigReading reading;
    reading.lines = source.lines;
    reading.notes.errors = source.duplicates;
    Members manifest(source.value.get_object(), "", reading.notes);
    note_nulls(source.value.get_object(), "", reading);
    std::optional<Members> data = manifest.members("data");
    const std::optional<std::string> value = data ? data->text("multicluster") : std::nullopt;
    if (!reading.notes.errors.empty()) {
        return reading;
    }
    if (!value) {
        reading.notes.warnings.push_back(
            {"data.multicluster is absent: routing is off", "data.multicluster"});
        return reading;
    }
    const bool one_line = is_on_one_line(source, *value);
    core::Result<Source> inner = parse_json_source(*value, Locate::Yes);
    if (inner) {
        reading = read_configuration(std::move(*inner));
    } else {
        reading.notes.errors.push_back(value_problem(inner.error(), one_line));
    }
    reading.line_offset = offset_of(source, *value);
    if (one_line) {
        reading.lines = {};
        reading.lines.set("", 1);
    }
    return reading;
}

}  // namespace ome::wire
