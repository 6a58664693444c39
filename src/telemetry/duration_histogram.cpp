#include <ome/telemetry/duration_histogram.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace ome::telemetry {

void DurationHistogram::add(core::Duration value) {
    value = std::max(value, core::Duration::zero());
    ++counts_[bucket_of(static_cast<std::uint64_t>(value.count()))];
    ++count_;
    max_ = std::max(max_, value);
}

void DurationHistogram::merge(const DurationHistogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        counts_[i] += other.counts_[i];
    }
    count_ += other.count_;
    max_ = std::max(max_, other.max_);
}

core::Duration DurationHistogram::percentile(double fraction) const {
    if (count_ == 0) {
        return {};
    }
    const double wanted = std::ceil(std::clamp(fraction, 0., 1.) * static_cast<double>(count_));
    const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    std::uint64_t seen = 0;
    std::size_t bucket = 0;
    while (bucket + 1 < counts_.size() && (seen += counts_[bucket]) < rank) {
        ++bucket;
    }
    return std::min(middle_of(bucket), max_);
}

// The leading bit gives the octave, the four bits behind it the bucket in it.
std::size_t DurationHistogram::bucket_of(std::uint64_t nanoseconds) {
    const auto width = static_cast<std::size_t>(std::bit_width(nanoseconds));
    if (width <= lowest_octave) {
        return 0;
    }
    const std::size_t octave = width - 1 - lowest_octave;
    if (octave >= octaves) {
        return octaves * per_octave;
    }
    const std::size_t within = (nanoseconds >> (width - 5)) & (per_octave - 1);
    return 1 + octave * per_octave + within;
}

core::Duration DurationHistogram::middle_of(std::size_t bucket) {
    if (bucket == 0) {
        return core::Duration(1 << (lowest_octave - 1));
    }
    const std::size_t octave = (bucket - 1) / per_octave + lowest_octave;
    const std::uint64_t step = std::uint64_t{1} << (octave - 4);
    const std::uint64_t lower = (per_octave + (bucket - 1) % per_octave) * step;
    return core::Duration(static_cast<std::int64_t>(lower + step / 2));
}

}  // namespace ome::telemetry
