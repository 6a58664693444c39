#include "events.hpp"
#include "naive_history.hpp"
#include "require.hpp"
#include "targets.hpp"
#include <ome/core/capacity_window.hpp>
#include <ome/core/probe_gate.hpp>

#include <string>
#include <tuple>

namespace ome::fuzz {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int longest_sequence = 400;

class WindowPair {
public:
    WindowPair(std::int32_t samples, std::int32_t quorum, core::Duration max_age)
        : real_({samples, quorum, max_age}),
          naive_(static_cast<std::size_t>(samples), static_cast<std::size_t>(quorum), max_age) {}

    void accept(const core::CapacityReport& report, core::WallTime now) {
        change([&] { return real_.accept(report, now); });
        naive_.accept(report, now);
    }
    void fail() {
        change([&] { return real_.fail("gone"); });
        naive_.fail();
    }
    void expire(core::WallTime now) {
        change([&] { return real_.expire(now); });
        naive_.expire(now);
        compare(now);
    }

private:
    template <typename Change>
    void change(Change make) {
        const auto before = std::tuple(real_.ceiling(), real_.reason());
        const bool told = make();
        require(told == (before != std::tuple(real_.ceiling(), real_.reason())),
                "a change is told, and nothing else");
    }

    void compare(core::WallTime now) const {
        require(real_.ceiling() == naive_.ceiling(), "the ceiling is that of the model");
        require(real_.samples().size() == naive_.size(), "as many samples as the model has");
        require(real_.ceiling().has_value() == real_.reason().empty(), "a ceiling or a reason");
        require(real_.valid_until() == naive_.valid_until(), "the model changes then, too");
        require(real_.next_change().has_value() == !real_.samples().empty(),
                "with samples something will change");
        require(!real_.next_change() || now < *real_.next_change(), "what expires is to come");
        core::CapacityWindow later = real_;
        if (const auto at = real_.next_change()) {
            require(!later.expire(*at + core::Duration(-1)), "nothing changes before");
            require(later.expire(*at), "something changes then");
        }
    }

    core::CapacityWindow real_;
    NaiveWindow naive_;
};

class GatePair {
public:
    GatePair(std::int32_t failures, std::int32_t passes)
        : rules_{failures, passes}, real_(rules_), naive_(failures, passes) {}

    void apply(core::ProbeResult result, core::WallTime now) {
        const auto shown = [this] {
            return std::tuple(real_.known(), real_.gated(), real_.failures(), real_.result());
        };
        const auto before = shown();
        const bool told = real_.apply({result, std::string(to_string(result))}, now);
        require(told || before == shown(), "a change is told");
        naive_.apply(result);
        compare();
    }

    // Promise 4: the process ends, and a new one begins with what is stored.
    void restart() {
        core::RestoredProbe saved;
        saved.gated = real_.gated();
        saved.consecutive_failures = real_.failures();
        saved.result = real_.result();
        const bool was_gated = real_.gated();
        real_ = core::ProbeGate(rules_, saved);
        naive_ = NaiveGate(rules_.failure_threshold, rules_.success_threshold);
        naive_.restore(saved.gated, saved.consecutive_failures);
        compare();
        require(real_.gated() == was_gated, "a gate survives a restart");
    }

private:
    void compare() const {
        const NaiveGate::Shown shown = naive_.shown();
        require(real_.gated() == shown.gated, "the gate is that of the model");
        require(real_.failures() == shown.failures, "so many failures in a row");
        require(real_.passes() == shown.passes, "so many passes in a row");
        require(!real_.gated() || real_.conclusive(), "a gate has evidence");
        require(!real_.reachable() || *real_.reachable() == !real_.gated(), "gated or reachable");
    }

    core::GateRules rules_;
    core::ProbeGate real_;
    NaiveGate naive_;
};

core::CapacityReport report_from(Choices& choices, core::WallTime now) {
    const core::Duration age = milliseconds(100) * (choices.up_to(255) - 40);
    return {choices.up_to(7), now + core::Duration(-age.count())};
}

}  // namespace

// Rules first, then events: reports of any age, failures, time that passes or steps back, probes of
// any result, restarts.
void check_history(std::string_view input) {
    Choices choices(input);
    const std::int32_t samples = 1 + choices.up_to(5);
    WindowPair window(samples, 1 + choices.up_to(samples - 1), seconds(1 + choices.up_to(20)));
    const std::int32_t failures = 1 + choices.up_to(4);
    GatePair gate(failures, 1 + choices.up_to(4));
    core::WallTime now{1'790'589'600, 0};
    for (int step = 0; step < longest_sequence && !choices.done(); ++step) {
        switch (choices.up_to(9)) {
            case 0:
            case 1:
            case 2:
                window.accept(report_from(choices, now), now);
                break;
            case 3:
                window.fail();
                break;
            case 4:
                now = now + milliseconds(250) * choices.up_to(31);
                break;
            case 5:  // somebody sets the clock back
                now = now + milliseconds(-250) * choices.up_to(7);
                break;
            case 6:
                gate.restart();
                break;
            case 7:
                gate.apply(core::ProbeResult::Failing, now);
                break;
            case 8:
                gate.apply(core::ProbeResult::Passing, now);
                break;
            default:
                gate.apply(core::ProbeResult::Unknown, now);
        }
        window.expire(now);
    }
}

}  // namespace ome::fuzz
