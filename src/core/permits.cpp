#include <ome/core/permits.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace ome::core {
namespace {

std::int64_t need(const PermitReport& said) {
    return said.in_use + said.attempts_waiting;
}

}  // namespace

// Its weight in a short budget; zero once its target covers all it can use.
double PermitArbiter::claim(const Holder& holder) {
    const bool can_use_more = holder.target < need(holder.said);
    return can_use_more ? static_cast<double>(holder.said.services_waiting) : 0.0;
}

PermitArbiter::PermitArbiter(std::size_t reactors, std::int64_t total)
    : total_(total), holders_(reactors) {
    split_spare(total_);
    for (Holder& holder : holders_) {
        holder.serial = 1;
        holder.allowance = holder.target;
        holder.committed = holder.target;
    }
}

std::vector<Allowance> PermitArbiter::initial() const {
    std::vector<Allowance> all;
    for (std::size_t i = 0; i < holders_.size(); ++i) {
        all.push_back({i, holders_[i].serial, holders_[i].allowance});
    }
    return all;
}

std::vector<Allowance> PermitArbiter::report(const PermitReport& report) {
    Holder& holder = holders_[report.reactor];
    if (holder.said.services_waiting == 0 && report.services_waiting > 0) {
        level(holder);
    }
    holder.served += static_cast<double>(report.started - holder.said.started) /
                     static_cast<double>(std::max<std::int64_t>(holder.said.services_waiting, 1));
    holder.said = report;
    // An older report says nothing about permits that are still on their way to that reactor.
    if (report.serial == holder.serial) {
        holder.committed = std::max(holder.allowance, report.in_use);
    }
    set_targets();
    return move_towards_targets();
}

std::vector<Allowance> PermitArbiter::set_total(std::int64_t total) {
    total_ = total;
    set_targets();
    return move_towards_targets();
}

void PermitArbiter::set_targets() {
    const std::int64_t needed = std::accumulate(
        holders_.begin(), holders_.end(), std::int64_t{0}, [](auto sum, const auto& h) {
            return sum + need(h.said);
        });
    if (needed > total_) {
        split_by_claim();
        return;
    }
    for (Holder& holder : holders_) {
        holder.target = need(holder.said);
    }
    split_spare(total_ - needed);
}

// What nobody needs is cached evenly, so that the next attempt anywhere starts without asking.
void PermitArbiter::split_spare(std::int64_t spare) {
    const auto count = static_cast<std::int64_t>(holders_.size());
    for (std::int64_t i = 0; i < count; ++i) {
        holders_[static_cast<std::size_t>(i)].target += spare / count + (i < spare % count ? 1 : 0);
    }
}

// In proportion to the services waiting, nobody more than it can use; what that leaves over goes
// round again; single permits that are left go to the one that could start the fewest, so that a
// total below the number of reactors goes round.
void PermitArbiter::split_by_claim() {
    for (Holder& holder : holders_) {
        holder.target = 0;
    }
    std::int64_t left = total_;
    for (std::int64_t given = give_whole_shares(left); given > 0; given = give_whole_shares(left)) {
        left -= given;
    }
    while (left > 0 && give_one_to_the_least_served()) {
        --left;
    }
    // Reactors with attempts in flight and nobody waiting keep what the others cannot use.
    for (Holder& holder : holders_) {
        const auto keep = std::clamp<std::int64_t>(need(holder.said) - holder.target, 0, left);
        holder.target += keep;
        left -= keep;
    }
}

std::int64_t PermitArbiter::give_whole_shares(std::int64_t total) {
    double claims = 0;
    for (const Holder& holder : holders_) {
        claims += claim(holder);
    }
    std::int64_t given = 0;
    for (Holder& holder : holders_) {
        if (claim(holder) > 0) {
            const double share = static_cast<double>(total) * claim(holder) / claims;
            const auto room = need(holder.said) - holder.target;
            const auto whole = std::min({static_cast<std::int64_t>(share), room, total - given});
            holder.target += whole;
            given += whole;
        }
    }
    return given;
}

bool PermitArbiter::give_one_to_the_least_served() {
    Holder* least = nullptr;
    for (Holder& holder : holders_) {
        if (claim(holder) > 0 && (least == nullptr || holder.served < least->served)) {
            least = &holder;
        }
    }
    if (least == nullptr) {
        return false;
    }
    ++least->target;
    return true;
}

// Time spent without waiting earns nothing: who starts to wait begins level with the least served.
void PermitArbiter::level(Holder& newcomer) {
    double least = std::numeric_limits<double>::max();
    for (const Holder& holder : holders_) {
        if (&holder != &newcomer && holder.said.services_waiting > 0) {
            least = std::min(least, holder.served);
        }
    }
    if (least < std::numeric_limits<double>::max()) {
        newcomer.served = std::max(newcomer.served, least);
    }
}

std::vector<Allowance> PermitArbiter::move_towards_targets() {
    std::int64_t free = total_;
    for (Holder& holder : holders_) {
        free -= holder.committed;
    }
    std::vector<Allowance> changed;
    const auto tell = [&](std::size_t i, std::int64_t permits) {
        Holder& holder = holders_[i];
        holder.allowance = permits;
        changed.push_back({i, ++holder.serial, permits});
    };
    for (std::size_t i = 0; i < holders_.size(); ++i) {
        if (holders_[i].target < holders_[i].allowance) {
            tell(i, holders_[i].target);
        }
    }
    for (std::size_t i = 0; i < holders_.size(); ++i) {
        Holder& holder = holders_[i];
        // Up to what it may be using anyway costs nothing; beyond that only what is free.
        const std::int64_t beyond = std::clamp<std::int64_t>(
            holder.target - holder.committed, 0, std::max<std::int64_t>(free, 0));
        const std::int64_t permits = std::min(holder.target, holder.committed + beyond);
        if (permits > holder.allowance) {
            free -= std::max<std::int64_t>(permits - holder.committed, 0);
            holder.committed = std::max(holder.committed, permits);
            tell(i, permits);
        }
    }
    return changed;
}

}  // namespace ome::core
