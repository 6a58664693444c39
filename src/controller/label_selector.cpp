#include "label_selector.hpp"

#include <ome/core/dns_name.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace ome::controller {
namespace {

using Fault = std::optional<std::string>;

constexpr std::string_view spaces = " \t\r\n";
constexpr std::string_view signs = "=!(),<>";

constexpr std::string_view key_rule =
    "must be NAME or PREFIX/NAME: NAME at most 63 of letters, digits, -, _ and ., with a letter or "
    "digit at both ends, PREFIX a DNS-1123 subdomain";

bool is_label_key(std::string_view key) {
    const std::size_t slash = key.find('/');
    if (slash != std::string_view::npos && !core::is_dns_subdomain(key.substr(0, slash))) {
        return false;
    }
    const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
    return !name.empty() && core::is_label_value(name);
}

bool is_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

/// Words and signs, one after the other; an empty one is the end.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) { skip(); }

    [[nodiscard]] std::string_view peek() const {
        if (text_.empty()) {
            return {};
        }
        if (signs.find(text_.front()) == std::string_view::npos) {
            return text_.substr(0, text_.find_first_of("=!(),<> \t\r\n"));
        }
        const bool two = text_.starts_with("==") || text_.starts_with("!=");
        return text_.substr(0, two ? 2 : 1);
    }

    std::string_view take() {
        const std::string_view token = peek();
        text_.remove_prefix(token.size());
        skip();
        return token;
    }

    /// The next one is a word and no sign.
    [[nodiscard]] bool at_word() const {
        return !text_.empty() && signs.find(text_.front()) == std::string_view::npos;
    }

private:
    void skip() { text_.remove_prefix(std::min(text_.find_first_not_of(spaces), text_.size())); }

    std::string_view text_;
};

std::string before(std::string_view token) {
    return token.empty() ? "at its end" : "before " + core::go_quote(token);
}

Fault value_fault(std::string_view key, std::string_view value) {
    return core::is_label_value(value)
               ? std::nullopt
               : Fault(fmt::format(
                     "value {} of {} {}", core::go_quote(value), key, core::label_value_rule));
}

// The values may be empty: a label may be.
Fault read_set(Reader& reader, std::string_view key, std::string_view verb) {
    if (reader.peek() != "(") {
        return fmt::format("( is missing after {} {}", key, verb);
    }
    reader.take();
    while (true) {
        if (reader.at_word()) {
            if (auto fault = value_fault(key, reader.take())) {
                return fault;
            }
        }
        const std::string_view next = reader.take();
        if (next == ")") {
            return std::nullopt;
        }
        if (next != ",") {
            return fmt::format("the list of {} {} lacks its ) {}", key, verb, before(next));
        }
    }
}

Fault read_number(Reader& reader, std::string_view key, std::string_view verb) {
    const std::string_view value = reader.at_word() ? reader.take() : std::string_view();
    return is_number(value)
               ? std::nullopt
               : Fault(fmt::format(
                     "value {} of {}{} must be a whole number", core::go_quote(value), key, verb));
}

Fault read_requirement(Reader& reader) {
    const bool absent = reader.peek() == "!";
    if (absent) {
        reader.take();
    }
    if (!reader.at_word()) {
        return "a label key is missing " + before(reader.peek());
    }
    const std::string_view key = reader.take();
    if (!is_label_key(key)) {
        return fmt::format("label key {} {}", core::go_quote(key), key_rule);
    }
    const std::string_view verb = reader.peek();
    if (absent || verb.empty() || verb == ",") {
        return std::nullopt;
    }
    reader.take();
    if (verb == "in" || verb == "notin") {
        return read_set(reader, key, verb);
    }
    if (verb == "<" || verb == ">") {
        return read_number(reader, key, verb);
    }
    if (verb == "=" || verb == "==" || verb == "!=") {
        return reader.at_word() ? value_fault(key, reader.take()) : std::nullopt;
    }
    return fmt::format(
        "{} after {} must be one of = == != in notin < > or a comma", core::go_quote(verb), key);
}

}  // namespace

std::optional<std::string> selector_fault(std::string_view text) {
    Reader reader(text);
    if (reader.peek().empty()) {
        return std::nullopt;
    }
    while (true) {
        if (auto fault = read_requirement(reader)) {
            return fault;
        }
        const std::string_view next = reader.take();
        if (next.empty()) {
            return std::nullopt;
        }
        if (next != ",") {
            return fmt::format("a comma is missing before {}", core::go_quote(next));
        }
    }
}

}  // namespace ome::controller
