// The process-wide request budget, divided between reactors and never exceeded (design.md section
// 5, "Budget"; promise 9). Pure: the arbiter decides who may hold how many permits, messages
// between reactors carry it out.
//
// One arbiter exists; it runs on one reactor. A reactor reports what it needs; the answer is a new
// allowance for some reactors. Raising an allowance is immediate only as far as permits are free;
// lowering it asks the holder to give back what it is not using, and the rest as attempts finish.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ome::core {

/// What one reactor tells the arbiter.
struct PermitReport {
    std::size_t reactor = 0;
    std::int64_t in_use = 0;  ///< attempts in flight
    std::int64_t held = 0;    ///< the allowance it has actually reduced itself to, >= in_use
    std::int64_t services_waiting = 0;  ///< services with waiting attempts
    std::int64_t attempts_waiting = 0;  ///< an upper bound on what more it could use now
};

/// `reactor` may hold at most `allowance` permits from now on.
struct Allowance {
    std::size_t reactor = 0;
    std::int64_t allowance = 0;

    friend bool operator==(const Allowance&, const Allowance&) = default;
};

class PermitArbiter {
public:
    PermitArbiter(std::size_t reactors, std::int64_t total);

    /// Allowances that change because of this report; the sum of what reactors hold or were
    /// promised never exceeds the total, except while a lowered total is being given back.
    [[nodiscard]] std::vector<Allowance> report(const PermitReport& report);
    [[nodiscard]] std::vector<Allowance> set_total(std::int64_t total);

    [[nodiscard]] std::int64_t total() const { return total_; }

private:
    struct Holder {
        PermitReport last;
        std::int64_t promised = 0;  ///< the largest number it may be using right now
        std::int64_t target = 0;    ///< what it was last told
    };

    [[nodiscard]] std::vector<Allowance> divide();

    std::int64_t total_;
    std::vector<Holder> holders_;
};

}  // namespace ome::core
