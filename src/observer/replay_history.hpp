// What a replay knows of one (service, home, endpoint): the same window, gate and judgements as in
// the sidecar, fed with given results.
#pragma once

#include <ome/core/capacity_window.hpp>
#include <ome/core/probe_gate.hpp>
#include <ome/core/schedule.hpp>
#include <ome/wire/replay_document.hpp>

#include <optional>
#include <string>

namespace ome::observer {

/// The policies are those of the last begin_...() wherever they are asked for.
class ReplayHistory {
public:
    /// `target_error`: why the endpoint is no target; empty: it is one.
    ReplayHistory(std::string cluster, std::string target_error);

    void begin_polls(const wire::ReplayPolicies& policies);
    void begin_probes(const wire::ReplayPolicies& policies,
                      const std::optional<core::RestoredProbe>& saved = std::nullopt);

    /// A Poll or a Probe; nothing else changes anything.
    void take(const wire::ReplayPolicies& policies, const wire::ReplayEvent& event);

    /// Valid until the next call.
    [[nodiscard]] core::HomeReading& read(const wire::ReplayPolicies& policies, core::WallTime at);

    /// As it is shown.
    void set_endpoint(std::string_view endpoint) { reading_.endpoint.assign(endpoint); }

private:
    void poll(const core::CapacityPolicy& policy, const wire::ReplayEvent& event);
    void probe(const core::ProbePolicy& policy, const wire::ReplayEvent& event);
    void read_capacity(const core::CapacityPolicy& policy, core::WallTime at);
    void read_probe(const core::ProbePolicy& policy);
    void advance(std::optional<core::Schedule>& schedule, core::WallTime at, core::Duration period);
    [[nodiscard]] std::optional<core::WallTime> due(
        const std::optional<core::Schedule>& schedule) const;

    std::string target_error_;
    std::optional<core::CapacityWindow> window_;
    std::optional<core::ProbeGate> gate_;
    std::optional<core::WallTime> origin_;  ///< of the schedules' clock: the first result
    std::optional<core::Schedule> polls_;   ///< from the first result on
    std::optional<core::Schedule> probes_;  ///< from the first result on
    std::optional<core::WallTime> last_poll_;
    core::HomeReading reading_;  ///< kept, so that its memory is
};

}  // namespace ome::observer
