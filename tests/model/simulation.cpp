#include "model/simulation.hpp"

#include <algorithm>

namespace ome::model {
namespace {

using namespace std::chrono_literals;

// What is told is acted upon within this, stand-stills of the controller apart.
constexpr Millis lag = 1'500;

std::string summary(const ServiceFacts& facts) {
    std::string text = facts.uid + (facts.routed ? "" : " not routed") +
                       (facts.valid ? "" : " invalid") +
                       (facts.probe ? " probe " + facts.probe->settings : "") +
                       (facts.capacity ? " poll " + facts.capacity->settings : "");
    for (const auto& [cluster, home] : facts.homes) {
        text += ", " + cluster + " " + home.endpoint;
    }
    for (const auto& [id, cluster] : facts.drains) {
        text += ", " + id + " of " + cluster;
    }
    return text;
}

core::Duration some(Random& random, core::Duration most) {
    return std::chrono::milliseconds(
        pick(random, static_cast<std::size_t>(most / std::chrono::milliseconds(1)) + 1));
}

}  // namespace

Simulation::Simulation(std::uint64_t seed) : random_(seed), world_(lag), checker_(world_) {
    const std::size_t services = 1 + pick(random_, 3);
    for (std::size_t i = 0; i < services; ++i) {
        scenarios_.emplace_back("demo", "service-" + std::to_string(i), random_);
    }
    if (chance(random_, 0.3)) {
        const core::ServiceKey key = scenarios_.back().key();
        routing::TrafficMap& foreign = maps_[key];
        foreign.meta.key = key;
        foreign.meta.uid = "foreign";
        foreign.meta.resource_version = "1";
        foreign.meta.owner_references = {
            {"ome.io/v1beta1", "InferenceService", key.name, "other", true, true}};
        world_.foreign(key.ns + "/" + key.name);
        checker_.version(now_ms(), key.ns + "/" + key.name, document_of(foreign));
    }
    for (const Scenario& scenario : scenarios_) {
        world_.facts(now_ms(), scenario.text_key(), scenario.facts());
    }
    world_.silent(now_ms());
    silent_ = true;
    start_observer();
    start_controller();
}

Millis Simulation::now_ms() const {
    return clock_.wall().seconds * 1000 + clock_.wall().nanoseconds / 1'000'000;
}

void Simulation::at(core::Duration delay, Action action) {
    actions_.emplace(clock_.steady() + delay, std::move(action));
}

void Simulation::note(const std::string& text) {
    log_.push_back(std::to_string(now_ms()) + " " + text);
}

void Simulation::run(std::chrono::seconds length) {
    const core::SteadyTime end = clock_.steady() + length;
    core::SteadyTime next_trouble = clock_.steady() + 2s;
    while (clock_.steady() < end) {
        clock_.advance(50ms);
        while (!actions_.empty() && actions_.begin()->first <= clock_.steady()) {
            const Action action = std::move(actions_.begin()->second);
            actions_.erase(actions_.begin());
            action();
        }
        step_observer();
        hear_all();
        step_controller();
        if (clock_.steady() >= next_trouble) {
            disturb();
            next_trouble = clock_.steady() + some(random_, 2s);
        }
    }
}

void Simulation::disturb() {
    switch (pick(random_, 20)) {
        case 0:
            note("observer killed");
            start_observer();
            disconnect("observer gone");
            break;
        case 1:
            note("controller killed");
            controller_.reset();
            disconnect("controller gone");
            at(some(random_, 6s), [this] { start_controller(); });
            break;
        case 2:
            hang();
            break;
        case 3:
            disconnect("reset");
            break;
        case 4:
            if (delivers()) {
                listen("{\"type\":\"Reading\",\"instance\":7");
            }
            break;
        case 5:
            edit_map();
            break;
        case 6:
        case 7:
        case 8:
        case 9:
            change_service();
            break;
        default:
            flip_home();
    }
}

void Simulation::flip_home() {
    const Scenario& scenario = scenarios_[pick(random_, scenarios_.size())];
    const std::string cluster =
        "worker-" + std::string(1, static_cast<char>('a' + pick(random_, 4)));
    HomeState& home = homes_[scenario.text_key()][cluster];
    constexpr AnswerKind verdicts[] = {
        AnswerKind::Passing, AnswerKind::Failing, AnswerKind::Unknown};
    home.probe = chance(random_, 0.4) ? AnswerKind::Failing : verdicts[pick(random_, 3)];
    home.poll = chance(random_, 0.7) ? AnswerKind::Report : AnswerKind::NoReport;
    home.servable = static_cast<std::int64_t>(pick(random_, 7));
}

void Simulation::change_service() {
    Scenario& scenario = scenarios_[pick(random_, scenarios_.size())];
    scenario.change(random_);
    world_.facts(now_ms(), scenario.text_key(), scenario.facts());
    note("changed " + scenario.text_key() + ": " + summary(scenario.facts()));
    at(some(random_, 500ms),
       [this, index = static_cast<std::size_t>(&scenario - scenarios_.data())] {
           tell_service(scenarios_[index]);
       });
}

void Simulation::tell_service(const Scenario& scenario) {
    if (scenario.exists()) {
        news(controller::news::ServiceIs{scenario.service()});
    } else {
        news(controller::news::ServiceGone{scenario.key()});
    }
    at(some(random_, 2s), [this, index = static_cast<std::size_t>(&scenario - scenarios_.data())] {
        collect_garbage(scenarios_[index]);
    });
}

// As Kubernetes does: what belongs to a service that is not there any more goes.
void Simulation::collect_garbage(const Scenario& scenario) {
    const auto map = maps_.find(scenario.key());
    if (map == maps_.end() || world_.is_foreign(scenario.text_key()) ||
        (scenario.exists() && map->second.meta.owner_references.at(0).uid == scenario.uid())) {
        return;
    }
    maps_.erase(map);
    checker_.collected(scenario.text_key());
    news(controller::news::MapGone{scenario.key()});
}

// Somebody's hand; the controller must put it right.
void Simulation::edit_map() {
    if (maps_.empty()) {
        return;
    }
    auto& [key, map] = *maps_.begin();
    if (world_.is_foreign(key.ns + "/" + key.name) || map.spec.entries.empty()) {
        return;
    }
    map.spec.entries.front().weight += 7;
    ++map.meta.generation;
    map.meta.resource_version = std::to_string(++writes_);
    note("edited " + key.name);
    news(controller::news::MapIs{std::make_shared<routing::TrafficMap>(map)});
}

void Simulation::news(controller::StoreNews told) {
    if (controller_ != nullptr) {
        controller_->hear(told, clock_.now());
    }
}

}  // namespace ome::model
