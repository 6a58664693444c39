#include <ome/core/schedule.hpp>

#include <utility>

namespace ome::core {
namespace {

// FNV-1a mixes the low bits well, the high ones poorly, and `mod period` needs all of them.
std::uint64_t finish(std::uint64_t hash) {
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93;
    return hash ^ (hash >> 32);
}

}  // namespace

std::uint64_t identity_hash(std::initializer_list<std::string_view> parts) {
    constexpr std::uint64_t prime = 0x100000001b3;
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::string_view part : parts) {
        for (const char byte : part) {
            hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
        }
        hash = (hash ^ 0x100 ^ part.size()) * prime;  // a boundary is no byte of a name
    }
    return finish(hash);
}

Duration spread_offset(Duration min_period, Duration period, std::uint64_t hash) {
    const auto part = hash % static_cast<std::uint64_t>(period.count());
    return later(SteadyTime(min_period), Duration(static_cast<std::int64_t>(part)))
        .time_since_epoch();
}

std::optional<SteadyTime> restored_due(std::optional<WallTime> last_attempt,
                                       Duration period,
                                       const Now& now) {
    if (!last_attempt || *last_attempt > now.wall) {
        return std::nullopt;
    }
    const Duration since = now.wall - *last_attempt;
    if (since < period) {
        return later(now.steady, period - since);
    }
    return now.steady - since % period;
}

Schedule Schedule::spread(SteadyTime first, Duration offset, Duration period) {
    return {first, offset, period};
}

Schedule Schedule::steady(SteadyTime first, Duration period) {
    return {first, period, period};
}

void Schedule::advance(SteadyTime now) {
    if (first()) {
        due_ = later(due_, std::exchange(offset_, Duration::zero()));
    }
    if (due_ <= now) {
        const Duration late = now - due_;
        due_ = later(due_, late - late % period_);
        due_ = later(due_, period_);
    }
}

}  // namespace ome::core
