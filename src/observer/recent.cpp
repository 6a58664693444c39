#include "recent.hpp"

namespace ome::observer {
namespace {

constexpr core::Duration window = std::chrono::seconds(10);

}  // namespace

void Recent::add(core::Duration value, core::SteadyTime now) {
    turn(now);
    current_.add(value);
}

Recent::View Recent::view(core::SteadyTime now) {
    turn(now);
    View view{previous_, now - previous_since_};
    view.values.merge(current_);
    return view;
}

void Recent::turn(core::SteadyTime now) {
    if (now - since_ < window) {
        return;
    }
    // After a silence longer than a window nothing old is recent any more.
    const bool silent = now - since_ >= 2 * window;
    previous_ = silent ? telemetry::DurationHistogram{} : current_;
    previous_since_ = silent ? now : since_;
    current_ = telemetry::DurationHistogram{};
    since_ = now;
}

}  // namespace ome::observer
