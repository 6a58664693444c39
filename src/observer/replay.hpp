// Events in virtual time through the deciding code of the core: the same windows, gates and
// judgements as in the sidecar, without network or waiting.
#pragma once

#include <ome/core/capacity_window.hpp>
#include <ome/core/probe_gate.hpp>
#include <ome/core/schedule.hpp>
#include <ome/wire/replay_document.hpp>

#include <memory>
#include <string>
#include <unordered_map>

namespace ome::observer {

class Replay {
public:
    explicit Replay(wire::ReplayPolicies policies);

    /// Applies the event and gives what is known of its home afterwards, valid until the next one;
    /// null after a change of policies. Time never goes back. A problem means that nothing
    /// happened.
    [[nodiscard]] core::Result<const core::HomeReading*> apply(const wire::ReplayEvent& event);

private:
    /// What is known of one (service, home, endpoint).
    struct History {
        std::string target_error;  ///< why it is no target; empty: it is one
        std::optional<core::CapacityWindow> window;
        std::optional<core::ProbeGate> gate;
        std::optional<core::Schedule> polls;   ///< from the first event on
        std::optional<core::Schedule> probes;  ///< from the first event on
        std::optional<core::WallTime> last_poll;
        core::HomeReading reading;  ///< kept, so that its memory is
    };

    [[nodiscard]] History& history_of(const wire::ReplayEvent& event);
    [[nodiscard]] std::shared_ptr<History> start(const wire::ReplayEvent& event);
    void start_window(History& history) const;
    void start_gate(History& history) const;
    void poll(History& history, const wire::ReplayEvent& event) const;
    void probe(History& history, const wire::ReplayEvent& event) const;
    void read(History& history, core::WallTime at) const;
    [[nodiscard]] std::optional<core::Problem> change_policies(const std::string& text);

    [[nodiscard]] core::SteadyTime steady(core::WallTime at) const;
    [[nodiscard]] std::optional<core::WallTime> due(
        const std::optional<core::Schedule>& schedule) const;

    wire::ReplayPolicies policies_;
    std::optional<core::WallTime> origin_;  // the first event about a home
    std::optional<core::WallTime> now_;
    std::string key_;  // of the event at hand
    std::unordered_map<std::string, std::shared_ptr<History>> by_spelling_;
    std::unordered_map<std::string, std::shared_ptr<History>> by_identity_;
};

}  // namespace ome::observer
