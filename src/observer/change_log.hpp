// What operators must see in the log: gates that close or lift, ceilings that are lost or back, and
// homes in trouble, each trouble once and then at most once a minute.
#pragma once

#include <ome/core/fleet.hpp>
#include <ome/core/time.hpp>
#include <ome/telemetry/repeat_limiter.hpp>

#include <string>

namespace ome::observer {

/// Why a home does not count as an operator would expect: its probe does not pass, or its poll
/// fails. Empty while all is well or nothing is known yet.
[[nodiscard]] std::string trouble_of(const core::HomeReading& reading);

class ChangeLog {
public:
    void log(const core::Change& change, core::SteadyTime now);

    /// Endpoints of a declaration that cannot be used: such homes are never tried.
    void log(const core::ServiceDeclaration& declaration, core::SteadyTime now);

private:
    void log_trouble(const core::Change& change, core::SteadyTime now);

    telemetry::RepeatLimiter told_{std::chrono::minutes(1)};
};

}  // namespace ome::observer
