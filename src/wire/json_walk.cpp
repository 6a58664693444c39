#include "json_walk.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>

namespace ome::wire {
namespace {

JsonFault fault_of(simdjson::error_code error) {
    switch (error) {
        case simdjson::SUCCESS:
            return JsonFault::None;
        case simdjson::UTF8_ERROR:
            return JsonFault::Encoding;
        case simdjson::STRING_ERROR:
            return JsonFault::Escape;
        default:
            return JsonFault::Syntax;
    }
}

// simdjson's tokens reach to the beginning of the next one.
std::string_view without_trailing_space(std::string_view token) {
    const std::size_t last = token.find_last_not_of(" \t\r\n");
    return token.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::size_t leading_digits(std::string_view text) {
    return std::min(text.find_first_not_of("0123456789"), text.size());
}

// Cuts an optional `mark` and the digits behind it off; false when the digits are missing.
bool take_digits_behind(std::string_view& text, std::string_view mark, std::string_view signs) {
    if (text.empty() || mark.find(text.front()) == std::string_view::npos) {
        return true;
    }
    text.remove_prefix(1);
    if (!text.empty() && signs.find(text.front()) != std::string_view::npos) {
        text.remove_prefix(1);
    }
    const std::size_t digits = leading_digits(text);
    text.remove_prefix(digits);
    return digits > 0;
}

// By grammar, of any size.
bool is_number(std::string_view token) {
    token.remove_prefix(token.starts_with('-') ? 1 : 0);
    const std::size_t whole = leading_digits(token);
    if (whole == 0 || (whole > 1 && token.front() == '0')) {
        return false;
    }
    token.remove_prefix(whole);
    return take_digits_behind(token, ".", "") && take_digits_behind(token, "eE", "+-") &&
           token.empty();
}

JsonFault check_string(simdjson::ondemand::value& value, std::string_view token) {
    if (token.size() < 2 || token.back() != '"') {
        return JsonFault::Syntax;
    }
    // Without an escape there is nothing left to check: encoding and control characters were
    // looked at when the document was indexed. But it has to be consumed: a string that is skipped
    // may be followed by a colon, as if it were a name.
    const bool escapes = token.find('\\') != std::string_view::npos;
    return fault_of(escapes ? value.get_string().error() : value.get_raw_json_string().error());
}

JsonFault check_scalar(simdjson::ondemand::value& value) {
    const std::string_view token = without_trailing_space(value.raw_json_token());
    if (token.starts_with('"')) {
        return check_string(value, token);
    }
    const bool valid = token == "true" || token == "false" || token == "null" || is_number(token);
    return valid ? JsonFault::None : JsonFault::Syntax;
}

bool is_container(simdjson::ondemand::value& value) {
    const char first = value.raw_json_token().front();
    return first == '{' || first == '[';
}

// Only behind the last token is there no location.
bool is_at_end(simdjson::ondemand::document& document) {
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

}  // namespace

JsonWalk::JsonWalk() {
    // One more level, so that it is this walk that finds a document too deep. A failure shows again
    // when a document is parsed.
    std::ignore = parser_.allocate(4'096, max_json_depth + 2);
}

JsonFault JsonWalk::run(std::string_view text, const TakeMember& take) {
    simdjson::ondemand::document document;
    const std::size_t padded = text.size() + simdjson::SIMDJSON_PADDING;
    if (const auto error = parser_.iterate(text.data(), text.size(), padded).get(document)) {
        return fault_of(error);
    }
    simdjson::ondemand::object object;
    Object first;
    if (document.get_object().get(object) || object.begin().get(first)) {
        return JsonFault::Syntax;
    }
    levels_.assign(1, first);
    while (!levels_.empty()) {
        if (const JsonFault fault = step(document, take); fault != JsonFault::None) {
            return fault;
        }
    }
    return is_at_end(document) ? JsonFault::None : JsonFault::Syntax;
}

// Reads one value of the innermost container, or leaves the container behind. simdjson does not
// watch the end of the text; when brackets are missing it would read on.
JsonFault JsonWalk::step(simdjson::ondemand::document& document, const TakeMember& take) {
    const bool more =
        std::visit([](auto& at) { return at != std::decay_t<decltype(at)>(); }, levels_.back());
    if (!more) {
        levels_.pop_back();
    }
    if (levels_.empty()) {
        return JsonFault::None;
    }
    if (is_at_end(document)) {
        return JsonFault::Syntax;
    }
    if (more) {
        Value value;
        if (const JsonFault fault = next_value(take, value); fault != JsonFault::None) {
            return fault;
        }
        if (is_container(value)) {
            return open(value);
        }
    }
    std::visit([](auto& at) { ++at; }, levels_.back());
    return JsonFault::None;
}

JsonFault JsonWalk::open(Value& value) {
    if (levels_.size() == max_json_depth) {
        return JsonFault::Depth;
    }
    simdjson::error_code error = simdjson::SUCCESS;
    if (value.raw_json_token().front() == '[') {
        simdjson::ondemand::array array;
        error = value.get_array().get(array);
        levels_.emplace_back(Array());
        error = error ? error : array.begin().get(std::get<Array>(levels_.back()));
    } else {
        simdjson::ondemand::object object;
        error = value.get_object().get(object);
        levels_.emplace_back(Object());
        error = error ? error : object.begin().get(std::get<Object>(levels_.back()));
    }
    return fault_of(error);
}

JsonFault JsonWalk::next_value(const TakeMember& take, Value& value) {
    if (Object* const object = std::get_if<Object>(&levels_.back())) {
        if (const JsonFault fault = member(*object, take, value); fault != JsonFault::None) {
            return fault;
        }
    } else if (const auto error = (*std::get<Array>(levels_.back())).get(value)) {
        return fault_of(error);
    }
    return is_container(value) ? JsonFault::None : check_scalar(value);
}

JsonFault JsonWalk::member(Object& object, const TakeMember& take, Value& value) {
    simdjson::ondemand::field field;
    std::string_view name;
    if (const auto error = (*object).get(field)) {
        return fault_of(error);
    }
    if (const auto error = field.unescaped_key().get(name)) {
        return fault_of(error);
    }
    value = field.value();
    const bool outermost = levels_.size() == 1;
    const bool taken = !outermost || take(name, without_trailing_space(value.raw_json_token()));
    return taken ? JsonFault::None : JsonFault::Refused;
}

}  // namespace ome::wire
