#include "replay_plot.hpp"

#include "replay_plot_parts.hpp"
#include "replay_plot_style.hpp"

#include <fmt/format.h>

#include <array>

namespace ome::observer {
namespace {

using plot::Canvas;
using plot::clock_of;
using plot::date_of;
using plot::margin;
using plot::Scale;
using plot::width;
using svg::number;

constexpr double header_height = 148;
constexpr double footer_height = 62;

/// Keys in two rows: a sign, 24 pixels wide, and behind it what it means.
class Legend {
public:
    explicit Legend(Canvas& canvas) : canvas_(canvas) {}

    void first_row() {
        constexpr double y = 102;
        canvas_.dot(columns[0] + 12, y, 3);
        name(0, y, "report");
        canvas_.line(columns[1], y, columns[1] + 24, y, "ceiling");
        name(1, y, "ceiling");
        canvas_.line(columns[2], y, columns[2] + 24, y, "plan");
        name(2, y, "plan");
        canvas_.path(fmt::format("M{} {}h24v12h-24z", number(columns[3]), number(y - 6)), "gets");
        name(3, y, "what the home gets");
        canvas_.triangle(columns[4] + 12, y + 5, "false", "a false drop");
        name(4, y, "false drop (hollow: undecided)");
    }

    void second_row() {
        constexpr double y = 124;
        canvas_.cross(columns[0] + 12, y);
        name(0, y, "failed poll or probe");
        canvas_.path(fmt::format("M{} {}v7", number(columns[1] + 12), number(y - 3.5)), "pass");
        name(1, y, "passing probe");
        canvas_.gate(columns[2], columns[2] + 24, y);
        name(2, y, "gated");
        const std::string begin =
            fmt::format("M{0} {1}v10M{0} {2}h24", number(columns[3]), number(y - 5), number(y));
        canvas_.path(begin + "m0 -5v10", "lag");
        name(3, y, "lag of the ceiling");
        canvas_.path(
            fmt::format("M{0} {1}v10M{0} {2}h24", number(columns[4]), number(y - 5), number(y)),
            "lag never");
        name(4, y, "a change that it did not follow");
    }

private:
    static constexpr std::array<double, 5> columns{24, 190, 332, 424, 600};

    void name(std::size_t column, double y, const char* text) {
        canvas_.text(columns[column] + 34, y + 4, "key", text);
    }

    Canvas& canvas_;
};

void draw_header(Canvas& canvas,
                 const ReplayComparison& comparison,
                 const std::string& recording,
                 const Scale& scale) {
    const auto& steps = comparison.trials.front().steps;
    canvas.text(margin, 36, "title", svg::escape(name_of_home(comparison), 80));
    const bool one_day = date_of(scale.from()) == date_of(scale.to());
    canvas.text(margin,
                58,
                "muted",
                svg::escape(fmt::format("{} {} to {}{} UTC · {} · plan {}{}",
                                        date_of(scale.from()),
                                        clock_of(scale.from()),
                                        one_day ? "" : date_of(scale.to()) + " ",
                                        clock_of(scale.to()),
                                        readings_text(steps),
                                        comparison.rules.plan,
                                        comparison.plan_given ? "" : " (the highest report)")));
    canvas.text(margin, 76, "small", svg::escape("recording: " + recording));
    Legend legend(canvas);
    legend.first_row();
    legend.second_row();
}

void draw_footer(Canvas& canvas, const ReplayComparison& comparison, double top) {
    const std::size_t n = comparison.rules.confirm;
    const std::string real = n == 1 ? "Each new count is a real change"
                                    : fmt::format("{} reports in a row make a real change", n);
    canvas.text(
        margin,
        top + 12,
        "small",
        fmt::format("{}; its lag ends when the ceiling is there, too. Where the ceiling has no "
                    "line there is none, and the plan holds.",
                    real));
    canvas.text(margin,
                top + 28,
                "small",
                fmt::format("A drop is false when the next {} (reports after the ceiling's, probes "
                            "after the gate's) that nothing had been lost.",
                            n == 1 ? "reading shows" : fmt::format("{} readings show", n)));
}

}  // namespace

std::string draw_comparison(const ReplayComparison& comparison, const std::string& recording) {
    const Scale scale(comparison);
    const double panels = plot::panel_height * static_cast<double>(comparison.trials.size());
    const double height = header_height + panels + footer_height;
    Canvas canvas;
    canvas.add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" )"
               R"(viewBox="0 0 {0} {1}" role="img" aria-labelledby="t d">)",
               number(width),
               number(height));
    canvas.add(R"(<title id="t">{}</title>)", svg::escape(name_of_home(comparison)));
    std::string description;
    for (const PolicyTrial& trial : comparison.trials) {
        description += fmt::format("{}: {}, {}. ",
                                   svg::escape(trial.name),
                                   svg::escape(plot::lag_words(trial.figures)),
                                   svg::escape(plot::drop_words(trial.figures)));
    }
    canvas.add(R"(<desc id="d">{}</desc>)", description);
    canvas.add("{}", plot_style);
    canvas.add(R"(<rect width="{}" height="{}" class="paper"/>)", number(width), number(height));
    draw_header(canvas, comparison, recording, scale);
    double top = header_height;
    for (const PolicyTrial& trial : comparison.trials) {
        canvas.add(R"x(<g transform="translate(0 {})" role="group" aria-label="{}">)x",
                   number(top),
                   svg::escape(trial.name));
        plot::draw_panel(canvas, scale, trial, comparison.rules.plan);
        canvas.add("</g>");
        top += plot::panel_height;
    }
    draw_footer(canvas, comparison, top);
    canvas.add("</svg>");
    return canvas.take();
}

}  // namespace ome::observer
