#include "endpoint_report.hpp"

#include "members.hpp"
#include "ownership.hpp"
#include <ome/core/text.hpp>

#include <boost/json.hpp>

#include <algorithm>

namespace ome::kubectl {
namespace {

constexpr std::size_t most_candidates = 256;

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

std::string present_members(const json::value& service, Path names) {
    std::vector<std::string> found;
    for (const std::string_view name : names) {
        if (find(service, {"spec", "placement", name}) != nullptr) {
            found.emplace_back(name);
        }
    }
    return joined(found);
}

// The cluster that placement names, else those that have admitted the service.
void view_homes(const json::value& service, PlacementView& view) {
    std::vector<std::string> admitted;
    std::string endpoint = text_at(service, {"status", "placement", "endpoint"});
    const json::array* candidates = array_at(service, {"status", "placement", "candidates"});
    if (candidates != nullptr) {
        view.homes = {"Validated", candidates->size(), 0, false};
        view.provenance = {"Validated", candidates->size(), 0, false};
        if (candidates->size() > most_candidates) {
            view.homes.state = view.provenance.state = "BudgetExceeded";
            return;
        }
        for (const json::value& candidate : *candidates) {
            ++view.homes.kept;
            view.provenance.kept += find(candidate, {"allocation"}) != nullptr ? 1U : 0U;
            if (text_at(candidate, {"phase"}) == "Admitted") {
                admitted.push_back(core::sanitize_detail(text_at(candidate, {"cluster"})));
                endpoint = endpoint.empty() ? text_at(candidate, {"endpoint"}) : endpoint;
            }
        }
    }
    view.cluster = core::sanitize_detail(text_at(service, {"status", "placement", "cluster"}));
    if (view.cluster.empty()) {
        view.cluster = joined(admitted);
    }
    if (admitted.size() <= 1) {
        view.endpoint = address_view(endpoint);
    }
}

PlacementView placement_view(const json::value& service, Issues& issues) {
    PlacementView view;
    view.mode = core::sanitize_detail(text_at(service, {"spec", "placement", "mode"}));
    view.phase = core::sanitize_detail(text_at(service, {"status", "placement", "phase"}));
    view.input_source =
        find(service, {"spec", "placement"}) != nullptr ? "spec.placement" : std::string();
    view.selectors =
        present_members(service, {"clusterAffinity", "clusterSelector", "requirements"});
    view.service_url = address_view(text_at(service, {"status", "url"}));
    view_homes(service, view);
    if (view.homes.state == "BudgetExceeded") {
        ++issues[{"PlacementCandidates", view.homes.state}];
    }
    return view;
}

std::string unavailable_reason(Failure failure) {
    switch (failure) {
        case Failure::NotFound:
        case Failure::Forbidden:
        case Failure::Timeout:
        case Failure::Cancelled:
            return std::string(to_string(failure));
        default:
            return "Unreadable";
    }
}

void take_map(EndpointReport& report,
              const json::value& service,
              const json::value& map,
              core::WallTime now) {
    report.acquisition.state = "Observed";
    report.acquisition.admitted = 1;
    report.map_mode = core::sanitize_detail(text_at(map, {"spec", "mode"}));
    report.map_source = core::sanitize_detail(text_at(map, {"spec", "service"}));
    report.entries = entries_view(map, now, report.issues);
    report.routing = freshness_of(integer_at(map, {"spec", "observedISVCGeneration"}).value_or(0),
                                  integer_at(service, {"metadata", "generation"}).value_or(0));
    const json::array* conditions = array_at(map, {"status", "conditions"});
    report.conditions = {"Validated", conditions != nullptr ? conditions->size() : 0, 0, false};
    report.conditions.kept = report.conditions.total;
    if (report.conditions.total > most_conditions) {
        report.conditions.state = "BudgetExceeded";
        report.conditions.kept = 0;
        ++report.issues[{"RoutingConditions", "BudgetExceeded"}];
    }
    for (ConditionView* view : {&report.routable,
                                &report.override_active,
                                &report.capacity_fallback,
                                &report.published}) {
        *view = condition_view(map, view->type, now);
        if (!view->valid && view->reason != "BudgetExceeded") {
            ++report.issues[{"RoutingConditions", view->reason}];
        }
    }
    report.acknowledgement = acknowledgement_of(map, report.published);
    if (const json::value* gateway = find(map, {"status", "gatewayRef"})) {
        report.gateway = *gateway;
    }
}

}  // namespace

EndpointReport endpoint_report(const json::value& service,
                               const Answer<json::value>& map,
                               core::WallTime now) {
    EndpointReport report;
    report.ns = text_at(service, {"metadata", "namespace"});
    report.name = text_at(service, {"metadata", "name"});
    report.collected_at = now;
    report.placement = placement_view(service, report.issues);
    report.entries.preview.state = report.entries.probes.state = report.conditions.state =
        "Unavailable";
    if (!map) {
        report.acquisition.reason = unavailable_reason(map.error().what);
        report.acquisition.pages = map.error().what == Failure::NotFound ? 1 : 0;
        report.acquisition.complete = report.acquisition.pages == 1;
        return report;
    }
    report.acquisition.returned = 1;
    report.acquisition.pages = 1;
    report.acquisition.complete = true;
    if (!is_bound(service, *map)) {
        report.acquisition.reason = "OwnershipUnbound";
        ++report.issues[{"TrafficMap", "OwnershipUnbound"}];
        return report;
    }
    take_map(report, service, *map, now);
    return report;
}

}  // namespace ome::kubectl
