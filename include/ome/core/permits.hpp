// The process-wide request budget, divided between reactors and never exceeded (design.md section
// 5, "Budget"; promise 9). Pure: the arbiter decides who may hold how many permits, messages
// between reactors carry it out.
//
// There is one arbiter, on one reactor. Each reactor keeps an *allowance*: it never has more
// attempts in flight than that. A raise is only sent as far as permits are free; a cut takes effect
// at once for what the reactor is not using, and the rest comes back as its attempts finish.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ome::core {

/// What one reactor tells the arbiter.
struct PermitReport {
    std::size_t reactor = 0;
    std::uint64_t serial = 0;  ///< of the newest allowance it has seen
    std::int64_t started = 0;  ///< attempts it ever started
    std::int64_t in_use = 0;   ///< attempts in flight; above the allowance after a cut
    std::int64_t services_waiting =
        0;  ///< services with waiting attempts: its claim on a short budget
    std::int64_t attempts_waiting = 0;  ///< how many more permits it could use now

    friend bool operator==(const PermitReport&, const PermitReport&) = default;
};

/// `reactor` may have at most `permits` attempts in flight from now on.
struct Allowance {
    std::size_t reactor = 0;
    std::uint64_t serial = 0;  ///< rises with every allowance sent to this reactor
    std::int64_t permits = 0;

    friend bool operator==(const Allowance&, const Allowance&) = default;
};

class PermitArbiter {
public:
    /// `total` is dealt out evenly at first: initial() says how.
    PermitArbiter(std::size_t reactors, std::int64_t total);

    [[nodiscard]] std::vector<Allowance> initial() const;

    /// The allowances that change because of this report. What reactors may be using at any moment
    /// never sums to more than the total, except while a lowered total is being given back.
    [[nodiscard]] std::vector<Allowance> report(const PermitReport& report);
    [[nodiscard]] std::vector<Allowance> set_total(std::int64_t total);

    [[nodiscard]] std::int64_t total() const { return total_; }

private:
    struct Holder {
        PermitReport said;
        std::uint64_t serial = 0;
        std::int64_t allowance = 0;  ///< what it was last told
        std::int64_t committed = 0;  ///< the most it may be using right now, cuts not yet confirmed
        std::int64_t target = 0;     ///< what it should have
        double served = 0;           ///< attempts started, each divided by the claim of its time
    };

    void set_targets();
    void split_spare(std::int64_t spare);
    void split_by_claim();
    [[nodiscard]] static double claim(const Holder& holder);
    [[nodiscard]] std::int64_t give_whole_shares(std::int64_t total);
    [[nodiscard]] bool give_one_to_the_least_served();
    void level(Holder& newcomer);
    [[nodiscard]] std::vector<Allowance> move_towards_targets();

    std::int64_t total_;
    std::vector<Holder> holders_;
};

}  // namespace ome::core
