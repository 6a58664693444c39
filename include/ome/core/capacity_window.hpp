// The capacity reports of one history and the ceiling they give together (contract/observer.md 8).
#pragma once

#include <ome/core/reading.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

/// The part of a CapacityPolicy that the window obeys.
struct WindowRules {
    std::int32_t samples = 1;  ///< the newest by arrival are kept
    std::int32_t quorum = 1;   ///< at most `samples`
    Duration max_age{};
};

[[nodiscard]] WindowRules window_rules(const CapacityPolicy& policy);

/// Time only passes where expire() or accept() says so: read the getters after expire(now), and
/// they are one consistent pair. The three changing calls return whether ceiling or reason changed.
class CapacityWindow {
public:
    explicit CapacityWindow(WindowRules rules);

    bool accept(const CapacityReport& report, WallTime now);
    bool fail(std::string_view reason);
    bool expire(WallTime now);

    [[nodiscard]] std::optional<std::int32_t> ceiling() const { return ceiling_; }
    [[nodiscard]] const std::string& reason() const { return reason_; }  ///< empty: has a ceiling

    /// The first instant at which expiry changes the ceiling; absent without one.
    [[nodiscard]] std::optional<WallTime> valid_until() const;

    /// The first instant at which expiry changes ceiling or reason; absent without samples.
    [[nodiscard]] std::optional<WallTime> next_change() const;

    /// In arrival order.
    [[nodiscard]] std::vector<Sample> samples() const;

private:
    // A third smaller than CapacityReport; there are `samples` of them per home.
    struct Held {
        std::int64_t seconds;
        std::int32_t nanoseconds;
        std::int32_t servable;
    };

    [[nodiscard]] WallTime expiry(const Held& held) const;
    bool drop_expired(WallTime now);
    bool settle(std::string_view reason_below_quorum);
    bool become(std::optional<std::int32_t> ceiling, std::string_view reason);

    WindowRules rules_;
    std::vector<Held> held_;  // in arrival order
    std::string reason_;
    std::optional<std::int32_t> ceiling_;
};

/// Fills in ceiling, reason, samples and validUntil, as of the window's last expire().
void show(const CapacityWindow& window, CapacityReading& reading);

}  // namespace ome::core
