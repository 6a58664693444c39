#include <ome/kube/backoff.hpp>

#include <algorithm>

namespace ome::kube {

Backoff::Backoff(BackoffSettings settings) : settings_(settings) {}

core::Duration Backoff::next(double random) {
    constexpr std::uint32_t most_doublings = 20;
    core::Duration whole = settings_.first;
    for (std::uint32_t i = 0; i < failures_ && whole < settings_.longest; ++i) {
        whole *= 2;
    }
    failures_ = std::min(failures_ + 1, most_doublings);
    whole = std::min(whole, settings_.longest);
    const double part = 0.5 + 0.5 * std::clamp(random, 0.0, 1.0);
    return core::Duration(static_cast<std::int64_t>(static_cast<double>(whole.count()) * part));
}

core::Duration Backoff::after(const Failure& failure, double random) {
    const core::Duration pause = next(random);
    if (!failure.retry_after) {
        return pause;
    }
    // All who were told the same come a little later than that, each at a time of its own.
    const double spread = 0.1 * std::clamp(random, 0.0, 1.0);
    const auto asked = static_cast<double>(failure.retry_after->count()) * (1.0 + spread);
    return std::max(pause, core::Duration(static_cast<std::int64_t>(asked)));
}

}  // namespace ome::kube
