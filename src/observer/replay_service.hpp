// A service whose declarations are in the recording: which histories each of them kept and which
// it began anew (contract/observer.md 2, 14), by the rules of core/fleet_declare.cpp.
#pragma once

#include "replay_history.hpp"
#include <ome/wire/replay_document.hpp>

#include <map>
#include <optional>
#include <string>

namespace ome::observer {

class ReplayService {
public:
    /// `instead`: policies that are obeyed in place of the declared ones.
    void declare(wire::ReplayDeclaration declared,
                 const std::optional<wire::ReplayPolicies>& instead);

    /// Other policies: histories of what changed begin anew.
    void obey(wire::ReplayPolicies policies);

    [[nodiscard]] const wire::ReplayPolicies& policies() const { return policies_; }

    /// A Poll, Probe or Read of a home that is declared; the reading is valid until the next call.
    [[nodiscard]] core::Result<const core::HomeReading*> apply(const wire::ReplayEvent& event);

private:
    struct Home {
        std::string identity;  ///< the canonical endpoint; empty: it cannot be used
        ReplayHistory history;
    };
    using Homes = std::map<std::string, Home, std::less<>>;

    void change_owner(const std::string& owner);
    [[nodiscard]] Home start(const core::HomeDeclaration& declared) const;

    std::string owner_;
    bool suspended_ = false;
    wire::ReplayPolicies policies_;
    Homes homes_;
};

}  // namespace ome::observer
