// The last 10 to 20 seconds of a distribution: what an operator means by "now".
#pragma once

#include <ome/core/time.hpp>
#include <ome/telemetry/duration_histogram.hpp>

namespace ome::observer {

class Recent {
public:
    explicit Recent(core::SteadyTime now) : since_(now), previous_since_(now) {}

    void add(core::Duration value, core::SteadyTime now);

    /// What was added since some instant between 10 and 20 seconds ago, and how long that is.
    struct View {
        telemetry::DurationHistogram values;
        core::Duration span{};
    };
    [[nodiscard]] View view(core::SteadyTime now);

private:
    void turn(core::SteadyTime now);

    telemetry::DurationHistogram current_;
    telemetry::DurationHistogram previous_;
    core::SteadyTime since_;
    core::SteadyTime previous_since_;
};

}  // namespace ome::observer
