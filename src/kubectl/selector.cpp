#include "selector.hpp"

#include "members.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cctype>

namespace ome::kubectl {
namespace {

using Rule = Requirement::Rule;

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Commas inside of parentheses separate values, not requirements.
std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            parts.push_back(trimmed(text.substr(begin, i - begin)));
            begin = i + 1;
        } else {
            depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        }
    }
    return parts;
}

bool is_word(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/';
    });
}

std::optional<Requirement> of_set(std::string_view part) {
    const std::size_t open = part.find('(');
    const std::size_t blank = part.find(' ');
    if (open == std::string_view::npos || blank > open || !part.ends_with(')')) {
        return std::nullopt;
    }
    const std::string_view word = trimmed(part.substr(blank, open - blank));
    if (word != "in" && word != "notin") {
        return std::nullopt;
    }
    Requirement found{std::string(part.substr(0, blank)), word == "in" ? Rule::In : Rule::NotIn};
    for (const std::string_view value : split(part.substr(open + 1, part.size() - open - 2))) {
        found.values.emplace_back(value);
    }
    return found;
}

std::optional<Requirement> one_of(std::string_view part) {
    if (part.starts_with('!')) {
        return Requirement{std::string(trimmed(part.substr(1))), Rule::Absent};
    }
    if (part.ends_with(')')) {
        return of_set(part);
    }
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
        return Requirement{std::string(part), Rule::Exists};
    }
    const bool negative = equals > 0 && part[equals - 1] == '!';
    const bool twice = equals + 1 < part.size() && part[equals + 1] == '=';
    return Requirement{std::string(trimmed(part.substr(0, equals - (negative ? 1 : 0)))),
                       negative ? Rule::NotIn : Rule::In,
                       {std::string(trimmed(part.substr(equals + (twice ? 2 : 1))))}};
}

bool holds(const Requirement& requirement, const json::object* labels) {
    const json::value* label = labels != nullptr ? labels->if_contains(requirement.label) : nullptr;
    const bool there = label != nullptr && label->is_string();
    const auto has_value = [&] {
        const auto& values = requirement.values;
        return std::find(values.begin(), values.end(), std::string_view(label->get_string())) !=
               values.end();
    };
    switch (requirement.rule) {
        case Rule::Exists:
            return there;
        case Rule::Absent:
            return !there;
        case Rule::In:
            return there && has_value();
        case Rule::NotIn:
            break;
    }
    return !there || !has_value();
}

}  // namespace

std::optional<std::vector<Requirement>> parse_selector(std::string_view text) {
    std::vector<Requirement> selector;
    if (trimmed(text).empty()) {
        return selector;
    }
    for (const std::string_view part : split(text)) {
        std::optional<Requirement> requirement = one_of(part);
        if (!requirement || !is_word(requirement->label)) {
            return std::nullopt;
        }
        selector.push_back(*std::move(requirement));
    }
    return selector;
}

bool matches(const std::vector<Requirement>& selector, const json::value& object) {
    const json::object* labels = object_at(object, {"metadata", "labels"});
    return std::all_of(selector.begin(), selector.end(), [labels](const Requirement& one) {
        return holds(one, labels);
    });
}

}  // namespace ome::kubectl
