#include "chart_values.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>

namespace ome::wire {
namespace {

constexpr std::string_view multicluster_path = "ome.multicluster";
constexpr std::string_view config_path = "ome.multicluster.config";

json::object* object_at(json::value* value, std::string_view name) {
    json::object* object = value ? value->if_object() : nullptr;
    json::value* member = object ? object->if_contains(name) : nullptr;
    return member ? member->if_object() : nullptr;
}

bool is_empty_list(const json::value* value) {
    return value != nullptr && value->is_array() && value->get_array().empty();
}

// `[]` is what the chart and old values files say for none.
void drop_empty_list(json::object& routing, std::string_view name) {
    if (is_empty_list(routing.if_contains(name))) {
        routing.erase(name);
    }
}

json::object chart_observer() {
    return {{"maxConcurrentReconciles", 8},
            {"maxConcurrentRequests", 16},
            {"maxResponseBytes", 65536},
            {"minPeriod", "1s"},
            {"maxSamples", 100}};
}

json::object chart_publisher() {
    return {{"name", ""}, {"resyncInterval", "1m"}, {"options", json::object()}};
}

json::object chart_endpoint() {
    return {{"globalHostTemplate", ""},
            {"globalGateway", ""},
            {"routeNamespace", ""},
            {"backendPort", 0},
            {"gatewayBackend",
             {{"rewriteHostname", false},
              {"tls", {{"enabled", false}, {"wellKnownCACertificates", ""}}},
              {"endpointSlices", {{"enabled", false}, {"addressRefreshInterval", ""}}}}}};
}

// A value that is null was taken away on purpose and stays away.
void complete(json::object& members, const json::object& defaults) {
    for (const auto& [name, value] : defaults) {
        json::value* written = members.if_contains(name);
        if (written == nullptr) {
            members.emplace(name, value);
        } else if (written->is_object() && value.is_object()) {
            complete(written->get_object(), value.get_object());
        }
    }
}

void fill(json::object& parent, std::string_view name, const json::object& defaults) {
    json::value& block = parent[name];
    if (block.is_null() || is_empty_list(&block)) {
        block = json::object();
    }
    if (json::object* members = block.if_object()) {
        complete(*members, defaults);
    }
}

// The chart prints these without quotes around nothing, which is no JSON.
void require_texts(const json::object& routing,
                   std::string_view block,
                   const std::vector<std::string_view>& names,
                   Notes& notes) {
    const json::value* value = routing.if_contains(block);
    const json::object* members = value ? value->if_object() : nullptr;
    if (members == nullptr || members->empty()) {
        return;
    }
    for (const std::string_view name : names) {
        const json::value* text = members->if_contains(name);
        if (text == nullptr || text->is_null()) {
            const std::string field = fmt::format("routing.{}.{}", block, name);
            notes.errors.push_back(
                {fmt::format("{} is left out: the chart then renders a configuration that does not "
                             "load (load multi-cluster configuration: unable to parse multicluster "
                             "config json)",
                             field),
                 field});
        }
    }
}

// The chart copies it into the JSON as it is.
void require_plain_template(const json::object& config, Notes& notes) {
    const json::value* endpoint = config.if_contains("endpoint");
    const json::object* members = endpoint ? endpoint->if_object() : nullptr;
    const json::value* text = members ? members->if_contains("globalHostTemplate") : nullptr;
    if (text == nullptr || !text->is_string() ||
        text->get_string().find_first_of("\"\\") == json::string::npos) {
        return;
    }
    notes.errors.push_back(
        {fmt::format("endpoint.globalHostTemplate {} has a double quote or a backslash, which the "
                     "chart copies unescaped: the configuration does not load (load multi-cluster "
                     "configuration: unable to parse multicluster config json)",
                     shown(*text)),
         "endpoint.globalHostTemplate"});
}

// The chart renders nothing without both.
void require_switches(const json::object& multicluster, Notes& notes) {
    const json::value* enabled = multicluster.if_contains("enabled");
    const json::value* role = multicluster.if_contains("role");
    const bool on = enabled != nullptr && *enabled == json::value(true);
    if (!on || role == nullptr || *role != json::value("control-plane")) {
        notes.errors.push_back(
            {"ome.multicluster.config.routing.enabled=true requires ome.multicluster.enabled=true "
             "and ome.multicluster.role=control-plane",
             "routing.enabled"});
    }
}

// What the values do not say is not taken for said, or a slip would not be seen beside it.
void unset_switch(const json::value& written, json::value& config) {
    const json::object* all = written.if_object();
    const json::value* section = all != nullptr ? all->if_contains("routing") : nullptr;
    const json::object* said = section != nullptr ? section->if_object() : nullptr;
    json::object* routing = object_at(&config, "routing");
    if (routing != nullptr && (said == nullptr || !said->contains("enabled"))) {
        routing->erase("enabled");
    }
}

// The chart takes every name, and what it does not know has no effect: of its own switches it
// knows these, as they are spelt.
void report_unknown_switches(const json::object& multicluster,
                             const Lines& lines,
                             std::vector<core::Problem>& warnings) {
    Notes notes;
    Members members(multicluster, std::string(multicluster_path), notes);
    for (const char* name : {"enabled", "role", "placementControlPlaneID", "config"}) {
        members.ignore(name);
    }
    if (auto credentials = members.members("execCredentials")) {
        credentials->ignore("enabled");
        credentials->ignore("allowedCommands");
        credentials->report_unknown();
    }
    members.report_unknown();
    for (core::Problem& warning : notes.warnings) {
        if (const std::size_t line = lines.of(warning.field); line != 0) {
            warning.message = fmt::format("line {}: {}", line, warning.message);
        }
        warnings.push_back(std::move(warning));
    }
}

// A slip is not seen beside the member that was meant, which the chart adds where it is not
// written: what was meant is known from what is written alone.
void name_what_was_meant(std::vector<core::Problem>& warnings, Source written) {
    const Notes alone = read_configuration(std::move(written)).notes;
    for (core::Problem& warning : warnings) {
        for (const core::Problem& other : alone.warnings) {
            if (other.field == warning.field && other.message.starts_with(warning.message)) {
                warning.message = other.message;
            }
        }
    }
}

}  // namespace

json::value chart_configuration(json::value written) {
    if (written.is_null()) {
        written = json::object();
    }
    json::object* config = written.if_object();
    if (config == nullptr) {
        return written;
    }
    fill(*config, "endpoint", chart_endpoint());
    fill(*config, "routing", {{"enabled", false}});
    if (json::object* routing = object_at(&written, "routing")) {
        drop_empty_list(*routing, "probe");
        drop_empty_list(*routing, "capacity");
        fill(*routing, "observer", chart_observer());
        fill(*routing, "publisher", chart_publisher());
    }
    return written;
}

bool is_chart_values(const json::value& document) {
    const json::object* values = document.if_object();
    const json::value* ome = values ? values->if_contains("ome") : nullptr;
    const json::object* members = ome ? ome->if_object() : nullptr;
    const json::value* multicluster = members ? members->if_contains("multicluster") : nullptr;
    return values != nullptr && !values->contains("kind") && multicluster != nullptr &&
           multicluster->is_object();
}

ConfigReading read_chart_values(Source source) {
    Notes notes;
    json::object& ome = source.value.get_object()["ome"].get_object();
    json::object& multicluster = ome["multicluster"].get_object();
    report_unknown_switches(multicluster, source.lines, notes.warnings);
    Source written;
    written.value = multicluster["config"];
    json::value config = chart_configuration(written.value);
    unset_switch(written.value, config);
    if (const json::object* members = config.if_object()) {
        require_plain_template(*members, notes);
    }
    if (json::object* routing = object_at(&config, "routing")) {
        require_texts(
            *routing, "probe", {"path", "method", "period", "timeout", "allFailedPolicy"}, notes);
        require_texts(*routing,
                      "capacity",
                      {"path", "method", "format", "period", "timeout", "maxAge"},
                      notes);
        const json::value* enabled = routing->if_contains("enabled");
        if (enabled != nullptr && *enabled == json::value(true)) {
            require_switches(multicluster, notes);
        }
    }
    source.value = std::move(config);
    ConfigReading reading = read_configuration(std::move(source));
    reading.lines.look_under(std::string(config_path));
    name_what_was_meant(reading.notes.warnings, std::move(written));
    reading.notes.warnings.insert(
        reading.notes.warnings.begin(), notes.warnings.begin(), notes.warnings.end());
    reading.notes.errors.insert(
        reading.notes.errors.end(), notes.errors.begin(), notes.errors.end());
    return reading;
}

}  // namespace ome::wire
