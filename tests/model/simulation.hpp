// A random run of controller and observer in one process: a fake clock, a store in memory, and a
// connection that loses, delays, hangs and garbles. Every written map goes to the checker.
#pragma once

#include "controller/reconciler.hpp"
#include "model/fake_observer.hpp"
#include "model/map_checker.hpp"
#include "model/scenario.hpp"
#include "support/fake_clock.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ome::model {

/// As it is stored.
[[nodiscard]] boost::json::object document_of(const routing::TrafficMap& map);

class Simulation {
public:
    explicit Simulation(std::uint64_t seed);

    /// Fake time; bounded work for each second of it.
    void run(std::chrono::seconds length);

    /// Who wants to see every map as it is written, besides the checker.
    void on_written(std::function<void(const routing::TrafficMap&)> look) {
        look_ = std::move(look);
    }
    [[nodiscard]] const MapChecker& checker() const { return checker_; }
    /// What happened, for people who look for the reason of a violation.
    [[nodiscard]] const std::vector<std::string>& log() const { return log_; }

private:
    struct HomeState {
        AnswerKind probe = AnswerKind::Passing;
        AnswerKind poll = AnswerKind::Report;
        std::int64_t servable = 4;
    };
    struct Flight {
        core::Attempt attempt;
        std::string cluster;
        HomeState answer;
    };
    using Action = std::function<void()>;

    [[nodiscard]] Millis now_ms() const;
    void at(core::Duration delay, Action action);
    void note(const std::string& text);

    // The world.
    void disturb();
    void flip_home();
    void change_service();
    void tell_service(const Scenario& scenario);
    void edit_map();

    // The store.
    void store(const controller::StoreRequest& request);
    void store(const controller::MapWrite& write);
    void store(const controller::MapDelete& wanted);
    void result(controller::StoreResult result);
    void news(controller::StoreNews told);
    void collect_garbage(const Scenario& scenario);

    // The controller.
    void start_controller();
    void step_controller();

    // The observer.
    void start_observer();
    void step_observer();
    void finish(std::uint64_t flight);
    [[nodiscard]] core::AttemptOutcome outcome_of(const Flight& flight);

    // The connection.
    void connect();
    void disconnect(const std::string& why);
    void hear_all();
    void listen(const std::string& line);
    void send_one();
    void hang();
    [[nodiscard]] bool delivers() const { return connected_ && !hung_ && observer_ != nullptr; }
    void heard();

    Random random_;
    test::FakeClock clock_;
    World world_;
    MapChecker checker_;
    std::vector<Scenario> scenarios_;
    std::map<std::string, std::map<std::string, HomeState>> homes_;
    std::multimap<core::SteadyTime, Action> actions_;
    std::map<core::ServiceKey, routing::TrafficMap> maps_;
    std::uint64_t writes_ = 0;
    std::unique_ptr<controller::Reconciler> controller_;
    std::uint64_t controller_life_ = 0;
    std::unique_ptr<FakeObserver> observer_;
    std::uint64_t observer_life_ = 0;
    std::map<std::uint64_t, Flight> flights_;
    std::uint64_t last_flight_ = 0;
    bool connected_ = false;
    bool hung_ = false;
    bool synced_ = false;
    bool waiting_ = false;  ///< for the answer to a declaration
    bool silent_ = false;
    std::uint64_t connection_ = 0;
    std::uint64_t watched_ = 0;
    core::SteadyTime next_bookmark_{};
    std::vector<std::string> log_;
    std::function<void(const routing::TrafficMap&)> look_;
};

}  // namespace ome::model
