// How long to wait before trying again. Pure: randomness and what the server said come in.
#pragma once

#include <ome/core/time.hpp>
#include <ome/kube/failure.hpp>

#include <cstdint>

namespace ome::kube {

struct BackoffSettings {
    core::Duration first = std::chrono::milliseconds(200);
    core::Duration longest = std::chrono::seconds(30);
};

/// Doubles with every failure in a row. A pause lies between half of that and all of it, so that
/// many clients that failed together do not come back together.
class Backoff {
public:
    explicit Backoff(BackoffSettings settings = {});

    /// The pause after one more failure; never shorter than what the server asked for. `random`:
    /// evenly from [0, 1).
    [[nodiscard]] core::Duration after(const Failure& failure, double random);
    [[nodiscard]] core::Duration next(double random);

    /// It works again.
    void reset() { failures_ = 0; }
    [[nodiscard]] std::uint32_t failures() const { return failures_; }

private:
    BackoffSettings settings_;
    std::uint32_t failures_ = 0;
};

}  // namespace ome::kube
