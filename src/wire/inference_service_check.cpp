#include "annotation_check.hpp"
#include "inference_service_reader.hpp"
#include "placement_check.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/policy_admission.hpp>
#include <ome/core/policy_advice.hpp>
#include <ome/core/policy_resolution.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/routing/drains.hpp>
#include <ome/routing/traffic_pass.hpp>
#include <ome/routing/unaddressable.hpp>
#include <ome/routing/unplaced.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

using Problems = std::vector<core::Problem>;

void append(Problems& to, const Problems& more) {
    to.insert(to.end(), more.begin(), more.end());
}

class Check {
public:
    Check(const routing::InferenceService& service,
          const core::ObserverLimits& limits,
          Notes& notes)
        : service_(service), limits_(limits), notes_(notes) {}

    void run() {
        check_placement();
        warn_of_unaddressable();
        if (service_.routing) {
            check_routing(*service_.routing);
        }
        check_drains();
        if (!service_.routing && !service_.placement && !service_.drains && notes_.errors.empty()) {
            notes_.warnings.push_back(
                {"spec.placement and spec.routing are absent: nothing to check", "spec"});
        }
    }

private:
    void check_placement() {
        if (const std::optional<core::Problem> problem =
                routing::placement_intent_problem(service_)) {
            notes_.errors.push_back(*problem);
        }
    }

    void warn_of_unaddressable() {
        for (const routing::Unaddressable& one : routing::unaddressable(service_)) {
            notes_.warnings.push_back({routing::sentence(one), routing::field_of(one)});
        }
    }

    void check_routing(const core::ServiceRoutingSettings& settings) {
        const core::Admission admission = core::admission(settings);
        append(notes_.errors, admission.rules);
        append(notes_.errors, admission.facets);
        check_at_run_time(settings);
        if (settings.probe) {
            append(notes_.warnings, core::advice(*settings.probe, "spec.routing.probe"));
        }
        if (settings.capacity) {
            append(notes_.warnings, core::advice(*settings.capacity, "spec.routing.capacity"));
        }
    }

    void check_at_run_time(const core::ServiceRoutingSettings& settings) {
        if (const std::optional<core::Problem> problem = core::shape_problem(settings)) {
            add_at_run_time(*problem);
            return;
        }
        core::RoutingSettings installation;
        installation.enabled = true;
        installation.observer.min_period = core::format_duration(limits_.min_period);
        installation.observer.max_samples = limits_.max_samples;
        if (const auto probe = core::resolve_probe(installation, &settings); !probe) {
            add_at_run_time(probe.error());
        }
        if (const auto capacity = core::resolve_capacity(installation, &settings); !capacity) {
            add_at_run_time(capacity.error());
        }
    }

    // What an API server refuses already is told once: in its words.
    void add_at_run_time(const core::Problem& problem) {
        const bool known = std::any_of(
            notes_.errors.begin(), notes_.errors.end(), [&problem](const core::Problem& one) {
                return one.field == problem.field;
            });
        if (!known) {
            notes_.errors.push_back(problem);
        }
    }

    void check_drains() {
        const std::string field = member_path("metadata.annotations", routing::drain_annotation);
        const core::Result<std::vector<routing::Drain>> drains =
            routing::parse_drains(service_.drains);
        if (!drains) {
            notes_.errors.push_back(
                {fmt::format("parse {}: {}", routing::drain_annotation, drains.error().message),
                 field});
        }
        warn_of_unplaced(drains ? *drains : std::vector<routing::Drain>());
    }

    // Drains and factors of clusters that are not there.
    void warn_of_unplaced(const std::vector<routing::Drain>& drains) {
        for (const routing::Unplaced& one : routing::unplaced(service_, drains)) {
            const std::string field =
                one.kind == routing::Unplaced::Kind::Drain
                    ? member_path("metadata.annotations", routing::drain_annotation)
                    : member_path("spec.routing.capacityFactors", one.cluster);
            notes_.warnings.push_back(
                {fmt::format("{}: {}", field, routing::sentence(one, service_)), field});
        }
    }

    const routing::InferenceService& service_;
    const core::ObserverLimits& limits_;
    Notes& notes_;
};

}  // namespace

Notes check_service_object(const json::value& object, const core::ObserverLimits& limits) {
    Notes notes;
    const routing::InferenceService service = read_service_object(object, Named::Perhaps, notes);
    if (notes.errors.empty()) {
        Check(service, limits, notes).run();
        check_annotations(object, service, notes);
        check_placement_members(object, service, notes);
    }
    return notes;
}

}  // namespace ome::wire
