#include <ome/core/timestamp.hpp>
#include <ome/routing/traffic_pass.hpp>
#include <ome/wire/status_apply.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace ome::wire {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 3> routing_types{
    "Routable", "CapacityFallback", "OverrideActive"};

// As Kubernetes writes it: no fraction.
std::string whole_seconds(core::WallTime at) {
    constexpr std::size_t up_to_seconds = 19;
    return core::format_timestamp(at).substr(0, up_to_seconds) + "Z";
}

json::object condition_document(const routing::Condition& condition) {
    return {{"lastTransitionTime", whole_seconds(condition.last_transition_time)},
            {"message", condition.message},
            {"observedGeneration", condition.observed_generation},
            {"reason", condition.reason},
            {"status", condition.status},
            {"type", condition.type}};
}

json::array condition_documents(const std::vector<routing::Condition>& conditions) {
    json::array all;
    for (const routing::Condition& condition : conditions) {
        all.push_back(condition_document(condition));
    }
    return all;
}

json::array texts(const std::vector<std::string>& values) {
    return json::array(values.begin(), values.end());
}

StatusApply apply_of(std::string_view manager,
                     const routing::ObjectMeta& map,
                     json::object status) {
    return {.field_manager = manager,
            .body = json::object{{"apiVersion", routing::api_version},
                                 {"kind", "TrafficMap"},
                                 {"metadata",
                                  json::object{{"name", map.key.name},
                                               {"namespace", map.key.ns},
                                               {"resourceVersion", map.resource_version}}},
                                 {"status", std::move(status)}}};
}

json::object publisher_document(const routing::PublisherState& publisher) {
    json::object made{{"publisherName", publisher.publisher_name}};
    if (!publisher.claimed_targets.empty()) {
        made["claimedTargets"] = texts(publisher.claimed_targets);
    }
    if (!publisher.observed_options_digest.empty()) {
        made["observedOptionsDigest"] = publisher.observed_options_digest;
    }
    return made;
}

}  // namespace

StatusApply routing_status_apply(const routing::ObjectMeta& map,
                                 std::string_view source_uid,
                                 const std::vector<routing::Condition>& conditions) {
    std::vector<routing::Condition> ours;
    for (const std::string_view type : routing_types) {
        const auto found = std::find_if(conditions.begin(),
                                        conditions.end(),
                                        [type](const auto& one) { return one.type == type; });
        if (found != conditions.end()) {
            ours.push_back(*found);
        }
    }
    return apply_of(
        routing_field_manager,
        map,
        json::object{{"sourceUID", source_uid}, {"conditions", condition_documents(ours)}});
}

StatusApply publisher_status_apply(const routing::ObjectMeta& map,
                                   const routing::PublicationStatus& status) {
    json::object written{{"published", status.published},
                         {"observedTrafficMapGeneration", status.observed_generation},
                         {"conditions", condition_documents(status.conditions)}};
    if (status.gateway_ref) {
        written["gatewayRef"] = json::object{{"group", status.gateway_ref->group},
                                             {"kind", status.gateway_ref->kind},
                                             {"namespace", status.gateway_ref->ns},
                                             {"name", status.gateway_ref->name}};
    }
    if (status.publisher) {
        written["publisher"] = publisher_document(*status.publisher);
    }
    return apply_of(publisher_field_manager, map, std::move(written));
}

std::optional<json::object> publisher_status_patch(const routing::TrafficMap& map,
                                                   const routing::PublicationStatus& status) {
    const bool falls = map.status.published.value_or(false) && !status.published;
    const bool clears = map.status.gateway_ref && !status.gateway_ref;
    const bool forgets = map.status.publisher && !status.publisher;
    if (!falls && !clears && !forgets) {
        return std::nullopt;
    }
    // A merge patch replaces the list as a whole.
    const auto conditions = routing::merged_conditions(map.status.conditions, status.conditions);
    json::object patched{{"published", status.published},
                         {"conditions", condition_documents(conditions)}};
    if (clears) {
        patched["gatewayRef"] = nullptr;
    }
    if (forgets) {
        patched["publisher"] = nullptr;
    }
    return json::object{{"metadata", json::object{{"resourceVersion", map.meta.resource_version}}},
                        {"status", std::move(patched)}};
}

}  // namespace ome::wire
