#include "fleet.hpp"

#include "behaviour_json.hpp"

#include <fnmatch.h>

#include <cmath>

namespace ome::homesim {
namespace {

SharedBehaviour plain_behaviour(core::Kind kind) {
    Behaviour behaviour;
    behaviour.steps = {plain_step(kind)};
    return std::make_shared<const Behaviour>(std::move(behaviour));
}

/// Bresenham's way: exactly the percentage of any run of homes, evenly spread.
bool in_share(std::size_t index, double percent) {
    const auto below = [percent](std::size_t n) {
        return std::floor(static_cast<double>(n) * percent / 100.0);
    };
    return below(index + 1) > below(index);
}

void set(Observed& observed, const SharedBehaviour& behaviour, core::SteadyTime now) {
    if (behaviour) {
        observed.behaviour = behaviour;
        observed.changed = now;
        observed.attempts = 0;
    }
}

}  // namespace

Fleet::Fleet(std::vector<std::string> names, core::SteadyTime now)
    : plain_{plain_behaviour(core::Kind::Poll), plain_behaviour(core::Kind::Probe)} {
    homes_.reserve(names.size());
    for (std::string& name : names) {
        homes_.emplace_back().name = std::move(name);
    }
    for (Home& home : homes_) {
        by_name_.try_emplace(home.name, &home);
    }
    reset_behaviours(now);
}

Home* Fleet::find(std::string_view name) {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

std::vector<Home*> Fleet::select(const Selection& selection) {
    std::vector<Home*> matching;
    for (Home& home : homes_) {
        if (fnmatch(selection.pattern.c_str(), home.name.c_str(), 0) == 0) {
            matching.push_back(&home);
        }
    }
    std::vector<Home*> chosen;
    for (std::size_t i = 0; i < matching.size(); ++i) {
        if (in_share(i, selection.percent)) {
            chosen.push_back(matching[i]);
        }
    }
    return chosen;
}

std::size_t Fleet::apply(const Selection& selection, const Change& change, core::SteadyTime now) {
    const std::vector<Home*> chosen = select(selection);
    for (Home* home : chosen) {
        set(home->of(core::Kind::Poll), change.poll, now);
        set(home->of(core::Kind::Probe), change.probe, now);
        home->accept = change.accept.value_or(home->accept);
    }
    return chosen.size();
}

std::shared_ptr<const Step> Fleet::begin(Home& home,
                                         core::Kind kind,
                                         bool fresh,
                                         core::SteadyTime now) {
    Observed& observed = home.of(kind);
    observed.counters.begin(fresh);
    observed.gaps.mark(now);
    total_of(kind).begin(fresh);
    const std::size_t index =
        step_index(*observed.behaviour, observed.attempts++, now - observed.changed);
    return {observed.behaviour, &observed.behaviour->steps[index]};
}

void Fleet::answer(Home& home, core::Kind kind) {
    home.of(kind).counters.answer();
    total_of(kind).answer();
}

void Fleet::cut(Home& home, core::Kind kind) {
    home.of(kind).counters.cut();
    total_of(kind).cut();
}

void Fleet::leave(Home& home, core::Kind kind, Left how) {
    home.of(kind).counters.leave(how);
    total_of(kind).leave(how);
}

void Fleet::reset_counters() {
    for (Home& home : homes_) {
        for (Observed& observed : home.observed) {
            observed.counters.reset();
            observed.gaps.reset();
        }
        home.connections = 0;
    }
    for (RequestCounters& counters : totals_) {
        counters.reset();
    }
}

void Fleet::reset_behaviours(core::SteadyTime now) {
    (void)apply({}, {plain_[0], plain_[1], Accept::Serve}, now);
}

}  // namespace ome::homesim
