#include "route_removal.hpp"

#include <ome/core/policy_rules.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ome::routing {
namespace {

bool all_zero(const HttpRouteSpec& route) {
    return std::all_of(route.backends.begin(), route.backends.end(), [](const auto& backend) {
        return backend.weight == 0;
    });
}

ObjectWrite zeroed(const PublishedObject& observed) {
    ObjectWrite write{observed, observed.meta.uid, observed.meta.resource_version};
    for (auto& backend : std::get<HttpRouteSpec>(write.object.spec).backends) {
        backend.weight = 0;
    }
    return write;
}

bool has_finalizer(const TrafficMap& map) {
    const auto& all = map.meta.finalizers;
    return std::find(all.begin(), all.end(), publisher_finalizer) != all.end();
}

// Without policies there is no need for the right to see them.
bool is_stuck(ObjectKind kind, const PublicationWorld& world) {
    return kind != ObjectKind::BackendTlsPolicy && world.hidden(kind) != nullptr;
}

// What routes led to; they are gone.
std::optional<core::Problem> remove_backends(const std::vector<ObjectKey>& routes,
                                             const core::ServiceKey& source,
                                             const PublicationWorld& world,
                                             PublicationStep& step) {
    std::set<std::string> namespaces;
    for (const ObjectKey& route : routes) {
        namespaces.insert(route.ns);
    }
    const PublishedObject* pending = nullptr;
    for (const ObjectKind kind :
         {ObjectKind::EndpointSlice, ObjectKind::BackendTlsPolicy, ObjectKind::Service}) {
        if (is_stuck(kind, world)) {
            return core::Problem{
                fmt::format("read {}: {}", spoken(kind), world.hidden(kind)->message)};
        }
        for (const PublishedObject* object : world.owned_by(source)) {
            if (object->kind() != kind || !namespaces.contains(object->meta.key.ns)) {
                continue;
            }
            if (object->terminating()) {
                pending = object;
            } else {
                step.deletes.push_back(deletion_of(*object));
            }
        }
        if (!step.deletes.empty()) {  // what fails must not be overtaken
            return std::nullopt;
        }
    }
    if (pending == nullptr) {
        return std::nullopt;
    }
    return core::Problem{
        fmt::format("{} {} deletion is pending", spoken(pending->kind()), path_of(pending->key()))};
}

}  // namespace

bool sees_too_little(const PublicationWorld& world) {
    return world.hidden(ObjectKind::HttpRoute) != nullptr ||
           is_stuck(ObjectKind::EndpointSlice, world) || is_stuck(ObjectKind::Service, world);
}

// With several claims only the one of the plan was found gone.
bool says_nothing_is_left(const TrafficMap& map) {
    const auto& journal = map.status.publisher;
    if (!journal || journal->claimed_targets.empty()) {
        return true;
    }
    const Condition* told = find_condition(map.status, "Published");
    return told != nullptr && told->reason == reason_of(Publication::Withdrawn) &&
           !map.status.published.value_or(false) && !map.status.gateway_ref &&
           journal->publisher_name == core::built_in_publisher &&
           journal->claimed_targets.size() == 1;
}

ObjectDelete deletion_of(const PublishedObject& object) {
    return {object.key(), object.meta.uid, object.meta.resource_version};
}

std::optional<core::Problem> zero_weights(const std::vector<ObjectKey>& routes,
                                          const core::ServiceKey& source,
                                          const PublicationWorld& world,
                                          PublicationStep& step) {
    std::optional<core::Problem> foreign;
    for (const ObjectKey& key : routes) {
        const PublishedObject* route = world.find(key);
        if (route == nullptr) {
            continue;
        }
        if (!belongs_to(route->meta, source)) {
            foreign = core::Problem{fmt::format("claimed HTTPRoute {} is not owned by source {}/{}",
                                                path_of(key),
                                                source.ns,
                                                source.name)};
        } else if (!all_zero(std::get<HttpRouteSpec>(route->spec))) {
            step.writes.push_back(zeroed(*route));
        }
    }
    return foreign;
}

std::optional<core::Problem> remove_routes(const std::vector<ObjectKey>& routes,
                                           const core::ServiceKey& source,
                                           const PublicationWorld& world,
                                           PublicationStep& step) {
    if (const core::Problem* why = world.hidden(ObjectKind::HttpRoute)) {
        return core::Problem{fmt::format("read claimed HTTPRoute: {}", why->message)};
    }
    if (auto foreign = zero_weights(routes, source, world, step)) {
        return foreign;
    }
    if (!step.writes.empty()) {
        return std::nullopt;
    }
    std::optional<core::Problem> pending;
    for (const ObjectKey& key : routes) {
        const PublishedObject* route = world.find(key);
        if (route == nullptr) {
            continue;
        }
        if (route->terminating()) {
            pending = core::Problem{
                fmt::format("claimed HTTPRoute {} deletion is pending", path_of(key))};
        } else {
            step.deletes.push_back(deletion_of(*route));
        }
    }
    if (pending || !step.deletes.empty()) {
        return pending;
    }
    return remove_backends(routes, source, world, step);
}

std::vector<std::string> standing_claims(const TrafficMap& map) {
    const auto& journal = map.status.publisher;
    const bool ours = journal && journal->publisher_name == core::built_in_publisher;
    return ours && !says_nothing_is_left(map) ? journal->claimed_targets
                                              : std::vector<std::string>();
}

PublicationStep removal_without_map(const core::ServiceKey& source,
                                    const std::vector<std::string>& claims,
                                    const PublicationWorld& world,
                                    const PublicationSettings& settings,
                                    const PublicationMemory& memory) {
    PublicationStep step;
    step.failing = Publication::Finalizing;
    const auto claimed = routes_of_claims(claims);
    std::vector<ObjectKey> routes = claimed ? *claimed : std::vector<ObjectKey>();
    if (routes.empty()) {
        routes.push_back(route_key(source, settings.route_namespace));
    }
    // Nobody has to be told any more that a claimed route is somebody else's.
    std::erase_if(routes, [&](const ObjectKey& key) {
        const PublishedObject* route = world.find(key);
        return route != nullptr && !belongs_to(route->meta, source);
    });
    if (memory.failure) {
        step.verdict = Verdict{Publication::Finalizing, memory.failure->why, Retry::Backoff};
        return step;
    }
    if (auto waits = remove_routes(routes, source, world, step)) {
        step.verdict = Verdict{Publication::Finalizing, *std::move(waits), Retry::Backoff};
    }
    return step;
}

PublicationStep finalizing_step(const TrafficMap& map,
                                const PublicationWorld& world,
                                const PublicationMemory& memory,
                                const core::Now& now) {
    PublicationStep step;
    step.failing = Publication::Finalizing;
    if (!has_finalizer(map)) {
        return step;
    }
    const auto say = [&](Publication what, const core::Problem& why, Retry retry) {
        PublicationStep said;
        said.failing = Publication::Finalizing;
        said.verdict = Verdict{what, why, retry};
        PublicationStatus status = publication_status(map, what, nullptr, now.wall);
        if (differs(map, status)) {
            said.status = std::move(status);
        }
        return said;
    };
    const auto& journal = map.status.publisher;
    const std::vector<std::string> claims =
        journal ? journal->claimed_targets : std::vector<std::string>{};
    if (!claims.empty() && journal->publisher_name != core::built_in_publisher) {
        return say(Publication::PublisherChanged,
                   {fmt::format("the journal names publisher {}", journal->publisher_name)},
                   Retry::Resync);
    }
    const Condition* told = find_condition(map.status, "Published");
    const bool removed =
        !holds_publisher_state(map) && told != nullptr &&
        told->message == publication_status(map, Publication::Removed, nullptr, now.wall)
                             .conditions.front()
                             .message;
    if (removed) {
        step.finalizer = PublicationStep::Finalizer::Remove;
        return step;
    }
    // `Finalizing` would take the proof away.
    if (sees_too_little(world) && says_nothing_is_left(map)) {
        return say(Publication::Removed, {}, Retry::None);
    }
    if (auto finalizing = say(Publication::Finalizing, {}, Retry::None); finalizing.status) {
        return finalizing;
    }
    const auto routes = routes_of_claims(claims);
    if (!routes) {
        return say(Publication::Finalizing, routes.error(), Retry::Backoff);
    }
    // What could not be applied before need not be any more.
    if (memory.failure && memory.failure->what == Publication::Finalizing) {
        return say(Publication::Finalizing, memory.failure->why, Retry::Backoff);
    }
    if (auto waits = remove_routes(*routes, map.meta.key, world, step)) {
        // What can go goes; the rest is waited for.
        step.verdict = Verdict{Publication::Finalizing, *std::move(waits), Retry::Backoff};
        return step;
    }
    if (!step.idle()) {
        return step;
    }
    return say(Publication::Removed, {}, Retry::None);
}

}  // namespace ome::routing
