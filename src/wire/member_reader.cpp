#include "member_reader.hpp"

#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/core/usage.hpp>
#include <ome/wire/json_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

constexpr std::size_t longest_shown = 80;
constexpr std::size_t most_messages = 10;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_folded(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return lower(x) == lower(y);
    });
}

// Of a field without an upper limit the largest number is told to those only who exceed it.
std::string expected_integer(Range range, const json::value& value) {
    if (range.most == any_int64.most && !value.is_uint64()) {
        return range.least == any_int64.least
                   ? "an integer"
                   : fmt::format("an integer of {} or more", range.least);
    }
    return fmt::format("an integer from {} to {}", range.least, range.most);
}

constexpr std::string_view expected_quantity = "an integer or a text such as \"500m\"";

std::optional<std::string> quantity_of(const json::value& value) {
    if (value.is_string()) {
        return std::string(std::string_view(value.get_string()));
    }
    const std::optional<std::int64_t> number = integer_of(value, any_int64);
    return number ? std::optional(fmt::to_string(*number)) : std::nullopt;
}

// What a name was meant to be. A member that is there already was not meant by another.
template <typename Names>
std::string guess(std::string_view name, const Names& known, const json::object& object) {
    std::vector<std::string> absent;
    for (const std::string_view one : known) {
        if (!object.contains(one)) {
            absent.emplace_back(one);
        }
    }
    const auto near = core::nearest_word(name, absent);
    return near ? fmt::format("; did you mean {}?", *near) : std::string();
}

}  // namespace

// A value of YAML may hold any bytes.
std::string shown(const json::value& value) {
    const std::string text = value.is_double() ? to_text(value) : json::serialize(value);
    const std::string clean = core::sanitize_detail(text, longest_shown);
    return text.size() > longest_shown ? clean + "..." : clean;
}

core::Problem as_one(const std::vector<core::Problem>& errors) {
    core::Problem whole = errors.front();
    const std::size_t told = std::min(errors.size(), most_messages);
    for (std::size_t i = 1; i < told; ++i) {
        whole.message += '\n' + errors[i].message;
    }
    if (told < errors.size()) {
        whole.message += fmt::format("\n(and {} more)", errors.size() - told);
    }
    return whole;
}

std::optional<std::int64_t> integer_of(const json::value& value, Range range) {
    json::error_code ec;
    const auto number = value.is_double() ? 0 : value.to_number<std::int64_t>(ec);
    const bool fits = !value.is_double() && !ec && number >= range.least && number <= range.most;
    return fits ? std::optional(number) : std::nullopt;
}

Members::Members(const json::object& object, std::string path, Notes& notes, Names names)
    : object_(&object), path_(std::move(path)), notes_(&notes), names_(names) {}

const json::value* Members::find(std::string_view name) {
    asked_.push_back(name);
    const json::value* value = object_->if_contains(name);
    if (value == nullptr && names_ == Names::Fold) {
        value = find_folded(name);
    }
    return value != nullptr && value->is_null() ? nullptr : value;
}

const json::value* Members::find_folded(std::string_view name) {
    for (const auto& member : *object_) {
        const std::string_view written = member.key();
        if (same_folded(written, name)) {
            asked_.push_back(written);
            notes_->warnings.push_back(
                {fmt::format("{} is read as {}", path_of(written), name), path_of(written)});
            return &member.value();
        }
    }
    return nullptr;
}

void Members::wrong(const std::string& path, const json::value& value, std::string_view expected) {
    notes_->errors.push_back(
        {fmt::format("{}: {} must be {}", path, shown(value), expected), path});
}

std::optional<std::string> Members::text(std::string_view name) {
    const json::value* value = find(name);
    if (value != nullptr && !value->is_string()) {
        wrong(path_of(name), *value, "a text");
        return std::nullopt;
    }
    return value ? std::optional<std::string>(std::string_view(value->get_string())) : std::nullopt;
}

std::optional<std::string> Members::duration(std::string_view name) {
    const json::value* value = find(name);
    if (value != nullptr && !value->is_string()) {
        wrong(path_of(name), *value, R"(a duration in quotes (use forms like "30s", "5m"))");
        return std::nullopt;
    }
    return value ? std::optional<std::string>(std::string_view(value->get_string())) : std::nullopt;
}

std::optional<bool> Members::flag(std::string_view name) {
    const json::value* value = find(name);
    if (value != nullptr && !value->is_bool()) {
        wrong(path_of(name), *value, "true or false");
        return std::nullopt;
    }
    return value ? std::optional(value->get_bool()) : std::nullopt;
}

std::optional<std::int64_t> Members::integer(std::string_view name, Range range) {
    return integer(name, range, range);
}

std::optional<std::int64_t> Members::integer(std::string_view name, Range range, Range told) {
    const json::value* value = find(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> number = integer_of(*value, range);
    if (!number) {
        wrong(path_of(name), *value, expected_integer(told, *value));
    }
    return number;
}

std::optional<std::vector<std::int64_t>> Members::integers(std::string_view name, Range told) {
    const json::array* items = array(name);
    if (items == nullptr) {
        return std::nullopt;
    }
    std::vector<std::int64_t> numbers;
    for (const json::value& item : *items) {
        if (const auto number = integer_of(item, {})) {
            numbers.push_back(*number);
        } else {
            const auto index = static_cast<std::size_t>(&item - items->data());
            wrong(item_path(path_of(name), index), item, expected_integer(told, item));
        }
    }
    return numbers;
}

std::optional<core::Options> Members::texts(std::string_view name) {
    std::optional<Members> inner = members(name);
    if (!inner) {
        return std::nullopt;
    }
    core::Options options;
    for (const auto& member : *inner->object_) {
        if (member.value().is_string()) {
            options.emplace(std::string_view(member.key()),
                            std::string_view(member.value().get_string()));
        } else {
            wrong(inner->path_of(member.key()), member.value(), "a text");
        }
    }
    return options;
}

std::optional<core::Options> Members::quantities(std::string_view name) {
    std::optional<Members> inner = members(name);
    if (!inner) {
        return std::nullopt;
    }
    core::Options factors;
    for (const auto& member : *inner->object_) {
        if (std::optional<std::string> quantity = quantity_of(member.value())) {
            factors.emplace(std::string_view(member.key()), *std::move(quantity));
        } else {
            wrong(inner->path_of(member.key()), member.value(), expected_quantity);
        }
    }
    return factors;
}

std::optional<std::string> Members::quantity(std::string_view name) {
    const json::value* value = find(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    std::optional<std::string> quantity = quantity_of(*value);
    if (!quantity) {
        wrong(path_of(name), *value, expected_quantity);
    }
    return quantity;
}

core::ProbeResult Members::probe_result(std::string_view name) {
    const std::string text = this->text(name).value_or("");
    if (text == "Passing") {
        return core::ProbeResult::Passing;
    }
    if (text == "Failing") {
        return core::ProbeResult::Failing;
    }
    if (!text.empty() && text != "Unknown") {
        refuse(name, fmt::format("{} must be Passing, Failing, or Unknown", core::go_quote(text)));
    }
    return core::ProbeResult::Unknown;
}

const json::array* Members::array(std::string_view name) {
    const json::value* value = find(name);
    if (value != nullptr && !value->is_array()) {
        wrong(path_of(name), *value, "a list");
        return nullptr;
    }
    return value ? &value->get_array() : nullptr;
}

std::optional<Members> Members::members(std::string_view name) {
    const json::value* value = find(name);
    if (value != nullptr && !value->is_object()) {
        wrong(path_of(name), *value, "an object");
        return std::nullopt;
    }
    return value ? std::optional(Members(value->get_object(), path_of(name), *notes_, names_))
                 : std::nullopt;
}

void Members::each(std::string_view name, const std::function<void(Members)>& take) {
    const json::array* items = array(name);
    if (items == nullptr) {
        return;
    }
    for (const json::value& item : *items) {
        std::string at = item_path(path_of(name), static_cast<std::size_t>(&item - items->data()));
        if (const json::object* object = item.if_object()) {
            take({*object, std::move(at), *notes_, names_});
        } else {
            wrong(at, item, "an object");
        }
    }
}

std::vector<std::string> Members::list_of_texts(std::string_view name) {
    std::vector<std::string> texts;
    const json::array* items = array(name);
    if (items == nullptr) {
        return texts;
    }
    for (const json::value& item : *items) {
        if (item.is_string()) {
            texts.emplace_back(std::string_view(item.get_string()));
        } else {
            wrong(item_path(path_of(name), static_cast<std::size_t>(&item - items->data())),
                  item,
                  "a text");
        }
    }
    return texts;
}

void Members::refuse(std::string_view name, std::string_view what) {
    std::string path = path_of(name);
    notes_->errors.push_back({fmt::format("{} {}", path, what), std::move(path)});
}

std::optional<std::string> Members::required_text(std::string_view name) {
    const std::size_t errors = notes_->errors.size();
    std::optional<std::string> text = this->text(name);
    if (!text && notes_->errors.size() == errors) {
        refuse(name, "is required");
    }
    return text;
}

std::optional<core::WallTime> Members::time(std::string_view name) {
    const std::optional<std::string> text = this->text(name);
    if (!text) {
        return std::nullopt;
    }
    const std::optional<core::WallTime> time = core::parse_timestamp(*text);
    if (!time) {
        refuse(
            name,
            fmt::format("{} must be an RFC 3339 time with a zone, of the years 0000 to 9999 in UTC",
                        core::go_quote(*text)));
    }
    return time;
}

void Members::ignore(std::string_view name) {
    asked_.push_back(name);
}

bool Members::is_asked(std::string_view name) const {
    return std::find(asked_.begin(), asked_.end(), name) != asked_.end();
}

json::object Members::unknown() const {
    json::object found;
    for (const auto& member : *object_) {
        if (!is_asked(member.key())) {
            found[member.key()] = member.value();
        }
    }
    return found;
}

void Members::report_unknown() {
    for (const auto& member : *object_) {
        const std::string_view name = member.key();
        if (!is_asked(name)) {
            notes_->warnings.push_back({fmt::format("{} is not known and is ignored{}",
                                                    path_of(name),
                                                    guess(name, asked_, *object_)),
                                        path_of(name)});
        }
    }
}

}  // namespace ome::wire
