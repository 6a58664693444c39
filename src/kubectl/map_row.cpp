#include "map_row.hpp"

#include "freshness.hpp"
#include "members.hpp"
#include <ome/core/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::kubectl {
namespace {

std::string shown(const std::string& text) {
    const std::string clean = core::sanitize_detail(text);
    return clean.empty() ? "-" : clean;
}

std::int64_t generation_of(const json::value& map) {
    return integer_at(map, {"metadata", "generation"}).value_or(0);
}

template <typename Predicate>
std::string count_of(const json::value& map, Predicate holds) {
    const json::array* entries = array_at(map, {"spec", "entries"});
    return entries == nullptr
               ? "0"
               : std::to_string(std::count_if(entries->begin(), entries->end(), holds));
}

// `gateway.networking.k8s.io/HTTPRoute:team-a/checkout`
std::string gateway_of(const json::value& map) {
    const json::value* gateway = find(map, {"status", "gatewayRef"});
    if (gateway == nullptr) {
        return "-";
    }
    const std::string group = text_at(*gateway, {"group"});
    const std::string ns = text_at(*gateway, {"namespace"});
    return shown(fmt::format("{}{}:{}/{}",
                             group.empty() ? "" : group + "/",
                             text_at(*gateway, {"kind"}),
                             ns.empty() ? text_at(map, {"metadata", "namespace"}) : ns,
                             text_at(*gateway, {"name"})));
}

std::string publisher_freshness(const json::value& map) {
    const auto observed = integer_at(map, {"status", "observedTrafficMapGeneration"}).value_or(0);
    if (observed == 0) {
        return "Unobserved";
    }
    return observed == generation_of(map) ? "Current" : "Stale";
}

void append_wide(TextRow& row, const json::value& map) {
    const PlainCondition overridden = current_condition(map, "OverrideActive");
    row.push_back(shown(text_at(map, {"spec", "service"})));
    row.push_back(count_of(map, [](const json::value& entry) {
        return integer_at(entry, {"weight"}).value_or(0) > 0;
    }));
    row.push_back(
        count_of(map, [](const json::value& entry) { return flag_at(entry, {"healthy"}); }));
    row.push_back(shown(overridden.status));
    row.push_back(shown(overridden.reason));
    row.push_back(shown(current_condition(map, "Routable").reason));
    row.push_back(gateway_of(map));
    row.push_back(publisher_freshness(map));
}

}  // namespace

TextRow map_header(MapColumns columns) {
    TextRow header{"NAME", "MODE", "TARGETS", "ROUTABLE", "PUBLISHED", "AGE"};
    if (columns.with_namespace) {
        header.insert(header.begin(), "NAMESPACE");
    }
    if (columns.wide) {
        for (const char* name : {"SERVICE",
                                 "ACTIVE",
                                 "HEALTHY",
                                 "OVERRIDE",
                                 "OVERRIDE-REASON",
                                 "REASON",
                                 "GATEWAY",
                                 "PUBLISHER-FRESHNESS"}) {
            header.emplace_back(name);
        }
    }
    return header;
}

TextRow map_row(const json::value& map, MapColumns columns, core::WallTime now) {
    TextRow row{shown(text_at(map, {"metadata", "name"})),
                shown(text_at(map, {"spec", "mode"})),
                count_of(map, [](const json::value&) { return true; }),
                shown(current_condition(map, "Routable").status),
                shown(current_condition(map, "Published").status),
                age_of(text_at(map, {"metadata", "creationTimestamp"}), now)};
    if (columns.with_namespace) {
        row.insert(row.begin(), shown(text_at(map, {"metadata", "namespace"})));
    }
    if (columns.wide) {
        append_wide(row, map);
    }
    return row;
}

}  // namespace ome::kubectl
