#include <ome/core/time.hpp>

namespace ome::core {
namespace {

constexpr std::int64_t nanos_per_second = 1'000'000'000;

}  // namespace

WallTime operator+(WallTime at, Duration by) {
    std::int64_t seconds = by.count() / nanos_per_second;
    std::int64_t nanos = at.nanoseconds + by.count() % nanos_per_second;
    if (nanos < 0) {
        nanos += nanos_per_second;
        --seconds;
    } else if (nanos >= nanos_per_second) {
        nanos -= nanos_per_second;
        ++seconds;
    }
    return {at.seconds + seconds, static_cast<std::int32_t>(nanos)};
}

Duration operator-(WallTime later, WallTime earlier) {
    const std::int64_t whole = later.seconds - earlier.seconds;
    const Duration clamp = whole < 0 ? Duration::min() : Duration::max();
    std::int64_t nanos = 0;
    if (__builtin_mul_overflow(whole, nanos_per_second, &nanos) ||
        __builtin_add_overflow(nanos, later.nanoseconds - earlier.nanoseconds, &nanos)) {
        return clamp;
    }
    return Duration(nanos);
}

}  // namespace ome::core
