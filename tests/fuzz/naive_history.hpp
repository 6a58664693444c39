// The window and the gate once more, written from contract/observer.md 8 and 9.2 as plainly as can
// be: everything is kept, and every answer is worked out anew from all of it. Shares no code with
// core/.
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/declaration.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ome::fuzz {

class NaiveWindow {
public:
    NaiveWindow(std::size_t samples, std::size_t quorum, core::Duration max_age)
        : most_(samples), quorum_(quorum), max_age_(max_age) {}

    void accept(const core::CapacityReport& report, core::WallTime now);
    void fail();
    void expire(core::WallTime now);

    [[nodiscard]] std::optional<std::int32_t> ceiling() const { return ceiling_of(held_); }
    [[nodiscard]] std::size_t size() const { return held_.size(); }
    /// By trying every instant at which something expires.
    [[nodiscard]] std::optional<core::WallTime> valid_until() const;

private:
    using Reports = std::vector<core::CapacityReport>;

    [[nodiscard]] std::optional<std::int32_t> ceiling_of(const Reports& reports) const;
    [[nodiscard]] Reports fresh(core::WallTime now) const;

    std::size_t most_;
    std::size_t quorum_;
    core::Duration max_age_;
    Reports held_;
};

class NaiveGate {
public:
    NaiveGate(std::int32_t failures_to_close, std::int32_t passes_to_open)
        : to_close_(failures_to_close), to_open_(passes_to_open) {}
    /// Begins as a stored record says.
    void restore(bool gated, std::int32_t failures);
    void apply(core::ProbeResult result) { results_.push_back(result); }

    struct Shown {
        bool gated = false;
        std::int32_t failures = 0;
        std::int32_t passes = 0;
    };
    [[nodiscard]] Shown shown() const;

private:
    std::int32_t to_close_;
    std::int32_t to_open_;
    bool gated_at_first_ = false;
    std::int32_t failures_at_first_ = 0;
    std::vector<core::ProbeResult> results_;
};

}  // namespace ome::fuzz
