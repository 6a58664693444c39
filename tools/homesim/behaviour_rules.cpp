#include "behaviour_rules.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ome::homesim {
namespace {

namespace json = boost::json;

struct Pair {
    std::string_view first;
    std::string_view second;
    std::string_view rule;
};

constexpr std::string_view one_end = "an answer ends in one way";
constexpr std::string_view bare_404 = "an answer that is gone is a 404 without a report";
constexpr std::string_view own_bytes = "a broken answer has its own bytes and end";

constexpr std::array contradictions{
    Pair{"stall", "reset", one_end},
    Pair{"stall", "close", one_end},
    Pair{"reset", "close", one_end},
    Pair{"gone", "status", bare_404},
    Pair{"gone", "report", bare_404},
    Pair{"gone", "body", bare_404},
    Pair{"report", "body", "an answer has one body"},
    Pair{"broken", "stall", own_bytes},
    Pair{"broken", "reset", own_bytes},
    Pair{"broken", "close", own_bytes},
    Pair{"broken", "oversize", own_bytes},
    Pair{"broken", "framing", own_bytes},
    Pair{"broken", "keepAlive", own_bytes},
};

bool is_false(const json::value& value) {
    return value.is_bool() && !value.get_bool();
}

/// Null when the member is absent or switched off.
const json::value* said(const json::object& document, std::string_view name, std::size_t at) {
    const json::value* value = document.if_contains(name);
    const json::value* one = value == nullptr ? nullptr : &value_at(*value, at);
    return one == nullptr || is_false(*one) ? nullptr : one;
}

std::string named(const std::string& where, std::string_view member, const json::value& value) {
    return fmt::format("{}.{} ({})", where, member, json::serialize(value));
}

Failure contradiction(const json::object& document, const std::string& where, std::size_t at) {
    for (const Pair& pair : contradictions) {
        const json::value* first = said(document, pair.first, at);
        const json::value* second = said(document, pair.second, at);
        if (first != nullptr && second != nullptr) {
            return core::Problem{fmt::format("{} contradicts {}: {}",
                                             named(where, pair.second, *second),
                                             named(where, pair.first, *first),
                                             pair.rule),
                                 fmt::format("{}.{}", where, pair.second)};
        }
    }
    return {};
}

Failure needs(const std::string& where,
              std::string_view member,
              const json::value& value,
              std::string_view what) {
    return core::Problem{fmt::format("{} needs {}", named(where, member, value), what),
                         fmt::format("{}.{}", where, member)};
}

bool is_in_the_body(Stall place) {
    return place == Stall::AfterHead || place == Stall::InBody;
}

/// The member that wants a body where there cannot be one.
Failure check_body(const json::object& document,
                   const std::string& where,
                   std::size_t at,
                   const Step& step) {
    const json::value* body = said(document, "body", at);
    const bool empty = body != nullptr && step.body.empty();
    const bool none = !has_body(step.status);
    for (const std::string_view member : {"stall", "reset", "close", "drip", "oversize", "body"}) {
        const json::value* value = said(document, member, at);
        const bool about_it = member == "oversize" || member == "body" || needs_body(step);
        if (value == nullptr || !about_it) {
            continue;
        }
        if (none && !(member == "body" && empty)) {
            return needs(
                where,
                member,
                *value,
                fmt::format("an answer with a body, and status ({}) has none", step.status));
        }
        if (empty && needs_body(step) && step.oversize == 0 && member != "body") {
            return needs(
                where,
                member,
                *value,
                fmt::format("an answer with a body, and {} is empty", named(where, "body", *body)));
        }
    }
    return {};
}

bool has_list(const json::object& document) {
    return std::any_of(document.begin(), document.end(), [](const auto& member) {
        return member.value().is_array();
    });
}

}  // namespace

bool needs_body(const Step& step) {
    return is_in_the_body(step.stall) ||
           (step.ending != Ending::Answer && is_in_the_body(step.cut)) ||
           (step.drip.count() > 0 && !step.drip_head && step.broken == nullptr);
}

bool is_about_a_list(std::string_view member) {
    return member == "steps" || member == "cycle" || member == "hold";
}

Failure check_step(const json::object& document,
                   const std::string& where,
                   std::size_t at,
                   const Step& step) {
    if (Failure failure = contradiction(document, where, at)) {
        return failure;
    }
    const json::value* drip_head = said(document, "dripHead", at);
    if (drip_head != nullptr && said(document, "drip", at) == nullptr) {
        return needs(where, "dripHead", *drip_head, where + ".drip: nothing drips without it");
    }
    const json::value* age = said(document, "age", at);
    if (age != nullptr && !step.report) {
        return needs(where, "age", *age, where + ".report: this answer has none");
    }
    return check_body(document, where, at, step);
}

Failure check_frame(const json::object& document, const std::string& where) {
    for (const std::string_view member : {"cycle", "hold"}) {
        const json::value* value = said(document, member, 0);
        if (value != nullptr && !has_list(document)) {
            return needs(where, member, *value, "a list, of steps or of values: there is one step");
        }
    }
    if (!document.contains("steps")) {
        return {};
    }
    for (const auto& member : document) {
        if (!is_about_a_list(member.key())) {
            return core::Problem{
                fmt::format("{} contradicts {}.steps: beside a list of steps it stands in each",
                            named(where, member.key(), member.value()),
                            where),
                fmt::format("{}.{}", where, std::string_view(member.key()))};
        }
    }
    return {};
}

Failure check_listed_step(const json::object& document, const std::string& where) {
    for (const auto& member : document) {
        const std::string field = fmt::format("{}.{}", where, std::string_view(member.key()));
        if (is_about_a_list(member.key())) {
            return broken(field, member.value(), "must stand beside the list, not in a step of it");
        }
        if (member.value().is_array()) {
            return broken(field, member.value(), "must be one value: it is in a step of a list");
        }
    }
    return {};
}

}  // namespace ome::homesim
