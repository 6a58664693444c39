// What the homes saw: requests, how many at once, how far apart, and how the client left.
#pragma once

#include <ome/core/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ome::homesim {

/// A number that goes up and down, and the highest it has been.
class Level {
public:
    void up() {
        ++now_;
        high_ = now_ > high_ ? now_ : high_;
    }
    void down() { --now_; }
    void forget_high() { high_ = now_; }

    [[nodiscard]] std::uint64_t now() const { return now_; }
    [[nodiscard]] std::uint64_t high() const { return high_; }

private:
    std::uint64_t now_ = 0;
    std::uint64_t high_ = 0;
};

/// How a client went away while its request was not answered.
enum class Left : std::uint8_t {
    Closed,  ///< FIN
    Reset,   ///< RST
};

/// Of the requests of one home and kind, or of all homes of a kind.
struct RequestCounters {
    std::uint64_t requests = 0;
    std::uint64_t fresh_connections = 0;  ///< of these requests, the first on their connection
    std::uint64_t answered = 0;
    std::uint64_t cut_by_us = 0;  ///< reset or closed instead of an answer
    std::uint64_t left_closed = 0;
    std::uint64_t left_reset = 0;
    Level in_flight;

    void begin(bool fresh);
    void answer();
    void cut();
    void leave(Left how);
    /// Those in flight stay in flight.
    void reset();
};

/// The distances between the last attempts, in a ring.
class Gaps {
public:
    struct Summary {
        std::size_t count = 0;
        core::Duration least{};
        core::Duration median{};
        core::Duration most{};
    };

    void mark(core::SteadyTime at);
    void reset() { *this = Gaps(); }
    [[nodiscard]] std::optional<Summary> summary() const;

private:
    static constexpr std::size_t kept = 32;

    std::array<core::Duration, kept> ring_{};
    std::size_t marked_ = 0;  ///< gaps ever
    std::optional<core::SteadyTime> last_;
};

}  // namespace ome::homesim
