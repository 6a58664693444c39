// A rule about a block of settings as a row of a table: what breaks it and what is said then. The
// same questions appear in several tables, since the operator's configuration and `spec.routing`
// ask them in other orders and words (contract/observer.md 13.3, 13.4).
#pragma once

#include "policy_values.hpp"
#include <ome/core/problem.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

/// The number the message names (a status), or zero where it names none; absent while the rule
/// holds.
using Broken = std::optional<std::int64_t>;

constexpr Broken broken_if(bool broken) {
    return broken ? Broken(0) : std::nullopt;
}

template <typename Values>
struct Rule {
    std::string_view field;  ///< of the block; empty: the block as a whole
    Broken (*broken)(const Values&);
    std::string_view text;  ///< with the names of render() in braces
};

/// `block` is the path of the block as the message shows it (`routing.probe`): `{b}`.
[[nodiscard]] std::string render(std::string_view text,
                                 const ProbeValues& values,
                                 std::string_view block,
                                 std::int64_t number);
[[nodiscard]] std::string render(std::string_view text,
                                 const CapacityValues& values,
                                 std::string_view block,
                                 std::int64_t number);

/// How messages name a field's value: `{period}`.
[[nodiscard]] std::string placeholder_of(std::string_view field);

[[nodiscard]] std::string field_of(std::string_view block, std::string_view field);

/// The first rule that is broken, in the order of the table.
template <typename Values, std::size_t size>
[[nodiscard]] std::optional<Problem> first_problem(const Rule<Values> (&rules)[size],
                                                   const Values& values,
                                                   std::string_view block) {
    for (const Rule<Values>& rule : rules) {
        if (const Broken number = rule.broken(values)) {
            return Problem{render(rule.text, values, block, *number), field_of(block, rule.field)};
        }
    }
    return std::nullopt;
}

/// Every rule that is broken and says something new: not a second one about the same field, and not
/// one that compares with a field already found wrong (its message names that field in braces).
template <typename Values, std::size_t size>
[[nodiscard]] std::vector<Problem> every_problem(const Rule<Values> (&rules)[size],
                                                 const Values& values,
                                                 std::string_view block) {
    std::vector<Problem> problems;
    std::vector<std::string_view> wrong;
    for (const Rule<Values>& rule : rules) {
        const bool follows = std::any_of(wrong.begin(), wrong.end(), [&](std::string_view field) {
            return field == rule.field || rule.text.find(placeholder_of(field)) != rule.text.npos;
        });
        if (const Broken number = follows ? std::nullopt : rule.broken(values)) {
            problems.push_back(
                {render(rule.text, values, block, *number), field_of(block, rule.field)});
            wrong.push_back(rule.field);
        }
    }
    return problems;
}

}  // namespace ome::core
