#include "expiry_notices.hpp"

#include <ome/core/deadline.hpp>

#include <algorithm>

namespace ome::observer {
namespace {

constexpr std::size_t most_remembered = 4;

}  // namespace

void ExpiryNotices::set_waits(Home& home, bool waits) {
    waiting_ += waits && !home.waits ? 1U : 0U;
    waiting_ -= !waits && home.waits ? 1U : 0U;
    home.waits = waits;
}

std::optional<std::size_t> ExpiryNotices::note(const std::string& home,
                                               std::int64_t expiry,
                                               core::SteadyTime now) {
    Home& known = homes_[home];
    if (std::find(known.told.begin(), known.told.end(), expiry) != known.told.end()) {
        return std::nullopt;
    }
    if (now >= interval_end_) {
        interval_end_ = core::later(now, interval_);
        told_in_it_ = 0;
    }
    const bool tell = told_in_it_ < most_in_one_;
    set_waits(known, !tell);
    if (!tell) {
        return std::nullopt;
    }
    ++told_in_it_;
    if (known.told.size() == most_remembered) {
        known.told.erase(known.told.begin());
    }
    known.told.push_back(expiry);
    return waiting_;
}

void ExpiryNotices::note_renewed(const std::string& home) {
    if (const auto known = homes_.find(home); known != homes_.end()) {
        set_waits(known->second, false);
    }
}

void ExpiryNotices::forget(const std::string& home) {
    if (const auto known = homes_.find(home); known != homes_.end()) {
        set_waits(known->second, false);
        homes_.erase(known);
    }
}

}  // namespace ome::observer
