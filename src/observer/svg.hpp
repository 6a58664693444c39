// Pieces of a picture in SVG that know nothing of what is drawn.
#pragma once

#include <ome/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::observer::svg {

/// Foreign text as text: cleaned as for a terminal, and without what XML would act on.
[[nodiscard]] std::string escape(std::string_view text, std::size_t longest = 120);

/// `12`, `12.5`: tenths of a pixel are enough.
[[nodiscard]] std::string number(double value);

/// A line of horizontal and vertical pieces, with gaps. However many points it is given, it holds
/// a few for each half pixel, and in each half pixel reaches as far as any of them.
class StepLine {
public:
    /// From here on the line is at `y`, or nowhere. `x` never goes back.
    void to(double x, std::optional<double> y);
    /// The line up to here.
    [[nodiscard]] std::string end(double x);
    /// The same as the upper border of an area.
    [[nodiscard]] std::string end_above(double x, double bottom);

private:
    void move(double x, double y);
    void rise(double y);
    void go_on(double x);

    std::string path_;
    std::optional<double> at_;     ///< where the line is; absent: in a gap
    std::optional<double> drawn_;  ///< where the path is
    double column_ = -1;
    double first_x_ = 0;
    double low_ = 0;
    double high_ = 0;
};

struct TimeTick {
    double share = 0;  ///< of the whole span, from 0 to 1
    std::string label;
};

/// At round times, at most `most` + 1 of them; in UTC. A span of less than a second counts as one.
[[nodiscard]] std::vector<TimeTick> time_ticks(core::WallTime from,
                                               core::WallTime to,
                                               std::size_t most);

/// Round whole numbers from 0 to at most `top`, at most six of them.
[[nodiscard]] std::vector<std::int32_t> count_ticks(std::int32_t top);

}  // namespace ome::observer::svg
