#include "replay_plot_parts.hpp"

#include <ome/core/timestamp.hpp>

#include <algorithm>
#include <chrono>

namespace ome::observer::plot {

using svg::number;

Scale::Scale(const ReplayComparison& comparison) {
    const auto& steps = comparison.trials.front().steps;
    from_ = steps.front().at;
    to_ = steps.back().at;
    span_ = std::max(std::chrono::duration<double>(to_ - from_).count(), 1.0);
    top_ = std::max({comparison.rules.plan, core::highest_report(steps), 1});
}

double Scale::x(core::WallTime at) const {
    const double since = std::chrono::duration<double>(at - from_).count();
    return left + std::clamp(since / span_, 0.0, 1.0) * (right - left);
}

double Scale::y(std::int32_t count) const {
    constexpr double room_for_marks = 10;
    const double share = static_cast<double>(std::clamp(count, 0, top_)) / top_;
    return chart_bottom - share * (chart_bottom - chart_top - room_for_marks);
}

void Canvas::text(double x, double y, std::string_view style, std::string_view escaped) {
    add(R"(<text x="{}" y="{}" class="{}">{}</text>)", number(x), number(y), style, escaped);
}

void Canvas::line(double x1, double y1, double x2, double y2, std::string_view style) {
    path(fmt::format("M{} {}L{} {}", number(x1), number(y1), number(x2), number(y2)), style);
}

void Canvas::path(const std::string& data, std::string_view style) {
    if (!data.empty()) {
        add(R"(<path d="{}" class="{}"/>)", data, style);
    }
}

void Canvas::dot(double x, double y, double radius) {
    add(R"(<circle cx="{}" cy="{}" r="{}" class="report"/>)", number(x), number(y), number(radius));
}

void Canvas::cross(double x, double y) {
    path(fmt::format("M{0} {2}L{1} {3}M{0} {3}L{1} {2}",
                     number(x - 3),
                     number(x + 3),
                     number(y - 3),
                     number(y + 3)),
         "bad");
}

void Canvas::triangle(double x, double y, std::string_view style, const std::string& says) {
    add(R"(<path d="M{} {}h12l-6 10z" class="{}"><title>{}</title></path>)",
        number(x - 6),
        number(y - 10),
        style,
        says);
}

void Canvas::gate(double from, double to, double y) {
    add(R"(<rect x="{}" y="{}" width="{}" height="14" class="gate"/>)",
        number(from),
        number(y - 7),
        number(to - from));
}

std::string clock_of(core::WallTime at) {
    return core::format_timestamp({at.seconds, 0}).substr(11, 8);
}

std::string date_of(core::WallTime at) {
    return core::format_timestamp(at).substr(0, 10);
}

}  // namespace ome::observer::plot
