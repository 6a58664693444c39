#include "inference_service_reader.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/policy_admission.hpp>
#include <ome/core/policy_advice.hpp>
#include <ome/core/policy_resolution.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/drains.hpp>
#include <ome/routing/traffic_pass.hpp>

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
        if (service_.routing) {
            check_routing(*service_.routing);
        }
        check_drains();
        if (!service_.routing && !service_.placement && notes_.errors.empty()) {
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
        for (const auto& [cluster, factor] : settings.capacity_factors) {
            warn_of_cluster(member_path("spec.routing.capacityFactors", cluster),
                            "the factor is",
                            cluster,
                            "it has no effect");
        }
    }

    void check_at_run_time(const core::ServiceRoutingSettings& settings) {
        if (const std::optional<core::Problem> problem = core::shape_problem(settings)) {
            notes_.errors.push_back(*problem);
            return;
        }
        core::RoutingSettings installation;
        installation.enabled = true;
        installation.observer.min_period = core::format_duration(limits_.min_period);
        installation.observer.max_samples = limits_.max_samples;
        if (const auto probe = core::resolve_probe(installation, &settings); !probe) {
            notes_.errors.push_back(probe.error());
        }
        if (const auto capacity = core::resolve_capacity(installation, &settings); !capacity) {
            notes_.errors.push_back(capacity.error());
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
            return;
        }
        for (const routing::Drain& drain : *drains) {
            warn_of_cluster(field,
                            fmt::format("the drain {} is", core::go_quote(drain.id)),
                            drain.cluster,
                            "it stays pending");
        }
    }

    // A slip of the pen, most of the time; who has no candidates yet cannot know.
    void warn_of_cluster(const std::string& field,
                         std::string_view what,
                         const std::string& cluster,
                         std::string_view effect) {
        if (!service_.status || service_.status->candidates.empty()) {
            return;
        }
        std::vector<std::string> names;
        for (const routing::Candidate& candidate : service_.status->candidates) {
            if (candidate.cluster == cluster) {
                return;
            }
            names.push_back(core::go_quote(candidate.cluster));
        }
        constexpr std::size_t most_names = 10;
        const bool cut = names.size() > most_names;
        names.resize(std::min(names.size(), most_names));
        notes_.warnings.push_back(
            {fmt::format("{}: {} for {}, which is no candidate of status.placement (these are: "
                         "{}{}): {}",
                         field,
                         what,
                         core::go_quote(cluster),
                         fmt::join(names, ", "),
                         cut ? ", ..." : "",
                         effect),
             field});
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
    }
    return notes;
}

}  // namespace ome::wire
