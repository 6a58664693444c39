#include <ome/core/duration.hpp>
#include <ome/core/setting_rules.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace ome::core::setting_rules {

std::optional<std::int64_t> to_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
    return whole ? std::optional(value) : std::nullopt;
}

Broken number(const Texts& texts, std::int64_t least, std::int64_t most, std::int64_t& out) {
    const auto value = to_number(texts.front());
    if (!value || *value < least || *value > most) {
        return fmt::format("must be a whole number from {} to {}", least, most);
    }
    out = *value;
    return std::nullopt;
}

Broken duration(const Texts& texts,
                core::Duration least,
                core::Duration most,
                core::Duration& out) {
    const auto value = core::parse_duration(texts.front());
    if (!value || *value < least || *value > most) {
        return fmt::format("must be a duration such as 500ms, 30s or 5m, from {} to {}",
                           core::format_duration(least),
                           core::format_duration(most));
    }
    out = *value;
    return std::nullopt;
}

Broken duration_or_off(const Texts& texts, core::Duration least, core::Duration& out) {
    if (core::parse_duration(texts.front()) == core::Duration::zero()) {
        out = core::Duration::zero();
        return std::nullopt;
    }
    const auto broken = duration(texts, least, core::Duration::max(), out);
    return broken ? std::optional(*broken + ", or 0s for never") : std::nullopt;
}

Broken truth(const Texts& texts, bool& out) {
    const std::string& text = texts.front();
    if (text != "true" && text != "false") {
        return "must be true or false";
    }
    out = text == "true";
    return std::nullopt;
}

Broken choice(const Texts& texts, const std::vector<std::string_view>& choices, std::size_t& out) {
    const auto found = std::find(choices.begin(), choices.end(), texts.front());
    if (found == choices.end()) {
        return fmt::format("must be one of {}", fmt::join(choices, ", "));
    }
    out = static_cast<std::size_t>(found - choices.begin());
    return std::nullopt;
}

}  // namespace ome::core::setting_rules
