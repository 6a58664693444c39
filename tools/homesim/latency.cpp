#include "latency.hpp"

#include <algorithm>
#include <cmath>

namespace ome::homesim {
namespace {

constexpr core::Duration longest = std::chrono::hours(1);

double factor(const Latency& latency, std::mt19937& random) {
    if (latency.shape == Latency::Shape::Exponential) {
        return std::exponential_distribution<double>(1)(random);
    }
    return std::lognormal_distribution<double>(0, latency.sigma)(random);
}

}  // namespace

core::Duration draw(const Latency& latency, std::mt19937& random) {
    if (latency.shape != Latency::Shape::Uniform) {
        const core::Duration most = latency.most.count() > 0 ? latency.most : longest;
        const double drawn = static_cast<double>(latency.least.count()) * factor(latency, random);
        const double bounded =
            std::min(drawn, static_cast<double>(std::min(most, longest).count()));
        return core::Duration(static_cast<std::int64_t>(bounded));
    }
    if (latency.least == latency.most) {
        return latency.least;
    }
    std::uniform_int_distribution<std::int64_t> between(latency.least.count(),
                                                        latency.most.count());
    return core::Duration(between(random));
}

}  // namespace ome::homesim
