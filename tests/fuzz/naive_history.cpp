#include "naive_history.hpp"

#include <algorithm>
#include <set>

namespace ome::fuzz {

void NaiveWindow::accept(const core::CapacityReport& report, core::WallTime now) {
    if (report.observed_at + max_age_ <= now) {
        return fail();
    }
    held_ = fresh(now);
    held_.push_back(report);
    while (held_.size() > most_) {
        held_.erase(held_.begin());
    }
}

void NaiveWindow::fail() {
    held_.clear();
}

void NaiveWindow::expire(core::WallTime now) {
    held_ = fresh(now);
}

NaiveWindow::Reports NaiveWindow::fresh(core::WallTime now) const {
    Reports left;
    for (const core::CapacityReport& report : held_) {
        if (now < report.observed_at + max_age_) {
            left.push_back(report);
        }
    }
    return left;
}

// The smallest count that `quorum` reports do not exceed.
std::optional<std::int32_t> NaiveWindow::ceiling_of(const Reports& reports) const {
    if (reports.size() < quorum_) {
        return std::nullopt;
    }
    std::multiset<std::int32_t> counts;
    for (const core::CapacityReport& report : reports) {
        counts.insert(report.servable);
    }
    auto at = counts.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(quorum_) - 1);
    return *at;
}

std::optional<core::WallTime> NaiveWindow::valid_until() const {
    const auto before = ceiling();
    if (!before) {
        return std::nullopt;
    }
    std::set<core::WallTime> instants;
    for (const core::CapacityReport& report : held_) {
        instants.insert(report.observed_at + max_age_);
    }
    for (const core::WallTime at : instants) {
        if (ceiling_of(fresh(at)) != before) {
            return at;
        }
    }
    return std::nullopt;
}

void NaiveGate::restore(bool gated, std::int32_t failures) {
    gated_at_first_ = gated;
    failures_at_first_ = failures;
}

NaiveGate::Shown NaiveGate::shown() const {
    Shown shown{gated_at_first_, failures_at_first_, 0};
    for (const core::ProbeResult result : results_) {
        if (result == core::ProbeResult::Failing) {
            shown.failures += 1;
            shown.passes = 0;
            if (shown.failures >= to_close_) {
                shown.gated = true;
            }
        }
        if (result == core::ProbeResult::Passing) {
            shown.failures = 0;
            if (shown.gated) {
                shown.passes += 1;
            }
            if (shown.passes >= to_open_) {
                shown.gated = false;
                shown.passes = 0;
            }
        }
    }
    return shown;
}

}  // namespace ome::fuzz
