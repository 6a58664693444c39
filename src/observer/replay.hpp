// Events in virtual time through the deciding code of the core: the same windows, gates and
// judgements as in the sidecar, without network or waiting.
#pragma once

#include "replay_history.hpp"
#include "replay_service.hpp"
#include <ome/wire/replay_document.hpp>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace ome::observer {

/// Whose policies decide about a service whose declaration is in the recording.
enum class Obey : std::uint8_t { Declared, Given };

class Replay {
public:
    /// `policies`: of services that no event declares; absent: there must be none.
    explicit Replay(std::optional<wire::ReplayPolicies> policies, Obey obey = Obey::Declared);

    /// Applies the event and gives what is known of its home afterwards, valid until the next one;
    /// null after an event that is about no home. The time of a service never goes back. A problem
    /// means that nothing happened.
    [[nodiscard]] core::Result<const core::HomeReading*> apply(const wire::ReplayEvent& event);

    /// Those that decide about a service now; null: there are none.
    [[nodiscard]] const wire::ReplayPolicies* policies_of(const std::string& service) const;

private:
    using Reading = core::Result<const core::HomeReading*>;

    struct Service {
        std::optional<core::WallTime> now;      ///< of the last event about it
        std::optional<ReplayService> declared;  ///< absent: not declared, or forgotten
    };

    [[nodiscard]] std::optional<core::Problem> refuse_past(const wire::ReplayEvent& event,
                                                           const Service& service) const;
    [[nodiscard]] Reading apply_to(Service& service, const wire::ReplayEvent& event);
    [[nodiscard]] Reading declare(Service& service, const wire::ReplayEvent& event);
    [[nodiscard]] Reading change_policies(const wire::ReplayEvent& event);
    [[nodiscard]] Reading forget(Service& service, const wire::ReplayEvent& event);
    void forget_all();

    [[nodiscard]] Reading read_undeclared(const wire::ReplayEvent& event);
    [[nodiscard]] ReplayHistory& history_of(const wire::ReplayEvent& event);
    [[nodiscard]] std::shared_ptr<ReplayHistory> start(const wire::ReplayEvent& event);

    [[nodiscard]] Service& service_of(const wire::ReplayEvent& event);
    /// Those that are obeyed in place of declared ones.
    [[nodiscard]] const std::optional<wire::ReplayPolicies>& instead() const;

    std::optional<wire::ReplayPolicies> policies_;
    Obey obey_;
    std::optional<core::WallTime> now_;    // of the latest event
    std::optional<core::WallTime> floor_;  // of the last event about all services
    std::string key_;                      // of the event at hand
    std::unordered_map<std::string, Service> services_;

    // Of services without a declaration.
    std::unordered_map<std::string, std::shared_ptr<ReplayHistory>> by_spelling_;
    std::unordered_map<std::string, std::shared_ptr<ReplayHistory>> by_identity_;
};

}  // namespace ome::observer
