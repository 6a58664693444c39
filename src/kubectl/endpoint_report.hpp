// What `placement endpoint` tells of one InferenceService and its TrafficMap, as values
// (contract/publisher-cli.md 2.2). How it is printed: endpoint_table.cpp and endpoint_document.cpp.
#pragma once

#include "acknowledgement.hpp"
#include "cluster.hpp"
#include "entry_view.hpp"
#include "freshness.hpp"
#include "output.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ome::kubectl {

/// How the map was got.
struct Acquisition {
    std::string state = "Unavailable";  ///< or `Observed`
    std::string reason;                 ///< of Unavailable
    int returned = 0;
    int admitted = 0;
    int pages = 0;
    bool complete = false;
    bool truncated = false;
};

/// What the InferenceService says of its placement.
struct PlacementView {
    std::string mode;          ///< empty: not declared
    std::string phase;         ///< empty: not reported
    std::string input_source;  ///< the member that asks for placement
    std::string selectors;     ///< the members that restrict it
    std::string cluster;       ///< reported, or those that have admitted it
    AddressView endpoint;      ///< of the reported cluster
    AddressView service_url;   ///< `status.url`
    Preview homes;             ///< candidates
    Preview provenance;        ///< candidates with an allocation by the plan
};

struct EndpointReport {
    std::string ns;
    std::string name;
    core::WallTime collected_at;
    PlacementView placement;
    Acquisition acquisition;
    std::string map_mode;
    std::string map_source;  ///< `spec.service`
    EntriesView entries;
    Freshness routing = Freshness::Unverifiable;
    ConditionView routable{.type = "Routable"};
    ConditionView override_active{.type = "OverrideActive"};
    ConditionView capacity_fallback{.type = "CapacityFallback"};
    ConditionView published{.type = "Published"};
    Preview conditions;
    Acknowledgement acknowledgement;
    std::optional<json::value> gateway;  ///< `status.gatewayRef`
    Issues issues;
};

/// `map`: the object, or why there is none.
[[nodiscard]] EndpointReport endpoint_report(const json::value& service,
                                             const Answer<json::value>& map,
                                             core::WallTime now);

[[nodiscard]] std::string endpoint_table(const EndpointReport& report, bool wide);
[[nodiscard]] json::value endpoint_document(const EndpointReport& report);

}  // namespace ome::kubectl
