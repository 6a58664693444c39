// What the parts of the plot of `replay` share: where things are, and the document so far.
#pragma once

#include "replay_comparison.hpp"
#include "svg.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace ome::observer::plot {

inline constexpr double width = 900;
inline constexpr double margin = 24;
inline constexpr double left = 70;
inline constexpr double right = 876;

// From the top of a panel.
inline constexpr double rail_at = 72;
inline constexpr double chart_top = 96;
inline constexpr double chart_bottom = 222;
inline constexpr double polls_at = 236;
inline constexpr double probes_at = 254;
inline constexpr double labels_at = 282;
inline constexpr double panel_height = 304;

/// Where times and counts are.
class Scale {
public:
    explicit Scale(const ReplayComparison& comparison);

    [[nodiscard]] double x(core::WallTime at) const;
    [[nodiscard]] double y(std::int32_t count) const;
    [[nodiscard]] std::int32_t top() const { return top_; }
    [[nodiscard]] core::WallTime from() const { return from_; }
    [[nodiscard]] core::WallTime to() const { return to_; }

private:
    core::WallTime from_;
    core::WallTime to_;
    double span_ = 1;
    std::int32_t top_ = 1;
};

/// Texts are taken as they are: foreign ones have been through svg::escape().
class Canvas {
public:
    template <typename... Arguments>
    void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
        out_ += '\n';
    }
    void text(double x, double y, std::string_view style, std::string_view escaped);
    void line(double x1, double y1, double x2, double y2, std::string_view style);
    void path(const std::string& data, std::string_view style);
    void dot(double x, double y, double radius);
    void cross(double x, double y);
    /// Whose tip points down to (x, y); `says`: what a pointer on it shows, escaped.
    void triangle(double x, double y, std::string_view style, const std::string& says);
    void gate(double from, double to, double y);

    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    std::string out_;
};

/// `10:00:00` and `2026-09-28`.
[[nodiscard]] std::string clock_of(core::WallTime at);
[[nodiscard]] std::string date_of(core::WallTime at);

/// `3 of 4 real changes followed, lag 2s (median) to 4s (longest)`
[[nodiscard]] std::string lag_words(const core::ReplayFigures& figures);

/// `1 of 3 drops false`
[[nodiscard]] std::string drop_words(const core::ReplayFigures& figures);

void draw_panel(Canvas& canvas, const Scale& scale, const PolicyTrial& trial, std::int32_t plan);

}  // namespace ome::observer::plot
