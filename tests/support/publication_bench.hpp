// One map and its world in memory: steps are carried out as a store would, and everything that was
// done is in `done`.
#pragma once

#include <ome/core/policy_rules.hpp>
#include <ome/routing/ownership.hpp>
#include <ome/routing/publication_step.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ome::test {

inline routing::PublisherState journal(std::string publisher, std::vector<std::string> claims) {
    routing::PublisherState made;
    made.publisher_name = std::move(publisher);
    made.claimed_targets = std::move(claims);
    return made;
}

class PublicationBench {
public:
    PublicationBench() {
        service.key = {"prod", "chat"};
        service.uid = "isvc-uid";
        service.generation = 7;
        service.placement = routing::PlacementIntent{.policy = "ClusterAffinity", .mode = "All"};
        settings.active = true;
        settings.gateway = "gateway-system/global";
        settings.backend_port = 80;
        settings.host_template = "{{ .Name }}.{{ .Namespace }}.global.example.com";
        settings.resync_interval = std::chrono::minutes(1);
        now.wall = {1'790'000'000, 0};
        renew_map();
        set_entries({{"worker-a", 2}, {"worker-b", 1}});
    }

    /// As the routing controller makes it for the service.
    void renew_map() {
        map.meta.key = service.key;
        map.meta.uid = "map-uid";
        map.meta.generation = 4;
        map.meta.owner_references = {routing::owner_reference(service)};
        map.spec.service = service.key.name;
        map.spec.observed_isvc_generation = service.generation;
        map.status.source_uid = service.uid;
    }

    void set_entries(const std::vector<std::pair<std::string, std::int32_t>>& weights) {
        map.spec.entries.clear();
        for (const auto& [cluster, weight] : weights) {
            map.spec.entries.push_back({.cluster = cluster,
                                        .endpoint = "http://" + service.key.name + "." +
                                                    service.key.ns + "." + cluster + ".example.com",
                                        .weight = weight,
                                        .healthy = true});
        }
    }

    /// Steps until nothing is left to do, or `stop` says so before one is carried out. The verdict
    /// is that of the last step.
    std::optional<routing::Verdict> run(
        const std::function<bool(const routing::PublicationStep&)>& stop = {}) {
        for (int round = 0; round < 100; ++round) {
            world.put(std::make_shared<const routing::TrafficMap>(map));
            world.put(std::make_shared<const routing::InferenceService>(service));
            routing::PublicationStep step = routing::next_step(map, world, settings, memory, now);
            if (step.idle() || (stop && stop(step))) {
                if (step.applied) {
                    memory.applied = step.applied;
                }
                last = step;
                return step.verdict;
            }
            carry_out(step);
            if (gone) {
                return std::nullopt;
            }
        }
        done.emplace_back("it does not come to rest");
        return std::nullopt;
    }

    void put(routing::PublishedObject object) {
        object.meta.uid = object.meta.uid.empty() ? "object-uid" : object.meta.uid;
        object.meta.resource_version = std::to_string(++version_);
        world.put(std::move(object));
    }

    [[nodiscard]] std::vector<const routing::PublishedObject*> owned(
        routing::ObjectKind kind) const {
        auto all = world.owned_by(service.key);
        std::erase_if(all, [kind](const auto* one) { return one->kind() != kind; });
        return all;
    }

    [[nodiscard]] std::size_t count(std::string_view word) const {
        return static_cast<std::size_t>(
            std::count_if(done.begin(), done.end(), [word](const std::string& line) {
                return line.starts_with(word);
            }));
    }

    /// Of the map's own route.
    [[nodiscard]] std::vector<std::int64_t> weights() const {
        std::vector<std::int64_t> all;
        for (const auto* route : owned(routing::ObjectKind::HttpRoute)) {
            for (const auto& backend : std::get<routing::HttpRouteSpec>(route->spec).backends) {
                all.push_back(backend.weight);
            }
        }
        return all;
    }

    routing::InferenceService service;
    routing::TrafficMap map;
    routing::PublicationSettings settings;
    routing::PublicationWorld world;
    routing::PublicationMemory memory;
    routing::PublicationStep last;
    core::Now now{};
    bool gone = false;              ///< the map, with its last finalizer
    std::vector<std::string> done;  ///< `write Service prod/x`, `status False/Withdrawn`
    std::function<std::optional<core::Problem>(const routing::ObjectWrite&)> refuse;
    std::function<void()> look;  ///< after each single write

private:
    void carry_out(const routing::PublicationStep& step) {
        using Finalizer = routing::PublicationStep::Finalizer;
        auto& finalizers = map.meta.finalizers;
        if (step.finalizer == Finalizer::Add) {
            finalizers.emplace_back(routing::publisher_finalizer);
            done.emplace_back("finalizer added");
        } else if (step.finalizer == Finalizer::Remove) {
            std::erase(finalizers, routing::publisher_finalizer);
            done.emplace_back("finalizer removed");
            gone = map.meta.deletion_timestamp && finalizers.empty();
        }
        if (step.status) {
            routing::apply(map.status, *step.status);
            const routing::Condition& published = step.status->conditions.front();
            done.push_back("status " + published.status + "/" + published.reason);
        }
        for (const routing::ObjectWrite& write : step.writes) {
            carry_out(step, write);
            looked();
        }
        for (const routing::ObjectDelete& remove : step.deletes) {
            carry_out(remove);
            looked();
        }
    }

    void looked() const {
        if (look) {
            look();
        }
    }

    void carry_out(const routing::PublicationStep& step, const routing::ObjectWrite& write) {
        const routing::ObjectKey key = write.object.key();
        if (const auto problem = refuse ? refuse(write) : std::nullopt) {
            memory.failure = routing::PublicationMemory::Failure{step.failing, *problem};
            return;
        }
        done.push_back("write " + name_of(key));
        routing::PublishedObject object = write.object;
        if (const routing::PublishedObject* stored = world.find(key)) {
            object.meta = stored->meta;
            object.meta.labels.insert(write.object.meta.labels.begin(),
                                      write.object.meta.labels.end());
        }
        if (std::find(step.repairs.begin(), step.repairs.end(), key) != step.repairs.end()) {
            memory.drift.repaired(key, now.steady);
        }
        put(std::move(object));
    }

    void carry_out(const routing::ObjectDelete& remove) {
        done.push_back("delete " + name_of(remove.key));
        routing::PublishedObject object = *world.find(remove.key);
        if (object.meta.finalizers.empty()) {
            world.erase(remove.key);
            return;
        }
        object.meta.deletion_timestamp = now.wall;
        put(std::move(object));
    }

    static std::string name_of(const routing::ObjectKey& key) {
        return std::string(routing::to_string(key.kind)) + " " + routing::path_of(key);
    }

    std::uint64_t version_ = 0;
};

}  // namespace ome::test
