#include "chart_values.hpp"
#include "config_reader.hpp"
#include "inference_service_reader.hpp"
#include "manifest_reader.hpp"
#include "problem_merge.hpp"
#include "publication_check.hpp"
#include "services_reader.hpp"
#include <ome/core/address_policy.hpp>
#include <ome/core/attempt.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/core/policy_advice.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/core/usage.hpp>
#include <ome/routing/traffic_map.hpp>
#include <ome/wire/document_check.hpp>
#include <ome/wire/problem_line.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

using Problems = std::vector<core::Problem>;

constexpr std::string_view inference_service_kind = "InferenceService";

class Check {
public:
    Check(const core::ObserverLimits& limits, CheckFor whom)
        : limits_(limits), whom_(whom), services_(limits_) {}

    CheckedDocument run(std::string_view text) {
        core::Result<std::vector<Source>> sources = parse_sources(text);
        if (!sources) {
            add(Severity::Error, {sources.error()}, {});
            return std::move(out_);
        }
        if (sources->empty()) {
            out_.findings.push_back({Severity::Error, 0, {"the file holds nothing to check"}});
        }
        for (Source& source : *sources) {
            document(std::move(source));
        }
        const auto by_line = [](const Finding& a, const Finding& b) { return a.line < b.line; };
        std::stable_sort(out_.findings.begin(), out_.findings.end(), by_line);
        return std::move(out_);
    }

private:
    void kind(std::string_view name) {
        if (!out_.kind.ends_with(name)) {
            out_.kind += (out_.kind.empty() ? "" : ", ") + std::string(name);
        }
    }

    void add(Severity severity,
             const Problems& problems,
             const Lines& lines,
             std::size_t offset = 0) {
        for (const core::Problem& problem : problems) {
            const LineAndMessage said = split_line(problem.message);  // by a parser
            const std::size_t line = said.line != 0 ? said.line : lines.of(problem.field);
            out_.findings.push_back({severity,
                                     line == 0 ? 0 : line + offset,
                                     {std::string(said.message), problem.field}});
        }
    }

    void document(Source source) {
        const json::object* object = source.value.if_object();
        if (is_list(source.value, inference_service_kind)) {
            list(source);
        } else if (is_config_map(source.value)) {
            kind("ConfigMap");
            configuration(read_config_map(source), whom_);
        } else if (is_configuration(source.value)) {
            kind("multicluster configuration");
            configuration(read_configuration(std::move(source)), whom_);
        } else if (is_chart_values(source.value)) {
            kind("chart values");
            // Values that leave it to the chart mean what the chart says.
            configuration(read_chart_values(std::move(source)), CheckFor::Observer);
        } else if (object != nullptr && is_other_manifest(*object)) {
            other_manifest(source, "kind", object->if_contains("kind"));
        } else if (object != nullptr && is_service_or_override(*object)) {
            kind(inference_service_kind);
            inference_service({.value = source.value, .source = source, .path = {}});
        } else if (object == nullptr || object->contains("services")) {
            kind("services");
            declarations(source);
        } else if (looks_like_a_declaration(*object)) {
            kind("declaration");
            declarations(source);
            warn_of_policies_alone(*object, source.lines);
        } else {
            unknown(source);
        }
    }

    void other_manifest(const Source& source,
                        const std::string& field,
                        const json::value* written = nullptr) {
        kind("other manifest");
        add(Severity::Warning,
            {{"a manifest of this kind is not checked" + meant_by(written), field}},
            source.lines);
    }

    static std::string meant_by(const json::value* kind) {
        if (kind == nullptr || !kind->is_string()) {
            return {};
        }
        const std::vector<std::string> known{std::string(inference_service_kind), "ConfigMap"};
        const auto near = core::nearest_word(std::string_view(kind->get_string()), known);
        return near ? fmt::format("; did you mean {}?", *near) : std::string();
    }

    static bool is_other_manifest(const json::object& object) {
        const json::value* kind = object.if_contains("kind");
        return kind != nullptr && *kind != "InferenceService";
    }

    // What is laid over a service says less of itself.
    static bool is_service_or_override(const json::object& object) {
        return object.contains("spec") || object.contains("kind") || object.contains("metadata");
    }

    static bool looks_like_a_declaration(const json::object& object) {
        constexpr std::string_view names[] = {
            "homes", "ownerUID", "capacity", "probe", "suspended", "namespace"};
        return std::any_of(std::begin(names), std::end(names), [&object](std::string_view name) {
            return object.contains(name);
        });
    }

    // Whoever keeps them in a file of its own hears otherwise only of what is missing.
    void warn_of_policies_alone(const json::object& object, const Lines& lines) {
        const bool alone = std::all_of(object.begin(), object.end(), [](const auto& member) {
            return member.key() == "capacity" || member.key() == "probe";
        });
        if (alone) {
            add(Severity::Warning,
                {{"capacity and probe alone are policies for `replay --policy`; a declaration has "
                  "`homes` too"}},
                lines);
        }
    }

    void unknown(const Source& source) {
        kind("unknown");
        add(Severity::Error,
            {{"the document is none of: a multicluster configuration (`routing`), a ConfigMap, "
              "values of the chart (`ome.multicluster`), an InferenceService (`spec`), a "
              "declaration "
              "(`homes`), a list of services"}},
            source.lines);
    }

    static void warn_of_routing_off(ConfigReading& reading, CheckFor whom) {
        const RoutingOff off = routing_off(reading);
        const bool said = reading.routing.enabled.has_value() || off.why.empty() ||
                          off.why.starts_with("data.");  // it says so itself
        if (!said && (off.by_a_slip || whom == CheckFor::Controller)) {
            reading.notes.warnings.push_back(
                {"routing is OFF, no map is kept: " + off.why, "routing.enabled"});
        }
    }

    void configuration(ConfigReading reading, CheckFor whom) {
        Problems& errors = reading.notes.errors;
        const bool readable = errors.empty();
        Problems rules = core::duration_problems(reading.gateway);
        append(rules, core::every_configuration_problem(reading.routing));
        append(rules, core::gateway_problems(reading.gateway));
        append_new(rules, publication_problems(reading.routing, reading.gateway));
        if (readable) {
            errors = std::move(rules);
            warn_of_routing_off(reading, whom);
            append(reading.notes.warnings, core::advice(reading.routing.probe, "routing.probe"));
            append(reading.notes.warnings,
                   core::advice(reading.routing.capacity, "routing.capacity"));
        } else {
            append_new(errors, rules, Told::WholesToo);
        }
        if (errors.empty()) {
            append(errors, core::publisher_problem(reading.routing.publisher));
            if (reading.routing.enabled.value_or(false)) {
                take_limits(reading.routing.observer);
            }
        }
        add(Severity::Error, errors, reading.lines, reading.line_offset);
        add(Severity::Warning, reading.notes.warnings, reading.lines, reading.line_offset);
    }

    void take_limits(const core::ObserverSettings& observer) {
        if (const core::Result<core::ObserverLimits> found = core::check_limits(observer)) {
            out_.limits = *found;
        }
    }

    static void append(Problems& to, const Problems& more) {
        to.insert(to.end(), more.begin(), more.end());
    }

    static void append(Problems& to, const std::optional<core::Problem>& more) {
        if (more) {
            to.push_back(*more);
        }
    }

    void declarations(const Source& source) {
        for (const core::Problem& duplicate : source.duplicates) {
            if (duplicate.field == "services") {
                add(Severity::Error, {duplicate}, source.lines);
            }
        }
        for (ServiceReading& service : services_.read(source)) {
            Problems& warnings = service.reading.notes.warnings;
            // The reading stopped at the first of each policy; what it told is not told again.
            Problems& errors = service.reading.notes.errors;
            append(warnings, under(service.path, warn_of_this_machine(service)));
            append(warnings, under(service.path, warn_of_nothing_to_do(service.reading)));
            if (service.reading.probe) {
                append_new(
                    errors,
                    under(service.path, core::field_problems(*service.reading.probe, "probe")));
            }
            if (service.reading.capacity) {
                append_new(errors,
                           under(service.path,
                                 core::field_problems(*service.reading.capacity, "capacity")));
            }
            add(Severity::Error, errors, source.lines);
            add(Severity::Warning, warnings, source.lines);
        }
    }

    // Of names only those that mean this machine everywhere: `check` looks nothing up.
    static bool is_on_this_machine(const std::string& endpoint) {
        std::string host = core::host_name(endpoint);
        std::transform(host.begin(), host.end(), host.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
        });
        const auto address = core::parse_address(host);
        return host == "localhost" || host.ends_with(".localhost") ||
               (address && core::is_loopback(*address));
    }

    static Problems warn_of_nothing_to_do(const DeclarationReading& reading) {
        const core::ServiceDeclaration& service = reading.declaration;
        const bool idle = reading.notes.errors.empty() && !service.suspended &&
                          !service.homes.empty() && !service.capacity && !service.probe;
        return idle ? Problems{{"neither capacity nor probe is there: nothing is observed"}}
                    : Problems();
    }

    static Problems warn_of_this_machine(const ServiceReading& service) {
        Problems warnings;
        const auto& homes = service.reading.declaration.homes;
        const bool complete = service.reading.notes.errors.empty();  // else places are not known
        for (std::size_t at = 0; complete && at < homes.size(); ++at) {
            if (is_on_this_machine(homes[at].endpoint)) {
                const std::string field = member_path(item_path("homes", at), "endpoint");
                warnings.push_back({fmt::format("{}: is on this machine, which is refused (\"{}\") "
                                                "unless serve has --allow-loopback",
                                                field,
                                                core::refused_address_text),
                                    field});
            }
        }
        return warnings;
    }

    static Problems under(const std::string& path, Problems problems) {
        for (core::Problem& problem : problems) {
            problem.field = joined_path(path, problem.field);
        }
        return problems;
    }

    void inference_service(const Manifest& manifest) {
        Notes notes = check_service_object(manifest.value, limits_);
        for (const core::Problem& duplicate : manifest.source.duplicates) {
            if (lies_within(duplicate.field, manifest.path)) {
                add(Severity::Error, {duplicate}, manifest.source.lines);
            }
        }
        add(Severity::Error, under(manifest.path, std::move(notes.errors)), manifest.source.lines);
        add(Severity::Warning,
            under(manifest.path, std::move(notes.warnings)),
            manifest.source.lines);
    }

    void list(const Source& source) {
        each_manifest(source, inference_service_kind, [this](const Manifest& manifest) {
            if (manifest.is_of(inference_service_kind, routing::api_version)) {
                kind(inference_service_kind);
                inference_service(manifest);
            } else {
                other_manifest(manifest.source, joined_path(manifest.path, "kind"));
            }
        });
    }

    core::ObserverLimits limits_;
    CheckFor whom_;
    ServicesReader services_;
    CheckedDocument out_;
};

}  // namespace

CheckedDocument check_document(std::string_view text,
                               const core::ObserverLimits& limits,
                               CheckFor whom) {
    return Check(limits, whom).run(text);
}

}  // namespace ome::wire
