// When an observation is due: absolute deadlines on the steady clock, no drift, missed slots
// skipped (contract/observer.md 11; design.md D14).
#pragma once

#include <ome/core/deadline.hpp>
#include <ome/core/time.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace ome::core {

/// A stable hash of an identity's parts, in order: the same on every machine and in every version,
/// since it decides when homes are observed. ("ab", "c") differs from ("a", "bc").
[[nodiscard]] std::uint64_t identity_hash(std::initializer_list<std::string_view> parts);

/// From the first deadline to the second, so that homes first seen together spread over a period:
/// min_period + (hash mod period).
[[nodiscard]] Duration spread_offset(Duration min_period, Duration period, std::uint64_t hash);

/// When a restored probe is due: one period after its last attempt, or the latest slot of that
/// rhythm if that has passed. Absent (due at once) without a last attempt or with one in the
/// future.
[[nodiscard]] std::optional<SteadyTime> restored_due(std::optional<WallTime> last_attempt,
                                                     Duration period,
                                                     const Now& now);

class Schedule {
public:
    /// Due at `first`, then at first + offset, then every `period` (both positive).
    [[nodiscard]] static Schedule spread(SteadyTime first, Duration offset, Duration period);

    /// Due at `first`, then every `period`: a restored rhythm.
    [[nodiscard]] static Schedule steady(SteadyTime first, Duration period);

    [[nodiscard]] SteadyTime due() const { return due_; }

    /// Nothing has been taken yet.
    [[nodiscard]] bool first() const { return offset_ != Duration::zero(); }

    /// An attempt is taken at `now`: the deadline moves to the first slot strictly after it.
    void advance(SteadyTime now);

private:
    Schedule(SteadyTime due, Duration offset, Duration period)
        : due_(due), offset_(offset), period_(period) {}

    SteadyTime due_;
    Duration offset_;  // from the first deadline to the second; zero once that has been used
    Duration period_;
};

}  // namespace ome::core
