// The observer of a simulation, and the connection to it.
#include "model/simulation.hpp"
#include <ome/wire/declaration_text.hpp>

namespace ome::model {

using namespace std::chrono_literals;

void Simulation::start_observer() {
    flights_.clear();
    observer_ = std::make_unique<FakeObserver>("observer-" + std::to_string(++observer_life_));
}

void Simulation::step_observer() {
    core::Fleet& fleet = observer_->fleet();
    fleet.gather(clock_.now());
    while (flights_.size() < 16) {
        auto attempt = fleet.take(clock_.now());
        if (!attempt) {
            break;
        }
        const std::uint64_t flight = ++last_flight_;
        const std::string key = attempt->plan->service.ns + "/" + attempt->plan->service.name;
        const std::string cluster(fleet.cluster_of(*attempt));
        const HomeState home = homes_[key][cluster];
        flights_[flight] = {std::move(*attempt), cluster, home};
        at(std::chrono::milliseconds(pick(random_, 900)), [this, flight, life = observer_life_] {
            if (life == observer_life_) {
                finish(flight);
            }
        });
    }
}

void Simulation::finish(std::uint64_t flight) {
    const auto found = flights_.find(flight);
    const Flight ended = std::move(found->second);
    flights_.erase(found);
    observer_->fleet().finish(ended.attempt, outcome_of(ended), clock_.now());
}

core::AttemptOutcome Simulation::outcome_of(const Flight& flight) {
    const auto& [attempt, cluster, home] = flight;
    core::AttemptOutcome outcome;
    if (chance(random_, 0.03)) {
        outcome.fault = chance(random_, 0.5) ? core::Fault::Cancelled : core::Fault::Stalled;
        if (outcome.fault == core::Fault::Cancelled) {
            return outcome;
        }
    }
    const std::string key = attempt.plan->service.ns + "/" + attempt.plan->service.name;
    const bool poll = attempt.plan->kind == core::Kind::Poll;
    const AnswerKind kind = poll ? home.poll : home.probe;
    world_.answer(key, cluster, {now_ms(), kind, home.servable});
    if (kind == AnswerKind::Failing || kind == AnswerKind::NoReport) {
        outcome.status = 503;
    } else if (kind == AnswerKind::Unknown) {
        outcome.status = 301;
    } else {
        outcome.status = 200;
    }
    if (kind == AnswerKind::Report) {
        outcome.report =
            core::CapacityReport{static_cast<std::int32_t>(home.servable), clock_.wall()};
    }
    return outcome;
}

void Simulation::connect() {
    if (hung_ || !controller_->knows_everything()) {
        return;
    }
    connected_ = true;
    ++connection_;
    note("connected to " + observer_->instance());
    std::vector<controller::DeclarationRequest> requests;
    for (const core::ServiceKey& key : controller_->begin_sync(clock_.now())) {
        if (auto request = controller_->request_for(key)) {
            requests.push_back(std::move(*request));
        }
    }
    at(std::chrono::milliseconds(pick(random_, 300)),
       [this, requests = std::move(requests), connection = connection_] {
           if (connection != connection_ || !delivers()) {
               return;
           }
           std::vector<core::ServiceKey> kept;
           for (const controller::DeclarationRequest& request : requests) {
               std::string line;
               wire::append_declaration(line, *request.declaration);
               kept.push_back(request.key);
               if (const auto answer = observer_->put(line, clock_.now()); !answer) {
                   controller_->refused(request.key, request.ticket, answer.error(), clock_.now());
               }
           }
           observer_->keep_only(kept, clock_.now());
           const auto list = wire::read_services_answer(observer_->list(clock_.now()));
           watched_ = list->revision;
           for (const wire::ServiceAnswer& service : list->services) {
               controller_->told(service, 0, clock_.now());
           }
           controller_->synced(clock_.now());
           heard();
           synced_ = true;
       });
}

void Simulation::disconnect(const std::string& why) {
    if (connected_) {
        note("disconnected: " + why);
    }
    connected_ = false;
    synced_ = false;
    ++connection_;
    if (!silent_) {
        silent_ = true;
        world_.silent(now_ms());
    }
}

void Simulation::hang() {
    if (hung_) {
        return;
    }
    note("the observer hangs");
    hung_ = true;
    if (!silent_) {
        silent_ = true;
        world_.silent(now_ms());
    }
    at(std::chrono::milliseconds(pick(random_, 15'000)), [this] {
        note("the observer goes on");
        hung_ = false;
        disconnect("after a hang");
    });
}

void Simulation::heard() {
    controller_->heard(clock_.now());
    if (silent_) {
        silent_ = false;
        world_.heard(now_ms());
    }
}

void Simulation::hear_all() {
    if (controller_ == nullptr || !synced_ || !delivers()) {
        return;
    }
    for (const std::string& line : observer_->lines(watched_, clock_.now())) {
        listen(line);
    }
    if (clock_.steady() >= next_bookmark_) {
        next_bookmark_ = clock_.steady() + 1s;
        listen(observer_->bookmark());
    }
}

void Simulation::listen(const std::string& line) {
    if (line.empty() || controller_ == nullptr) {
        return;
    }
    const auto read = wire::read_watch_line(line);
    if (!read) {
        disconnect(read.error().message);
        return;
    }
    if (const auto* reading = std::get_if<wire::watch::Reading>(&*read)) {
        controller_->changed(reading->answer, clock_.now());
    } else if (const auto* forgotten = std::get_if<wire::watch::Forgotten>(&*read)) {
        controller_->forgotten(*forgotten, clock_.now());
    }
    heard();
}

// One declaration at a time; its answer may be lost on the way.
void Simulation::send_one() {
    if (!synced_ || !delivers() || waiting_) {
        return;
    }
    auto request = controller_->next_request();
    if (!request) {
        return;
    }
    waiting_ = true;
    at(std::chrono::milliseconds(pick(random_, 200)),
       [this, request = std::move(*request), connection = connection_] {
           waiting_ = false;
           if (observer_ == nullptr || (connection != connection_ && chance(random_, 0.5))) {
               return;
           }
           const bool reaches = connection == connection_ && delivers() && controller_ != nullptr;
           if (!request.declaration) {
               observer_->forget(request.key, clock_.now());
               return;
           }
           std::string line;
           wire::append_declaration(line, *request.declaration);
           const auto answer = observer_->put(line, clock_.now());
           if (!reaches) {
               return;
           }
           if (chance(random_, 0.05)) {
               disconnect("the answer was lost");
               return;
           }
           heard();
           if (!answer) {
               controller_->refused(request.key, request.ticket, answer.error(), clock_.now());
               return;
           }
           controller_->told(*wire::read_service_answer(*answer), request.ticket, clock_.now());
       });
}

}  // namespace ome::model
