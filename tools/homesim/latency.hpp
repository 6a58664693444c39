// How long a home takes: a distribution, and a draw from it.
#pragma once

#include <ome/core/time.hpp>

#include <cstdint>
#include <random>

namespace ome::homesim {

struct Latency {
    enum class Shape : std::uint8_t {
        Uniform,      ///< between `least` and `most`; fixed where they are equal
        Exponential,  ///< with the mean `least`
        Lognormal,    ///< with the median `least` and `sigma`
    };

    Shape shape = Shape::Uniform;
    core::Duration least{};
    core::Duration most{};  ///< of the curves: nothing takes longer; zero is no bound
    double sigma = 0;

    friend bool operator==(const Latency&, const Latency&) = default;
};

/// Never negative, never above an hour.
[[nodiscard]] core::Duration draw(const Latency& latency, std::mt19937& random);

}  // namespace ome::homesim
