// The store of a simulation: maps in memory, written late, sometimes not at all.
#include "model/simulation.hpp"
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json/parse.hpp>

namespace ome::model {

using namespace std::chrono_literals;
using controller::StoreResult;

void Simulation::store(const controller::StoreRequest& request) {
    const core::Duration delay = std::chrono::milliseconds(pick(random_, 400));
    if (const auto* write = std::get_if<controller::MapWrite>(&request)) {
        at(delay, [this, write = *write] { store(write); });
    } else if (const auto* wanted = std::get_if<controller::MapDelete>(&request)) {
        at(delay, [this, wanted = *wanted] { store(wanted); });
    }
}

boost::json::object document_of(const routing::TrafficMap& map) {
    std::string text;
    wire::append_traffic_map_json(text, map);
    return boost::json::parse(text).as_object();
}

namespace {

/// Each home: its weight, its ceiling or why there is none, and its gate.
std::string summary(const routing::TrafficMap& map) {
    std::string text;
    for (const routing::Entry& entry : map.spec.entries) {
        const auto& capacity = entry.capacity;
        text += entry.cluster + " " + std::to_string(entry.weight) + " " +
                (capacity.reported ? std::to_string(*capacity.reported)
                                   : "(" + capacity.fallback_reason + ")") +
                (entry.probe && entry.probe->gated ? " gated; " : "; ");
    }
    return text;
}

}  // namespace

// What was submitted is carried out even when its controller is gone by then.
void Simulation::store(const controller::MapWrite& write) {
    const auto found = maps_.find(write.key);
    const bool as_expected =
        found == maps_.end()
            ? write.precondition.uid.empty()
            : found->second.meta.uid == write.precondition.uid &&
                  found->second.meta.resource_version == write.precondition.resource_version;
    StoreResult answer;
    answer.key = write.key;
    if (!as_expected) {
        answer.outcome = StoreResult::Outcome::Conflict;
    } else if (chance(random_, 0.05)) {
        answer.outcome = StoreResult::Outcome::Failed;
        answer.problem = {"no space left"};
    } else {
        routing::TrafficMap& map = maps_[write.key];
        map.meta.key = write.key;
        if (map.meta.uid.empty()) {
            map.meta.uid = "map-" + std::to_string(++writes_);
        }
        controller::apply_write(map, write);
        map.meta.resource_version = std::to_string(++writes_);
        note("written " + write.key.name + ": " + summary(map));
        checker_.version(now_ms(), write.key.ns + "/" + write.key.name, document_of(map));
        if (look_) {
            look_(map);
        }
    }
    if (answer.outcome != StoreResult::Outcome::Failed && maps_.contains(write.key)) {
        answer.map = std::make_shared<routing::TrafficMap>(maps_.at(write.key));
    }
    result(std::move(answer));
}

void Simulation::store(const controller::MapDelete& wanted) {
    const auto found = maps_.find(wanted.key);
    StoreResult answer;
    answer.key = wanted.key;
    if (found != maps_.end() &&
        (found->second.meta.uid != wanted.precondition.uid ||
         found->second.meta.resource_version != wanted.precondition.resource_version)) {
        answer.outcome = StoreResult::Outcome::Conflict;
        answer.map = std::make_shared<routing::TrafficMap>(found->second);
    } else if (found != maps_.end()) {
        maps_.erase(found);
        checker_.deleted(now_ms(), wanted.key.ns + "/" + wanted.key.name);
    }
    result(std::move(answer));
}

void Simulation::result(StoreResult result) {
    at(std::chrono::milliseconds(pick(random_, 50)),
       [this, result = std::move(result), life = controller_life_] {
           if (controller_ != nullptr && life == controller_life_) {
               controller_->hear(result, clock_.now());
           }
       });
}

void Simulation::start_controller() {
    if (controller_ != nullptr) {
        return;  // started meanwhile
    }
    note("controller starts");
    world_.restarted(now_ms());
    ++controller_life_;
    controller_ = std::make_unique<controller::Reconciler>(
        controller::ReconcilerSettings{.installation = installation()}, clock_.now());
    for (const Scenario& scenario : scenarios_) {
        tell_service(scenario);
    }
    for (const auto& [key, map] : maps_) {
        news(controller::news::MapIs{std::make_shared<routing::TrafficMap>(map)});
    }
    news(controller::news::Listed{});
    if (silent_) {
        world_.heard(now_ms());
    }
    world_.silent(now_ms());
    silent_ = true;
}

void Simulation::step_controller() {
    if (controller_ == nullptr) {
        return;
    }
    if (!connected_ && observer_ != nullptr && chance(random_, 0.1)) {
        connect();
    }
    send_one();
    const controller::Work work = controller_->work(clock_.now(), 100);
    for (const controller::StoreRequest& request : work.store) {
        store(request);
    }
}

}  // namespace ome::model
