#include "json_fields.hpp"

#include "duration_text.hpp"
#include <ome/core/usage.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::homesim {

namespace json = boost::json;

Failure broken(const std::string& field, const json::value& value, std::string_view rule) {
    return core::Problem{fmt::format("{} ({}) {}", field, json::serialize(value), rule), field};
}

Failure read(const json::value& value, const std::string& field, bool& out) {
    if (!value.is_bool()) {
        return broken(field, value, "must be true or false");
    }
    out = value.get_bool();
    return {};
}

Failure read_positive(const boost::json::value& value,
                      const std::string& field,
                      core::Duration& out) {
    Failure failure = read(value, field, out);
    return !failure && out.count() <= 0 ? broken(field, value, "must be positive") : failure;
}

Failure read_number(const json::value& value,
                    const std::string& field,
                    std::int64_t least,
                    std::int64_t most,
                    std::int64_t& out) {
    json::error_code ec;
    const auto number = value.to_number<std::int64_t>(ec);
    if (ec || number < least || number > most) {
        return broken(
            field, value, fmt::format("must be a whole number from {} to {}", least, most));
    }
    out = number;
    return {};
}

Failure read(const json::value& value, const std::string& field, core::Duration& out) {
    const std::optional<core::Duration> parsed =
        value.is_string() ? parse_duration(std::string_view(value.get_string())) : std::nullopt;
    if (!parsed) {
        return broken(field, value, "must be a duration such as \"250ms\" or \"1.5s\"");
    }
    out = *parsed;
    return {};
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
    const auto near = core::nearest_word(word, known);
    return near ? fmt::format("; did you mean {}?", *near) : std::string();
}

const json::value& value_at(const json::value& value, std::size_t step) {
    const json::array* list = value.if_array();
    return list == nullptr ? value : (*list)[std::min(step, list->size() - 1)];
}

}  // namespace ome::homesim
