#include <ome/kube/follow_plan.hpp>

#include <algorithm>
#include <utility>

namespace ome::kube {

FollowPlan::FollowPlan(BackoffSettings backoff) : backoff_(backoff) {}

FollowPlan::Step FollowPlan::next() const {
    return {pause_, position_};
}

// Not the end of the failures: a server that lists and then refuses every watch would be asked
// without a pause. The first news of a watch are.
void FollowPlan::listed(std::string resource_version) {
    position_ = std::move(resource_version);
    pause_ = {};
    heard_ = false;
}

void FollowPlan::heard(std::string resource_version) {
    if (!resource_version.empty()) {
        position_ = std::move(resource_version);
    }
    heard_ = true;
    pause_ = {};
    backoff_.reset();
}

void FollowPlan::failed(const Failure& failure, double random) {
    const bool first = backoff_.failures() == 0;
    pause_ = backoff_.after(failure, random);
    if (failure.gone() || failure.kind == Failure::Kind::Unreadable) {
        position_.clear();
        // That a position is too old is no sign of trouble, the first time.
        pause_ = first && !failure.retry_after ? core::Duration{} : pause_;
    } else if (failure.not_found() || failure.forbidden()) {
        // What comes back may not be what it was.
        position_.clear();
    }
    heard_ = false;
}

void FollowPlan::silent() {
    position_.clear();
    pause_ = {};
    heard_ = false;
}

void FollowPlan::ended(core::Duration lasted, double random) {
    constexpr core::Duration too_short = std::chrono::seconds(1);
    if (std::exchange(heard_, false) || lasted >= too_short) {
        backoff_.reset();
        pause_ = {};
    } else {
        pause_ = backoff_.next(random);
    }
}

core::Duration watch_length(double random) {
    constexpr std::int64_t shortest = 300;
    const auto more = static_cast<std::int64_t>(300.0 * std::clamp(random, 0.0, 1.0));
    return std::chrono::seconds(shortest + more);
}

}  // namespace ome::kube
