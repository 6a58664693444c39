// `placement endpoint` as JSON: the order of the members is the contract's.
#include "endpoint_report.hpp"
#include "members.hpp"
#include <ome/core/text.hpp>

#include <boost/json.hpp>

namespace ome::kubectl {
namespace {

json::object evidence(std::string_view evidence,
                      std::string_view freshness,
                      std::string_view reason) {
    json::object object{{"evidence", evidence}, {"freshness", freshness}};
    if (!reason.empty()) {
        object["reason"] = reason;
    }
    return object;
}

json::object recorded(std::string_view what) {
    return evidence(what, "Unverifiable", "NoObservationGeneration");
}

json::object preview(const Preview& preview) {
    return {{"state", preview.state},
            {"total", preview.total},
            {"kept", preview.kept},
            {"truncated", preview.truncated}};
}

json::object address(const AddressView& view) {
    json::object object{{"state", view.state}};
    if (!view.origin.empty()) {
        object["endpointOrigin"] = view.origin;
    }
    object["pathPresent"] = view.path_present;
    object["source"] = recorded("Reported");
    return object;
}

json::object count(const CountView& view) {
    if (view.value == 0) {
        return {{"state", "Unknown"}};
    }
    return {{"value", view.value}, {"state", "Reported"}};
}

json::object reported(const std::optional<std::int64_t>& ceiling) {
    if (!ceiling) {
        return {{"state", "NotRecorded"}};
    }
    return {{"value", *ceiling}, {"state", "Reported"}};
}

json::object condition(const ConditionView& view) {
    return {{"type", view.type},
            {"status", view.status},
            {"reason", view.reason},
            {"source",
             evidence(view.recorded ? "Observed" : "NotRecorded",
                      to_string(view.freshness),
                      reason_of(view.freshness))}};
}

json::object capacity(const CapacityView& view, const std::string& fallback) {
    json::object object{{"allocated", count(view.allocated)}, {"ready", count(view.ready)}};
    if (!view.factor.empty()) {
        object["factor"] = view.factor;
    }
    object["factorState"] = view.factor.empty() ? "NotRecorded" : "Validated";
    object["source"] = view.source;
    object["reported"] = reported(view.reported);
    object["fallbackReason"] = fallback;
    return object;
}

json::object probe(const ProbeView& view) {
    json::object object{{"result", view.result}};
    if (!view.digest.empty()) {
        object["policyDigest"] = view.digest;
    }
    object["policyDigestState"] = view.digest_state;
    object["gated"] = view.gated;
    object["gatedState"] = view.gated_state;
    if (!view.last_attempt.empty()) {
        object["lastAttemptTime"] = view.last_attempt;
    }
    object["consecutiveFailures"] = view.consecutive_failures;
    object["source"] = evidence("Reported", view.freshness, "");
    return object;
}

json::object entry(const EntryView& view) {
    json::object object{{"cluster", view.cluster},
                        {"address", address(view.address)},
                        {"weight", view.weight},
                        {"healthy", view.healthy},
                        {"drainRefs", json::array(view.drain_refs.begin(), view.drain_refs.end())},
                        {"drainPreview", preview(view.drain_preview)}};
    if (view.capacity) {
        object["capacity"] = capacity(*view.capacity, view.fallback);
    }
    object["probe"] = probe(view.probe);
    object["source"] = recorded("Observed");
    return object;
}

json::object acquisition(const Acquisition& got) {
    json::object object{{"state", got.state}};
    if (!got.reason.empty()) {
        object["reason"] = got.reason;
    }
    object["returned"] = got.returned;
    object["admitted"] = got.admitted;
    object["pages"] = got.pages;
    object["complete"] = got.complete;
    object["truncated"] = got.truncated;
    return object;
}

json::object gateway(const json::value& ref) {
    json::object object;
    if (const std::string group = text_at(ref, {"group"}); !group.empty()) {
        object["group"] = core::sanitize_detail(group);
    }
    for (const std::string_view name : {"kind", "namespace", "name"}) {
        object[name] = core::sanitize_detail(text_at(ref, {name}));
    }
    object["state"] = "ReportedReferenceNotResolved";
    return object;
}

json::object routing(const EndpointReport& report) {
    json::object object{
        {"acquisition", acquisition(report.acquisition)},
        {"mode", report.map_mode},
        {"source",
         evidence(report.acquisition.state == "Observed" ? "Observed" : "Unavailable",
                  to_string(report.routing),
                  reason_of(report.routing))},
        {"entryPreview", preview(report.entries.preview)},
        {"probePreview", preview(report.entries.probes)},
        {"routable", condition(report.routable)},
        {"overrideActive", condition(report.override_active)},
        {"capacityFallback", condition(report.capacity_fallback)},
        {"acknowledgement", report.acknowledgement.state},
        {"acknowledgementSource",
         evidence("Reported",
                  to_string(report.acknowledgement.freshness),
                  report.acknowledgement.reason)},
        {"published", condition(report.published)}};
    if (report.gateway) {
        object["gateway"] = gateway(*report.gateway);
    }
    return object;
}

json::object placement(const PlacementView& view) {
    return {{"mode", view.mode},
            {"phase", view.phase},
            {"inputSource", view.input_source},
            {"selectors", view.selectors},
            {"reportedCluster", view.cluster},
            {"endpoint", address(view.endpoint)},
            {"service", address(view.service_url)},
            {"homePreview", preview(view.homes)},
            {"provenancePreview", preview(view.provenance)},
            {"source", recorded("Reported")}};
}

json::array sources(const EndpointReport& report) {
    json::object service{{"kind", "InferenceService"},
                         {"namespace", report.ns},
                         {"name", report.name},
                         {"evidence", "Reported"}};
    json::object map{{"kind", "TrafficMap"}, {"namespace", report.ns}, {"name", report.name}};
    map["evidence"] = report.acquisition.state;
    if (!report.acquisition.reason.empty()) {
        map["unavailableReason"] = report.acquisition.reason;
    }
    return {std::move(service), std::move(map)};
}

json::object content(const EndpointReport& report) {
    json::array entries;
    for (const EntryView& view : report.entries.entries) {
        entries.push_back(entry(view));
    }
    json::array conditions;
    for (const ConditionView* view : {&report.routable,
                                      &report.override_active,
                                      &report.capacity_fallback,
                                      &report.published}) {
        conditions.push_back(condition(*view));
    }
    json::array issues;
    for (const auto& [what, many] : report.issues) {
        issues.push_back(
            json::object{{"group", what.first}, {"code", what.second}, {"count", many}});
    }
    return {{"status", placement(report.placement)},
            {"routing", routing(report)},
            {"entries", std::move(entries)},
            {"conditions", std::move(conditions)},
            {"conditionPreview", preview(report.conditions)},
            {"issues", std::move(issues)}};
}

}  // namespace

json::value endpoint_document(const EndpointReport& report) {
    return json::object{{"apiVersion", output_api},
                        {"kind", "PlacementEndpointReport"},
                        {"metadata", json::object{{"namespace", report.ns}, {"name", report.name}}},
                        {"collectedAt", stamp_text(report.collected_at)},
                        {"sources", sources(report)},
                        {"warnings", json::array()},
                        {"content", content(report)}};
}

}  // namespace ome::kubectl
