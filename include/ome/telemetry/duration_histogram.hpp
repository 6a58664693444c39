// Durations counted in 481 buckets whose width grows with the value, for percentiles on the status
// page: 4 KB, no allocation in add(), no sorting. One thread.
#pragma once

#include <ome/core/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ome::telemetry {

class DurationHistogram {
public:
    /// Negative counts as zero.
    void add(core::Duration value);
    void merge(const DurationHistogram& other);
    void clear() { *this = {}; }

    /// The value below or at which `fraction` (0 to 1) of those added lie, off by at most 3.2 %, or
    /// by 1 us below 1 us; above 18 minutes only max() is exact. Zero when empty.
    [[nodiscard]] core::Duration percentile(double fraction) const;
    [[nodiscard]] core::Duration max() const { return max_; }
    [[nodiscard]] std::uint64_t count() const { return count_; }

private:
    // 16 buckets per doubling, from 2^10 ns to 2^40 ns, and one below.
    static constexpr std::size_t per_octave = 16;
    static constexpr std::size_t lowest_octave = 10;
    static constexpr std::size_t octaves = 30;

    static std::size_t bucket_of(std::uint64_t nanoseconds);
    static core::Duration middle_of(std::size_t bucket);

    std::array<std::uint64_t, 1 + octaves * per_octave> counts_{};
    std::uint64_t count_ = 0;
    core::Duration max_{};
};

}  // namespace ome::telemetry
