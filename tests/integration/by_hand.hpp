// Attempts that happen when a test says so, so that no step of a story can be missed on a busy
// machine: the period is a day, and each attempt is asked for.
#pragma once

#include "integration/declarations.hpp"
#include "integration/observer_process.hpp"

#include <string>
#include <vector>

namespace ome::test {

/// For probes; a poll's age limit cannot be this long.
[[nodiscard]] Rhythm by_hand();

/// Lets attempts be asked for ten times a second.
[[nodiscard]] std::vector<std::string> by_hand_flags();

/// Probes the homes of `default/SERVICE` once and waits for the results of `clusters`: all that the
/// service has, so that nothing of this turn comes in later.
void try_now(const ObserverProcess& observer,
             const std::string& service,
             const std::vector<std::string>& clusters);

/// Waits for the first result of a home.
[[nodiscard]] bool tried(const ObserverProcess& observer,
                         const std::string& service,
                         const std::string& cluster);

/// The member of a home's probe; null when it is not there.
[[nodiscard]] boost::json::value probe_member(const ObserverProcess& observer,
                                              const std::string& service,
                                              const std::string& cluster,
                                              std::string_view member);

}  // namespace ome::test
