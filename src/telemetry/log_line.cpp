#include "log_line.hpp"

#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ome::telemetry::log {
namespace {

// A value of a peer must not make a line endless.
constexpr std::size_t max_value_bytes = 4096;

// Milliseconds always: columns of equal width are easier to read and cut.
std::string stamp(core::WallTime at) {
    at.nanoseconds -= at.nanoseconds % 1'000'000;
    return core::format_timestamp(at);
}

std::string_view name(Level level) {
    switch (level) {
        case Level::Debug:
            return "debug";
        case Level::Info:
            return "info";
        case Level::Warn:
            return "warn";
        case Level::Error:
            return "error";
        case Level::Off:
            break;
    }
    return "off";
}

std::string_view column(Level level) {
    switch (level) {
        case Level::Debug:
            return "DEBUG";
        case Level::Info:
            return "INFO ";
        case Level::Warn:
            return "WARN ";
        case Level::Error:
        case Level::Off:
            break;
    }
    return "ERROR";
}

bool is_plain(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return c > ' ' && c < '\x7f' && c != '"' && c != '=' && c != '\\';
    });
}

std::string in_json(std::string_view text) {
    return boost::json::serialize(
        boost::json::string(core::sanitize_detail(text, max_value_bytes)));
}

std::string in_text(std::string_view text) {
    return is_plain(text) && text.size() <= max_value_bytes
               ? std::string(text)
               : core::go_quote(text.substr(0, max_value_bytes));
}

struct ValueText {
    bool json;

    std::string operator()(std::string_view text) const {
        return json ? in_json(text) : in_text(text);
    }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const {
        return json && !std::isfinite(number) ? "null" : fmt::format("{}", number);
    }
    std::string operator()(core::Duration duration) const {
        return (*this)(std::string_view(core::format_duration(duration)));
    }
};

}  // namespace

std::string format_line(
    Format format, core::WallTime at, Level level, std::string_view event, Fields fields) {
    const bool json = format == Format::Json;
    std::string line =
        json ? fmt::format(R"({{"time":"{}","level":"{}","event":{})",
                           stamp(at),
                           name(level),
                           in_json(event))
             : fmt::format("{} {} {}", stamp(at), column(level), core::sanitize_detail(event));
    for (const Field& field : fields) {
        const std::string value = std::visit(ValueText{json}, field.value);
        line += json ? fmt::format(",{}:{}", in_json(field.key), value)
                     : fmt::format(" {}={}", field.key, value);
    }
    return json ? line + "}" : line;
}

}  // namespace ome::telemetry::log
