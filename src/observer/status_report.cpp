#include "status_report.hpp"

#include <ome/core/advice.hpp>
#include <ome/core/attempt.hpp>
#include <ome/core/display_width.hpp>
#include <ome/core/text.hpp>
#include <ome/core/text_table.hpp>
#include <ome/core/timestamp.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace ome::observer {
namespace {

namespace json = boost::json;

using core::align;
using core::Cell;
using core::paint;
using core::Row;
using core::Tone;

// Names and other short texts; reasons have a bound of their own.
constexpr std::size_t longest_cell = 80;
constexpr std::size_t longest_reason = 4096;

// A reason that says less than this is no use, even if its line wraps.
constexpr std::size_t least_reason = 80;

constexpr std::size_t reason_column = 8;

// What its homes show is from before.
constexpr const char* suspended_text = "suspended: nothing is sent";

const json::value* member(const json::value& of, std::string_view name) {
    const json::object* object = of.if_object();
    return object == nullptr ? nullptr : object->if_contains(name);
}

const json::value& child(const json::value& of, std::string_view name) {
    static const json::value nothing;
    const json::value* found = member(of, name);
    return found == nullptr ? nothing : *found;
}

std::string whole_text(const json::value& value) {
    const json::string* text = value.if_string();
    return text == nullptr ? std::string()
                           : core::sanitize_detail(std::string_view(text->data(), text->size()),
                                                   longest_reason);
}

std::string text_of(const json::value& value) {
    return core::shorten(whole_text(value), longest_cell);
}

std::optional<double> number_of(const json::value& value) {
    if (const double* number = value.if_double()) {
        return *number;
    }
    if (const std::int64_t* number = value.if_int64()) {
        return static_cast<double>(*number);
    }
    const std::uint64_t* number = value.if_uint64();
    return number == nullptr ? std::nullopt : std::optional(static_cast<double>(*number));
}

bool is_true(const json::value& value) {
    const bool* truth = value.if_bool();
    return truth != nullptr && *truth;
}

// Whole numbers without a point; others with two digits.
std::string figure(const json::value& value) {
    const auto number = number_of(value);
    if (!number) {
        return "-";
    }
    return std::trunc(*number) == *number ? fmt::format("{:.0f}", *number)
                                          : fmt::format("{:.2f}", *number);
}

std::string span_text(std::int64_t seconds) {
    if (seconds < 60) {
        return fmt::format("{}s", seconds);
    }
    if (seconds < 3600) {
        return fmt::format("{}m{}s", seconds / 60, seconds % 60);
    }
    return seconds < 86400 ? fmt::format("{}h{}m", seconds / 3600, seconds / 60 % 60)
                           : fmt::format("{}d{}h", seconds / 86400, seconds / 3600 % 24);
}

std::string milliseconds(const json::value& seconds) {
    const auto value = number_of(seconds);
    if (!value) {
        return "-";
    }
    return *value < 1 ? fmt::format("{:.1f}ms", *value * 1000) : fmt::format("{:.1f}s", *value);
}

std::string head_line(const json::value& status) {
    std::string line = fmt::format("ome-observer {}", text_of(child(status, "version")));
    if (const std::string instance = text_of(child(status, "instance")); !instance.empty()) {
        line += fmt::format("  instance {}", instance);
    }
    if (const auto uptime = number_of(child(status, "uptimeSeconds"))) {
        line += fmt::format("  up {}", span_text(static_cast<std::int64_t>(*uptime)));
    }
    return line;
}

std::vector<Row> totals(const json::value& status) {
    const auto& budget = child(status, "budget");
    const auto& late = child(status, "lateness");
    const auto pair = [&](const char* name, const char* key) {
        return fmt::format("{} {}", name, figure(child(status, key)));
    };
    return {
        {Cell("fleet", Tone::Heading),
         pair("services", "services"),
         pair("homes", "homes"),
         pair("gated", "gated"),
         pair("fallback", "fallback")},
        {Cell("attempts", Tone::Heading),
         pair("due", "due"),
         pair("in flight", "inFlight"),
         pair("waiting", "waiting"),
         fmt::format("{}/s", figure(child(child(status, "rates"), "attemptsPerSecond")))},
        {Cell("budget", Tone::Heading),
         fmt::format("limit {}", figure(child(budget, "limit"))),
         fmt::format("in use {}", figure(child(budget, "inUse"))),
         fmt::format("needed {}", figure(child(budget, "needed")))},
        {Cell("lateness", Tone::Heading),
         fmt::format("p50 {}", milliseconds(child(late, "p50Seconds"))),
         fmt::format("p99 {}", milliseconds(child(late, "p99Seconds"))),
         fmt::format("p99.9 {}", milliseconds(child(late, "p999Seconds"))),
         fmt::format("max {}", milliseconds(child(late, "maxSeconds")))},
    };
}

std::string advice(const json::value& status, bool color) {
    std::string text;
    if (const json::array* lines = child(status, "advice").if_array()) {
        for (const json::value& line : *lines) {
            const json::string* words = line.if_string();
            if (words != nullptr) {
                text += paint("advice", Tone::Bad, color) + "    " +
                        core::sanitize_detail(std::string_view(words->data(), words->size())) +
                        "\n";
            }
        }
    }
    return text;
}

// RFC 3339 in UTC with equal digits sorts as text, but digits may differ: compare instants.
std::string later(const std::string& a, const std::string& b) {
    const auto first = core::parse_timestamp(a);
    const auto second = core::parse_timestamp(b);
    return !first || (second && *second > *first) ? b : a;
}

std::string sooner(const std::string& a, const std::string& b) {
    const auto first = core::parse_timestamp(a);
    const auto second = core::parse_timestamp(b);
    return !first || (second && *second < *first) ? b : a;
}

Cell probe_cell(const json::value& probe) {
    const std::string result = text_of(child(probe, "result"));
    const Tone tone = result == "Passing"   ? Tone::Good
                      : result == "Failing" ? Tone::Bad
                                            : Tone::Muted;
    return {result.empty() ? "-" : result, result.empty() ? Tone::Muted : tone};
}

std::string or_dash(std::string text) {
    return text.empty() ? "-" : text;
}

// "3s late" for what should have begun already.
std::string due_text(const std::string& at, core::WallTime now) {
    const auto instant = core::parse_timestamp(at);
    const std::string distance = distance_text(at, now);
    return instant && *instant < now && distance != "now" ? distance + " late" : distance;
}

// A home that passes again and still has no traffic: how far it has come. Passes are counted behind
// a closed gate only.
std::string recovery_of(const json::value& probe) {
    const double passes = number_of(child(probe, "consecutivePasses")).value_or(0);
    return is_true(child(probe, "gated"))
               ? fmt::format("still gated: {:.0f} pass{} in a row, successThreshold asks for more",
                             passes,
                             passes == 1 ? "" : "es")
               : std::string();
}

// Why the home does not count as an operator would expect: first the gate's side, then the
// ceiling's.
std::string reason_of(const json::value& capacity, const json::value& probe) {
    const std::string reason = text_of(child(probe, "result")) == "Passing"
                                   ? recovery_of(probe)
                                   : whole_text(child(probe, "message"));
    const std::string fallback = whole_text(child(capacity, "fallbackReason"));
    return reason + (reason.empty() || fallback.empty() ? "" : "; ") + fallback;
}

Row home_row(const std::string& service, const json::value& home, const ReportStyle& style) {
    const auto& capacity = child(home, "capacity");
    const auto& probe = child(home, "probe");
    const bool gated = is_true(child(probe, "gated"));
    const auto failures = number_of(child(probe, "consecutiveFailures"));
    const std::string last =
        later(text_of(child(capacity, "lastAttemptTime")), text_of(child(probe, "lastProbeTime")));
    const std::string next = sooner(text_of(child(capacity, "nextAttemptTime")),
                                    text_of(child(probe, "nextAttemptTime")));
    return {service,
            text_of(child(home, "cluster")),
            figure(child(capacity, "ceiling")),
            probe_cell(probe),
            Cell(gated ? "yes" : "no", gated ? Tone::Bad : Tone::Plain),
            Cell(failures ? figure(child(probe, "consecutiveFailures")) : "-",
                 failures.value_or(0) > 0 ? Tone::Bad : Tone::Plain),
            or_dash(distance_text(last, style.now)),
            or_dash(due_text(next, style.now)),
            reason_of(capacity, probe)};
}

std::vector<Row> home_rows(const json::array& services, const ReportStyle& style) {
    std::vector<Row> rows;
    Row heading;
    for (const char* name : {"SERVICE",
                             "CLUSTER",
                             "CEILING",
                             "PROBE",
                             "GATED",
                             "FAILURES",
                             "LAST",
                             "NEXT",
                             "REASON"}) {
        heading.emplace_back(name, Tone::Heading);
    }
    rows.push_back(std::move(heading));
    for (const json::value& service : services) {
        const std::string name =
            text_of(child(service, "namespace")) + "/" + text_of(child(service, "name"));
        const json::array* homes = child(service, "homes").if_array();
        const bool suspended = is_true(child(service, "suspended"));
        if (homes == nullptr || homes->empty()) {
            rows.push_back({name, Cell(suspended ? "suspended" : "no homes", Tone::Muted)});
            continue;
        }
        for (const json::value& home : *homes) {
            rows.push_back(home_row(name, home, style));
            if (suspended) {
                Cell& reason = rows.back()[reason_column];
                reason.text =
                    reason.text.empty() ? suspended_text : suspended_text + ("; " + reason.text);
            }
        }
    }
    return rows;
}

// What the columns before it leave of a line.
std::size_t room_for_reasons(const std::vector<Row>& rows, std::size_t columns) {
    std::size_t taken = 0;
    for (std::size_t column = 0; column < reason_column; ++column) {
        std::size_t widest = 0;
        for (const Row& row : rows) {
            widest =
                std::max(widest, column < row.size() ? core::display_width(row[column].text) : 0);
        }
        taken += widest + core::column_gap;
    }
    return columns > taken + least_reason ? columns - taken : least_reason;
}

void cut_reasons(std::vector<Row>& rows, std::size_t columns) {
    const std::size_t room = room_for_reasons(rows, columns);
    for (Row& row : rows) {
        if (row.size() > reason_column) {
            row[reason_column].text = core::shorten_to_width(row[reason_column].text, room);
        }
    }
}

// The contract's words name no remedy, and whoever tries homes on their own machine meets these
// first.
std::string hints(const std::vector<Row>& rows, bool color) {
    const auto homes = std::count_if(rows.begin(), rows.end(), [](const Row& row) {
        return row.size() > reason_column &&
               row[reason_column].text.find(core::refused_address_text) != std::string::npos;
    });
    if (homes == 0) {
        return {};
    }
    return fmt::format("\n{}      \"{}\" ({} {}): {}\n",
                       paint("hint", Tone::Heading, color),
                       core::refused_address_text,
                       homes,
                       homes == 1 ? "home" : "homes",
                       core::refused_address_advice);
}

std::string homes_table(const json::array& services, const ReportStyle& style) {
    std::vector<Row> rows = home_rows(services, style);
    const std::string hint = hints(rows, style.color);
    if (style.columns) {
        cut_reasons(rows, *style.columns);
    }
    return align(rows, style.color) + hint;
}

}  // namespace

std::string distance_text(std::string_view at, core::WallTime now) {
    const auto instant = core::parse_timestamp(at);
    if (!instant) {
        return {};
    }
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - *instant).count();
    return seconds == 0 ? "now" : span_text(std::abs(seconds));
}

std::string report_status(const json::value& status,
                          const json::array& services,
                          const ReportStyle& style) {
    std::string text = head_line(status) + "\n";
    text += align(totals(status), style.color);
    text += advice(status, style.color);
    text += "\n";
    return text + (services.empty() ? "no services are declared\n" : homes_table(services, style));
}

}  // namespace ome::observer
