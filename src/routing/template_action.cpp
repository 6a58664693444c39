#include "template_action.hpp"

#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ome::routing {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::array<std::string_view, 7> functions{
    "and", "eq", "ne", "not", "or", "print", "printf"};

// Bounds the recursion; no hostname needs a tenth of it.
constexpr std::size_t most_levels = 32;
constexpr std::size_t shown_length = 20;

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_function(const std::string& word) {
    return std::find(functions.begin(), functions.end(), word) != functions.end();
}

}  // namespace

void TemplateAction::fail(std::string message) {
    if (!fault_) {
        fault_ = std::move(message);
    }
    rest_ = {};
}

bool TemplateAction::at_end() {
    skip_blanks();
    return rest_.empty();
}

bool TemplateAction::take_keyword(std::string_view keyword) {
    skip_blanks();
    const bool there = rest_.starts_with(keyword) &&
                       (rest_.size() == keyword.size() || !is_word(rest_[keyword.size()]));
    if (there) {
        rest_.remove_prefix(keyword.size());
    }
    return there;
}

HostTemplate::Pipeline TemplateAction::pipeline(std::size_t level) {
    if (level > most_levels) {
        fail("parentheses nest too deeply");
        return {};
    }
    HostTemplate::Pipeline calls{call(level)};
    while (take('|')) {
        calls.push_back(call(level));
        if (calls.back().function.empty()) {
            fail("only a function can stand behind \"|\"");
        }
    }
    return calls;
}

void TemplateAction::expect_end() {
    if (!at_end()) {
        fail(fmt::format("unexpected {} in action", core::go_quote(rest_.substr(0, shown_length))));
    }
}

void TemplateAction::skip_blanks() {
    const std::size_t first = rest_.find_first_not_of(blanks);
    rest_.remove_prefix(first == rest_.npos ? rest_.size() : first);
}

bool TemplateAction::take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) {
        return false;
    }
    rest_.remove_prefix(1);
    return true;
}

bool TemplateAction::operand_follows() {
    skip_blanks();
    return !rest_.empty() && rest_.front() != '|' && rest_.front() != ')';
}

std::string TemplateAction::word() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_word);
    std::string found(rest_.begin(), end);
    rest_.remove_prefix(found.size());
    return found;
}

TemplateAction::Call TemplateAction::call(std::size_t level) {
    Call made;
    if (!operand_follows()) {
        fail("missing value for command");
        return made;
    }
    if (is_word(rest_.front())) {
        made.function = word();
        if (!is_function(made.function)) {
            fail(
                fmt::format("{} is not supported: it must be a field (.Name, .Namespace), a text "
                            "in quotes, or one of {}",
                            core::go_quote(made.function),
                            fmt::join(functions, ", ")));
        }
    }
    while (operand_follows()) {
        made.operands.push_back(operand(level));
    }
    if (made.function.empty() && made.operands.size() != 1) {
        fail("a value takes no arguments");
    }
    return made;
}

TemplateAction::Operand TemplateAction::operand(std::size_t level) {
    if (rest_.front() == '"') {
        return {Operand::Kind::Literal, quoted(), {}};
    }
    if (rest_.front() == '`') {
        return {Operand::Kind::Literal, raw(), {}};
    }
    if (take('.')) {
        return field();
    }
    if (take('(')) {
        Operand nested{Operand::Kind::Nested, {}, pipeline(level + 1)};
        if (!take(')')) {
            fail("unclosed left paren");
        }
        return nested;
    }
    fail(fmt::format("unexpected {} in action", core::go_quote(rest_.substr(0, shown_length))));
    return {};
}

TemplateAction::Operand TemplateAction::field() {
    Operand found{Operand::Kind::Field, word(), {}};
    if (found.text.empty() || rest_.starts_with('.')) {
        fail("only the fields .Name and .Namespace are supported");
    }
    return found;
}

std::string TemplateAction::quoted() {
    std::string text;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
        if (rest_[i] == '"') {
            rest_.remove_prefix(i + 1);
            return text;
        }
        if (rest_[i] == '\\') {
            const char escaped = ++i < rest_.size() ? rest_[i] : '\0';
            if (escaped != '"' && escaped != '\\') {
                fail(R"(only \" and \\ are supported in a text)");
                return text;
            }
        }
        text += rest_[i];
    }
    fail("unterminated quoted string");
    return text;
}

std::string TemplateAction::raw() {
    const std::size_t end = rest_.find('`', 1);
    if (end == rest_.npos) {
        fail("unterminated raw quoted string");
        return {};
    }
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
}

}  // namespace ome::routing
