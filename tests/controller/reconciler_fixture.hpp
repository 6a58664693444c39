// The reconciler in a world that a test holds in its hand: a clock that moves when it says so, a
// store in memory, and an observer that answers what it is told to.
#pragma once

#include "reconciler.hpp"
#include "subject.hpp"
#include "support/fake_clock.hpp"
#include "support/sample_installation.hpp"
#include <ome/core/policy_resolution.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/routing/drains.hpp>
#include <ome/routing/ownership.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ome::test {

using namespace std::chrono_literals;

inline core::RoutingSettings installation() {
    core::RoutingSettings settings = sample_installation();
    settings.observer.max_concurrent_requests = 16;
    settings.capacity.max_age = "40s";
    return settings;
}

inline routing::InferenceService routed_service(const std::string& name = "chat") {
    routing::InferenceService service;
    service.key = {"demo", name};
    service.uid = "uid-" + name;
    service.generation = 1;
    service.placement = routing::PlacementIntent{.policy = "ClusterAffinity", .mode = "Split"};
    service.status = routing::PlacementStatus{.phase = "Placed", .candidates = {}};
    for (const char* cluster : {"worker-a", "worker-b"}) {
        service.status->candidates.push_back(
            {.cluster = cluster,
             .phase = "Admitted",
             .endpoint = std::string("http://") + cluster + ".test",
             .admitted_replicas = 2,
             .ready_replicas = 2});
    }
    return service;
}

class ReconcilerTest : public testing::Test {
protected:
    controller::Reconciler& reconciler() {
        if (reconciler_ == nullptr) {
            reconciler_ = std::make_unique<controller::Reconciler>(
                controller::ReconcilerSettings{.installation = settings}, clock.now());
        }
        return *reconciler_;
    }

    /// The process is gone and another begins; the maps are what is left.
    void restart() {
        reconciler_.reset();
        declared.clear();
        tell_everything();
    }

    void begin() { restart(); }

    /// What a store tells at the begin of a lead.
    void tell_everything() {
        for (const auto& [key, map] : maps) {
            reconciler().hear(controller::news::MapIs{map}, clock.now());
        }
        for (const auto& [key, service] : services) {
            reconciler().hear(controller::news::ServiceIs{service}, clock.now());
        }
        reconciler().hear(controller::news::Listed{}, clock.now());
    }

    void put(routing::InferenceService service) {
        auto shared = std::make_shared<const routing::InferenceService>(std::move(service));
        services[shared->key] = shared;
        reconciler().hear(controller::news::ServiceIs{shared}, clock.now());
    }

    void remove(const core::ServiceKey& key) {
        services.erase(key);
        reconciler().hear(controller::news::ServiceGone{key}, clock.now());
    }

    /// Passes and writes until nothing is left to do at this instant.
    void settle() {
        for (int round = 0; round < 100; ++round) {
            controller::Work work = reconciler().work(clock.now(), 1000);
            for (const controller::Notice& notice : work.notices) {
                notices.push_back(notice);
            }
            if (work.store.empty()) {
                return;
            }
            for (const controller::StoreRequest& request : work.store) {
                carry_out(request);
            }
        }
        FAIL() << "the controller does not come to rest";
    }

    void advance(core::Duration by) {
        clock.advance(by);
        settle();
    }

    /// The observer takes everything that is wanted, and tells what it knows.
    void sync() {
        for (const core::ServiceKey& key : reconciler().begin_sync(clock.now())) {
            take(reconciler().request_for(key));
        }
        for (const auto& [key, declaration] : declared) {
            reconciler().told(answer(key), 0, clock.now());
        }
        reconciler().synced(clock.now());
        advance(50ms);
    }

    /// Single declarations, answered at once.
    void exchange() {
        while (auto request = reconciler().next_request()) {
            const auto ticket = request->ticket;
            const auto key = request->key;
            take(request);
            if (declared.contains(key)) {
                reconciler().told(answer(key), ticket, clock.now());
            }
        }
        advance(50ms);
    }

    void take(const std::optional<controller::DeclarationRequest>& request) {
        if (request && request->declaration) {
            declared[request->key] = *request->declaration;
        } else if (request) {
            declared.erase(request->key);
        }
    }

    wire::ServiceAnswer answer(const core::ServiceKey& key) {
        const core::ServiceDeclaration& declaration = declared.at(key);
        wire::ServiceAnswer told;
        told.instance = "one";
        told.revision = ++revision;
        told.service.key = key;
        told.service.owner_uid = declaration.owner_uid;
        told.service.suspended = declaration.suspended;
        for (const core::HomeDeclaration& home : declaration.homes) {
            told.service.homes.push_back(reading(declaration, home));
        }
        return told;
    }

    core::HomeReading reading(const core::ServiceDeclaration& declaration,
                              const core::HomeDeclaration& home) const {
        core::HomeReading told{
            .cluster = home.cluster, .endpoint = home.endpoint, .capacity = {}, .probe = {}};
        if (declaration.capacity) {
            core::CapacityReading capacity;
            capacity.policy_digest = declaration.capacity->digest;
            const auto known = ceilings.find(home.cluster);
            if (known != ceilings.end()) {
                capacity.ceiling = known->second;
            } else {
                capacity.fallback_reason = "no capacity report yet";
            }
            told.capacity = capacity;
        }
        const auto gate = gates.find(home.cluster);
        if (declaration.probe && (gate != gates.end() || home.restored)) {
            core::ProbeReading probe;
            probe.policy_digest = declaration.probe->digest;
            probe.gated = gate != gates.end() ? gate->second : home.restored->gated;
            probe.conclusive = true;
            probe.consecutive_failures = probe.gated ? 3 : 0;
            probe.result = probe.gated ? core::ProbeResult::Failing : core::ProbeResult::Passing;
            probe.message = probe.gated ? "HTTP 503" : "HTTP 200";
            probe.last_probe_time = clock.wall();
            told.probe = probe;
        }
        return told;
    }

    /// A line of the watch about every home of the service.
    void tell(const core::ServiceKey& key = {"demo", "chat"}) {
        reconciler().heard(clock.now());
        reconciler().changed(answer(key), clock.now());
        advance(50ms);
    }

    const routing::TrafficMap& map(const std::string& name = "chat") {
        const auto found = maps.find({"demo", name});
        static const routing::TrafficMap none;
        EXPECT_NE(found, maps.end()) << "there is no map " << name;
        return found == maps.end() ? none : *found->second;
    }

    const routing::Entry& entry(const std::string& cluster) {
        for (const routing::Entry& candidate : map().spec.entries) {
            if (candidate.cluster == cluster) {
                return candidate;
            }
        }
        static const routing::Entry none;
        ADD_FAILURE() << "there is no entry " << cluster;
        return none;
    }

    std::string weights() {
        std::string text;
        for (const routing::Entry& candidate : map().spec.entries) {
            text += (text.empty() ? "" : " ") + std::to_string(candidate.weight);
        }
        return text;
    }

    std::size_t noticed(std::string_view event) const {
        return static_cast<std::size_t>(
            std::count_if(notices.begin(), notices.end(), [event](const auto& one) {
                return one.event == event;
            }));
    }

    controller::MapStatus status(const std::string& name = "chat") {
        for (const controller::MapStatus& row : reconciler().statuses()) {
            if (row.key.name == name) {
                return row;
            }
        }
        return {.key = {}};
    }

    FakeClock clock;
    core::RoutingSettings settings = installation();
    std::map<core::ServiceKey, std::shared_ptr<const routing::InferenceService>> services;
    std::map<core::ServiceKey, std::shared_ptr<const routing::TrafficMap>> maps;
    std::map<core::ServiceKey, core::ServiceDeclaration> declared;
    std::map<std::string, std::int32_t> ceilings;
    std::map<std::string, bool> gates;
    std::vector<controller::Notice> notices;
    std::vector<controller::EventRecord> events;      ///< about services
    std::vector<controller::EventRecord> map_events;  ///< about maps
    std::vector<controller::DrainLapse> lapses;
    std::uint64_t revision = 0;
    std::size_t writes = 0;
    std::size_t fail_next = 0;  ///< writes that the store refuses
    bool lacks_right = false;   ///< and why

private:
    void carry_out(const controller::StoreRequest& request) {
        if (const auto* event = std::get_if<controller::EventRecord>(&request)) {
            (event->map_uid.empty() ? events : map_events).push_back(*event);
            return;
        }
        if (const auto* lapse = std::get_if<controller::DrainLapse>(&request)) {
            lapses.push_back(*lapse);
            return;
        }
        const auto* write = std::get_if<controller::MapWrite>(&request);
        const auto* remove = std::get_if<controller::MapDelete>(&request);
        const core::ServiceKey key = write != nullptr ? write->key : remove->key;
        const controller::Precondition& wanted =
            write != nullptr ? write->precondition : remove->precondition;
        const auto stored = maps.contains(key) ? maps[key] : nullptr;
        const controller::Precondition current =
            stored == nullptr
                ? controller::Precondition{}
                : controller::Precondition{stored->meta.uid, stored->meta.resource_version};
        controller::StoreResult result{.key = key};
        if (fail_next > 0) {
            --fail_next;
            result.outcome = controller::StoreResult::Outcome::Failed;
            result.problem = {"no space left on device"};
            result.told = lacks_right;
        } else if (!(wanted == current)) {
            result.outcome = controller::StoreResult::Outcome::Conflict;
            result.map = stored;
        } else if (write != nullptr) {
            auto next = stored == nullptr ? routing::TrafficMap{} : *stored;
            next.meta.key = key;
            next.meta.uid = "map-uid";
            controller::apply_write(next, *write);
            next.meta.resource_version = std::to_string(++version_);
            maps[key] = std::make_shared<const routing::TrafficMap>(std::move(next));
            result.map = maps[key];
            ++writes;
        } else {
            maps.erase(key);
            ++writes;
        }
        reconciler().hear(result, clock.now());
    }

    std::uint64_t version_ = 0;
    std::unique_ptr<controller::Reconciler> reconciler_;
};

}  // namespace ome::test
