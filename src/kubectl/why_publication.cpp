#include "why_publication.hpp"

#include "freshness.hpp"
#include <ome/routing/publication_status.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::kubectl {
namespace {

const routing::Condition* published_of(const routing::TrafficMap& map) {
    const auto& conditions = map.status.conditions;
    const auto found = std::find_if(conditions.begin(), conditions.end(), [](const auto& one) {
        return one.type == "Published";
    });
    return found != conditions.end() ? &*found : nullptr;
}

// What may be said of the weights that are in force.
std::string about_route(const routing::TrafficMap& map) {
    const std::int64_t route = map.status.observed_traffic_map_generation;
    if (!map.status.gateway_ref) {
        return "no route is published";
    }
    if (route == map.meta.generation) {
        return fmt::format(
            "the route has the weights of the map (generation {}), and will not "
            "follow its next change",
            route);
    }
    return route > 0 ? fmt::format(
                           "the route does not follow the map: it has the weights of generation "
                           "{}, the map is at {}",
                           route,
                           map.meta.generation)
                     : std::string("it is not recorded which weights the route has");
}

std::string where_to_look(const WhyFacts& facts, const std::string& reason) {
    const std::string_view line =
        routing::failure_line(reason == "Finalizing" ? routing::Publication::Finalizing
                                                     : routing::Publication::ApplyFailed);
    // As the controller writes it, the event is on the service and not on its map.
    const std::string event =
        facts.in_folder() || !facts.service_known
            ? std::string()
            : fmt::format("; and in its event: kubectl describe inferenceservice {} -n {}{}",
                          facts.service.key.name,
                          facts.service.key.ns,
                          facts.place_flag);
    return fmt::format("the cause is in the controller's log: \"{}\"{}", line, event);
}

std::string failure_words(const WhyFacts& facts, const routing::Condition& published) {
    const std::string said = fmt::format("Published is {} with reason {}{}{}",
                                         clean(published.status),
                                         clean(published.reason),
                                         published.message.empty() ? "" : ": ",
                                         clean(published.message));
    if (published.reason == "Transitioning") {
        return fmt::format("the route is being written: {}", said);
    }
    if (published.reason == "Unpublished") {
        return fmt::format("{}: {}", about_route(*facts.map), said);
    }
    if (published.reason == "Finalizing") {
        return fmt::format("the map is being deleted, and its route with it: {}; {}",
                           said,
                           "if that lasts, " + where_to_look(facts, published.reason));
    }
    return fmt::format(
        "{}: {}; {}", about_route(*facts.map), said, where_to_look(facts, published.reason));
}

}  // namespace

bool nothing_to_publish(const routing::TrafficMap& map) {
    const routing::Condition* published = published_of(map);
    return published != nullptr && published->status == "False" &&
           published->reason == "Withdrawn" && !map.status.gateway_ref;
}

std::optional<std::string> route_problem(const WhyFacts& facts, const boost::json::value& object) {
    const routing::TrafficMap& map = *facts.map;
    const routing::Condition* published = published_of(map);
    if (published == nullptr || nothing_to_publish(map) ||
        is_withdrawn(condition_view(object, "Published", facts.now))) {
        return std::nullopt;
    }
    if (published->status != "True") {
        return failure_words(facts, *published);
    }
    const std::int64_t route = map.status.observed_traffic_map_generation;
    return route > 0 && route < map.meta.generation
               ? std::optional(fmt::format(
                     "the route has the weights of generation {}, the map is at {}: does the "
                     "publisher run, and may it write?",
                     route,
                     map.meta.generation))
               : std::nullopt;
}

}  // namespace ome::kubectl
