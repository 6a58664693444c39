#include "json_walk.hpp"
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/wire/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

namespace ome::wire {
namespace {

constexpr std::string_view white_space = " \t\r\n";

// Names match in any case of ASCII.
bool is_named(std::string_view name, std::string_view wanted) {
    return name.size() == wanted.size() &&
           std::equal(name.begin(), name.end(), wanted.begin(), [](char a, char b) {
               const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c + 0; };
               return lower(a) == lower(b);
           });
}

// A foreign value in a message: short, and without what a terminal would act on.
std::string shown(std::string_view value) {
    if (value.starts_with('{')) {
        return "an object";
    }
    if (value.starts_with('[')) {
        return "an array";
    }
    constexpr std::size_t longest = 64;
    const std::string text = core::sanitize_detail(value, longest);
    return value.size() > longest ? text + "..." : text;
}

// The text with `digit` for every digit.
std::string with_digits(std::string_view text, char digit) {
    std::string form(text);
    std::replace_if(
        form.begin(), form.end(), [](char c) { return c >= '0' && c <= '9'; }, digit);
    return form;
}

std::optional<std::int32_t> whole_number(std::string_view token) {
    std::int32_t number = 0;
    const char* const end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, number);
    const bool whole = error == std::errc() && stop == end;
    return whole ? std::optional(number) : std::nullopt;
}

// The stamp is read from the text between the quotes as it stands, so that an escape fails it.
std::optional<core::WallTime> stamp(std::string_view token) {
    const bool quoted = token.size() >= 2 && token.front() == '"' && token.back() == '"';
    return quoted ? core::parse_timestamp(token.substr(1, token.size() - 2)) : std::nullopt;
}

// Digits of a stamp change with each report and are rarely what is wrong with it, so the form alone
// is told: a reason that changes is announced as a change. Where all digits 1 would be a time,
// these digits are none.
std::string stamp_refusal(std::string_view value) {
    if (stamp(with_digits(value, '1'))) {
        return fmt::format("observedAt {} is no time that exists", shown(value));
    }
    constexpr std::string_view rule = "observedAt must be an RFC 3339 time with a zone, not";
    if (value.starts_with('"')) {
        return fmt::format("{} of the form {}", rule, shown(with_digits(value, '0')));
    }
    const bool number = whole_number(value.substr(0, 1)) || value.starts_with('-');
    return fmt::format("{} {}", rule, number ? "a number" : shown(value));
}

// The two members that count, as far as they have been read.
class Fields {
public:
    bool take(std::string_view name, std::string_view value) {
        if (is_named(name, "servable")) {
            return take_servable(value);
        }
        return !is_named(name, "observedAt") || take_observed_at(value);
    }

    [[nodiscard]] const std::string& refusal() const { return refusal_; }
    [[nodiscard]] std::optional<std::int32_t> servable() const { return servable_; }
    [[nodiscard]] core::WallTime observed_at() const { return observed_at_; }

private:
    // A later null takes the count back.
    bool take_servable(std::string_view value) {
        servable_ = whole_number(value);
        if (!servable_ && value != "null") {
            refusal_ = fmt::format("servable must be a whole number from {} to {}, not {}",
                                   std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max(),
                                   shown(value));
        }
        return refusal_.empty();
    }

    // A later null does not take the stamp back.
    bool take_observed_at(std::string_view value) {
        const auto at = stamp(value);
        observed_at_ = at.value_or(observed_at_);
        if (!at && value != "null") {
            refusal_ = stamp_refusal(value);
        }
        return refusal_.empty();
    }

    std::optional<std::int32_t> servable_;
    core::WallTime observed_at_ = core::zero_instant;
    std::string refusal_;
};

std::string_view text_of(JsonFault fault) {
    switch (fault) {
        case JsonFault::Encoding:
            return "the body is not UTF-8";
        case JsonFault::Escape:
            return "a string holds a malformed escape";
        case JsonFault::Depth:
            return "the body is nested deeper than 10000 levels";
        case JsonFault::None:
        case JsonFault::Refused:
        case JsonFault::Syntax:
            break;
    }
    return "the body is not one valid JSON object and nothing else";
}

std::string not_valid(std::string_view why) {
    return fmt::format("capacity response is not a valid report: {}", why);
}

// Per thread, so that nothing is allocated or cleared for the next report.
struct Buffers {
    simdjson::dom::parser parser;
    JsonWalk walk;
    std::string copy;
};

Buffers& buffers() {
    thread_local Buffers kept;
    return kept;
}

// The body with the bytes behind it that simdjson reads. A brace there, left over from a longer
// one, would change what it says of a document whose brackets do not match.
std::string_view padded_copy(std::string_view body) {
    std::string& copy = buffers().copy;
    if (copy.size() < body.size() + simdjson::SIMDJSON_PADDING) {
        copy.resize(body.size() + simdjson::SIMDJSON_PADDING);
    }
    std::copy(body.begin(), body.end(), copy.begin());
    copy[body.size()] = '\0';
    return std::string_view(copy).substr(0, body.size());
}

std::string_view trimmed(std::string_view body) {
    const std::size_t first = std::min(body.find_first_not_of(white_space), body.size());
    const std::size_t last = body.find_last_not_of(white_space);
    return body.substr(first, last == std::string_view::npos ? 0 : last + 1 - first);
}

std::variant<std::monostate, core::CapacityReport, std::string> conclusion(const Fields& fields) {
    if (!fields.servable()) {
        return "capacity report has no servable count";
    }
    if (fields.observed_at() == core::zero_instant) {
        return "capacity report has no observedAt stamp";
    }
    return core::CapacityReport{*fields.servable(), fields.observed_at()};
}

// The two members in a DOM. False: not as nearly every report has them, so the walk decides.
class PlainFields {
public:
    bool take(std::string_view name, const simdjson::dom::element& value) {
        if (is_named(name, "servable")) {
            return take_servable(value);
        }
        return !is_named(name, "observedAt") || take_observed_at(value);
    }

    [[nodiscard]] std::optional<core::CapacityReport> report() const {
        return servable_ && observed_at_
                   ? std::optional(core::CapacityReport{*servable_, *observed_at_})
                   : std::nullopt;
    }

private:
    bool take_servable(const simdjson::dom::element& value) {
        using Limits = std::numeric_limits<std::int32_t>;
        std::int64_t count = 0;
        if (value.get(count) || count < Limits::min() || count > Limits::max()) {
            return false;
        }
        servable_ = static_cast<std::int32_t>(count);
        return true;
    }

    bool take_observed_at(const simdjson::dom::element& value) {
        std::string_view text;
        observed_at_ = value.get(text) ? std::nullopt : core::parse_timestamp(text);
        return observed_at_ && observed_at_ != core::zero_instant;
    }

    std::optional<std::int32_t> servable_;
    std::optional<core::WallTime> observed_at_;
};

// A report without a fault. simdjson's DOM checks every byte too, for less than half of what the
// walk costs (8,300 instructions in place of 19,500 with eight sensors); but what it refuses may
// still be valid, and it has no words for what is wrong. Absent: the walk decides.
std::optional<core::CapacityReport> plain_report(std::string_view text) {
    // An escape hides how a value was written, which counts for the stamp.
    simdjson::dom::object object;
    if (text.find('\\') != std::string_view::npos ||
        buffers().parser.parse(text.data(), text.size(), false).get(object)) {
        return std::nullopt;
    }
    PlainFields fields;
    for (const auto& [name, value] : object) {
        if (!fields.take(name, value)) {
            return std::nullopt;
        }
    }
    return fields.report();
}

}  // namespace

std::variant<std::monostate, core::CapacityReport, std::string> decode_report(std::string_view body,
                                                                              bool padded) {
    Fields fields;
    const std::string_view document = trimmed(body);
    if (document.empty()) {
        return not_valid("the body is empty");
    }
    if (document == "null") {
        return conclusion(fields);
    }
    if (document.front() != '{') {
        // A sign-in page, or an application that answers every path.
        return not_valid(document.front() == '<'
                             ? "the body is not a JSON object, it looks like HTML"
                             : "the body is not a JSON object");
    }
    const bool ready = padded && body.data()[body.size()] != '}';
    const std::string_view text = ready ? body : padded_copy(body);
    if (const auto report = plain_report(text)) {
        return *report;
    }
    const JsonFault fault =
        buffers().walk.run(text, [&fields](std::string_view name, std::string_view value) {
            return fields.take(name, value);
        });
    if (fault != JsonFault::None) {
        return not_valid(fault == JsonFault::Refused ? fields.refusal() : text_of(fault));
    }
    return conclusion(fields);
}

}  // namespace ome::wire
