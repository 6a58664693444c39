#include "json_expectation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// Walks over the sound part of a text and remembers what is open, and what came last.
class Walk {
public:
    explicit Walk(std::string_view sound) : text_(sound) {
        while (at_ < text_.size()) {
            step();
        }
    }

    [[nodiscard]] std::string expected(std::string_view rest) const {
        const bool in_object = open_.ends_with('{');
        switch (last_) {
            case Last::Nothing:
                return "a value";
            case Last::Opening:
                return in_object ? "a name in double quotes, or `}`" : "a value, or `]`";
            case Last::Name:
                return "`:`";
            case Last::Colon:
                return "a value (a text takes double quotes)";
            case Last::Comma:
                return fmt::format("{} behind the comma{}",
                                   in_object ? "a name in double quotes" : "a value",
                                   is_one_too_many(rest) ? "; is the comma one too many?" : "");
            case Last::Value:
                return after_value(in_object);
            case Last::Inside:
                break;
        }
        return {};
    }

private:
    enum class Last { Nothing, Opening, Name, Colon, Comma, Value, Inside };

    static bool is_one_too_many(std::string_view rest) {
        return !rest.empty() && (rest[0] == '}' || rest[0] == ']' || rest[0] == ',');
    }

    [[nodiscard]] std::string after_value(bool in_object) const {
        if (open_.empty()) {
            return "the end of the text";
        }
        return in_object ? "`,` or `}`" : "`,` or `]`";
    }

    void step() {
        const char c = text_[at_++];
        if (is_blank(c)) {
            return;
        }
        switch (c) {
            case '{':
            case '[':
                open_ += c;
                last_ = Last::Opening;
                break;
            case '}':
            case ']':
                close();
                break;
            case ',':
                last_ = Last::Comma;
                break;
            case ':':
                last_ = Last::Colon;
                break;
            case '"':
                quoted();
                break;
            default:
                word();
        }
    }

    void close() {
        if (!open_.empty()) {
            open_.pop_back();
        }
        last_ = Last::Value;
    }

    void quoted() {
        const bool name = open_.ends_with('{') && last_ != Last::Colon;
        while (at_ < text_.size() && text_[at_] != '"') {
            at_ += text_[at_] == '\\' ? 2U : 1U;
        }
        const bool closed = at_ < text_.size();
        at_ = std::min(at_ + 1, text_.size());
        last_ = !closed ? Last::Inside : name ? Last::Name : Last::Value;
    }

    // A number, or `true` and the like. What it runs into at once is part of the slip: `1.x`,
    // `nul}`.
    void word() {
        while (at_ < text_.size() && std::string_view(",:]}").find(text_[at_]) == text_.npos &&
               !is_blank(text_[at_])) {
            ++at_;
        }
        last_ = at_ == text_.size() ? Last::Inside : Last::Value;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string open_;  ///< the brackets that are
    Last last_ = Last::Nothing;
};

}  // namespace

std::string expected_in_json(std::string_view text, std::size_t at) {
    const std::size_t end = std::min(at, text.size());
    return Walk(text.substr(0, end)).expected(text.substr(end));
}

}  // namespace ome::wire
