#include "output.hpp"

#include <ome/core/text.hpp>
#include <ome/core/text_table.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/core/utf8.hpp>
#include <ome/wire/json_text.hpp>
#include <ome/wire/object_document.hpp>

#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <array>

namespace ome::kubectl {
namespace {

constexpr std::size_t gap = 3;

// East Asian wide and emoji blocks, roughly: enough to keep tables from breaking.
std::size_t columns_of(char32_t c) {
    const bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
                      (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
                      (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
                      (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
    return wide ? 2 : 1;
}

std::string_view first_characters(std::string_view text, std::size_t count) {
    std::size_t length = 0;
    for (; count > 0 && length < text.size(); --count) {
        length += core::first_code_point(text.substr(length)).length;
    }
    return text.substr(0, length);
}

// Foreign text may have anything; without that a cell stays as it is, blanks at its ends included.
std::string for_screen(const std::string& text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (static_cast<unsigned char>(text[at]) < 0x20 || wire::obeyed_length(text, at) > 0) {
            return core::sanitize_detail(text, text.size());
        }
    }
    return text;
}

}  // namespace

std::optional<Format> parse_format(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, Format>, 4> formats{{{"table", Format::Table},
                                                                          {"wide", Format::Wide},
                                                                          {"json", Format::Json},
                                                                          {"yaml", Format::Yaml}}};
    for (const auto& [name, format] : formats) {
        if (text == name) {
            return format;
        }
    }
    return std::nullopt;
}

std::string table(const std::vector<TextRow>& rows) {
    std::vector<core::Row> cells;
    cells.reserve(rows.size());
    for (const TextRow& row : rows) {
        core::Row& line = cells.emplace_back();
        for (const std::string& text : row) {
            line.emplace_back(for_screen(text));
        }
    }
    return core::align(cells, false, gap);
}

std::string field_table(const std::vector<Field>& fields,
                        std::size_t name_width,
                        std::size_t value_width) {
    std::vector<TextRow> rows{{"FIELD", "VALUE"}};
    for (const auto& [name, value] : fields) {
        rows.push_back({bounded(name, name_width), bounded(value, value_width)});
    }
    return table(rows);
}

std::string bounded(std::string_view text, std::size_t width) {
    if (core::count_characters(text) <= width) {
        return std::string(text);
    }
    return std::string(first_characters(text, width - 3)) + "...";
}

std::vector<std::string> chunks(std::string_view text, std::size_t width) {
    std::vector<std::string> pieces(1);
    std::size_t used = 0;
    while (!text.empty()) {
        const core::CodePoint point = core::first_code_point(text);
        const std::size_t wide = point.valid ? columns_of(point.value) : 1;
        if (used + wide > width) {
            pieces.emplace_back();
            used = 0;
        }
        pieces.back() += text.substr(0, point.length);
        used += wide;
        text.remove_prefix(point.length);
    }
    return pieces;
}

std::string document(const boost::json::value& value, Format format) {
    return format == Format::Yaml ? wire::to_yaml_text(value) : wire::to_indented_text(value);
}

std::string age_text(core::Duration age) {
    struct Step {
        std::int64_t below;  ///< seconds
        std::int64_t unit;   ///< of the first number, in seconds
        char name;
        std::int64_t smaller;  ///< of the second number; 0: there is none
        char smaller_name;
    };
    constexpr std::int64_t minute = 60;
    constexpr std::int64_t hour = 60 * minute;
    constexpr std::int64_t day = 24 * hour;
    constexpr std::int64_t year = 365 * day;
    constexpr std::array<Step, 9> steps{{{2 * minute, 1, 's', 0, ' '},
                                         {10 * minute, minute, 'm', 1, 's'},
                                         {3 * hour, minute, 'm', 0, ' '},
                                         {8 * hour, hour, 'h', minute, 'm'},
                                         {2 * day, hour, 'h', 0, ' '},
                                         {8 * day, day, 'd', hour, 'h'},
                                         {2 * year, day, 'd', 0, ' '},
                                         {8 * year, year, 'y', day, 'd'},
                                         {INT64_MAX, year, 'y', 0, ' '}}};
    const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(age).count();
    if (seconds < 0) {
        return seconds < -1 ? "<invalid>" : "0s";
    }
    for (const Step& step : steps) {
        if (seconds >= step.below) {
            continue;
        }
        const std::string first = fmt::format("{}{}", seconds / step.unit, step.name);
        const std::int64_t rest = step.smaller > 0 ? seconds % step.unit / step.smaller : 0;
        return rest > 0 ? fmt::format("{}{}{}", first, rest, step.smaller_name) : first;
    }
    return "<unknown>";
}

std::string age_of(std::string_view stamp, core::WallTime now) {
    const auto at = core::parse_timestamp(stamp);
    return at ? age_text(now - *at) : "<unknown>";
}

std::string stamp_text(core::WallTime at) {
    return core::format_timestamp({at.seconds, 0}).substr(0, 19) + "Z";
}

}  // namespace ome::kubectl
