#include "object_writes.hpp"

#include "route_removal.hpp"

#include <algorithm>

namespace ome::routing {
namespace {

bool same_home(const HomeBackend& a, const HomeBackend& b) {
    return a.cluster == b.cluster && a.hostname == b.hostname && a.weight == b.weight;
}

bool same_plan(const PublicationPlan& a, const PublicationPlan& b) {
    return a.route == b.route && a.hostname == b.hostname && a.gateway == b.gateway &&
           std::equal(a.homes.begin(), a.homes.end(), b.homes.begin(), b.homes.end(), same_home);
}

class Writes {
public:
    Writes(const Applying& applying, PublicationStep& step)
        : all_(applying), told_(is_told(applying)), step_(step) {}

    void run() {
        const DesiredObjects& desired = all_.desired;
        if (only_weights_differ()) {
            add({desired.route});
        }
        for (const auto* group : {&desired.services, &desired.backends}) {
            if (step_.idle()) {
                add(*group);
            }
        }
        if (step_.idle()) {
            add({desired.route});
        }
        if (step_.idle() && step_.held_back.empty()) {
            add_stale();
        }
    }

private:
    // Weights first (D17): where they are all that the route lacks, nothing else holds them up.
    [[nodiscard]] bool only_weights_differ() const {
        const PublishedObject* observed = all_.world.find(all_.desired.route.key());
        if (observed == nullptr || observed->foreign_parts) {
            return false;
        }
        PublishedObject weighted = *observed;
        auto& to = std::get<HttpRouteSpec>(weighted.spec).backends;
        const auto& from = std::get<HttpRouteSpec>(all_.desired.route.spec).backends;
        if (to.size() != from.size()) {
            return false;
        }
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i].weight = from[i].weight;
        }
        return satisfies(weighted, all_.desired.route);
    }

    // Others changed it: it was as it is to be.
    [[nodiscard]] bool is_repair(const PublishedObject& desired) const {
        if (!told_) {
            return false;
        }
        const auto applied = all_.memory.applied->objects.find(desired.key());
        return applied != all_.memory.applied->objects.end() && applied->second == desired;
    }

    [[nodiscard]] bool is_held_back(const ObjectKey& key) {
        const core::SteadyTime at = all_.memory.drift.repair_at(key, all_.now);
        if (at <= all_.now) {
            return false;
        }
        if (std::find(step_.held_back.begin(), step_.held_back.end(), key) ==
            step_.held_back.end()) {
            step_.held_back.push_back(key);
        }
        step_.look_again = step_.look_again ? std::min(*step_.look_again, at) : at;
        return true;
    }

    void add(const std::vector<PublishedObject>& desired) {
        for (const PublishedObject& object : desired) {
            const PublishedObject* observed = all_.world.find(object.key());
            if (observed != nullptr && satisfies(*observed, object)) {
                continue;
            }
            if (is_repair(object)) {
                if (is_held_back(object.key())) {
                    continue;
                }
                step_.repairs.push_back(object.key());
            }
            ObjectWrite write{object};
            if (observed != nullptr) {
                write.uid = observed->meta.uid;
                write.resource_version = observed->meta.resource_version;
            }
            step_.writes.push_back(std::move(write));
        }
    }

    // Slices and policies before the Services, and one that fails is not overtaken.
    void add_stale() {
        std::set<ObjectKey> wanted = all_.desired.kept;
        for (const auto* group : {&all_.desired.services, &all_.desired.backends}) {
            for (const PublishedObject& object : *group) {
                wanted.insert(object.key());
            }
        }
        const std::vector<const PublishedObject*> owned = all_.world.owned_by(all_.plan.source);
        for (const ObjectKind kind :
             {ObjectKind::EndpointSlice, ObjectKind::BackendTlsPolicy, ObjectKind::Service}) {
            for (const PublishedObject* object : owned) {
                if (object->kind() == kind && object->meta.key.ns == all_.plan.route.ns &&
                    !wanted.contains(object->key()) && !object->terminating()) {
                    step_.deletes.push_back(deletion_of(*object));
                }
            }
            if (!step_.deletes.empty()) {
                return;
            }
        }
    }

    const Applying& all_;
    const bool told_;
    PublicationStep& step_;
};

}  // namespace

void apply_objects(const Applying& applying, PublicationStep& step) {
    Writes(applying, step).run();
}

bool is_told(const Applying& applying) {
    const auto& applied = applying.memory.applied;
    return applied && same_plan(applied->plan, applying.plan) &&
           applying.map.status.published.value_or(false);
}

bool leads_anywhere(const DesiredObjects& desired,
                    const PublicationPlan& plan,
                    const PublicationWorld& world) {
    return world.find(plan.route) != nullptr || desired.unresolved.size() < plan.homes.size() ||
           std::any_of(desired.kept.begin(), desired.kept.end(), [&world](const ObjectKey& key) {
               return world.find(key) != nullptr;
           });
}

AppliedPlan applied_as(const PublicationPlan& plan, const DesiredObjects& desired) {
    AppliedPlan applied{plan, {}};
    for (const auto* group : {&desired.services, &desired.backends}) {
        for (const PublishedObject& object : *group) {
            applied.objects.emplace(object.key(), object);
        }
    }
    applied.objects.emplace(desired.route.key(), desired.route);
    return applied;
}

}  // namespace ome::routing
