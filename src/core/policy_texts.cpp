// contract/observer.md 13.1 A: duration texts.
#include "policy_texts.hpp"

#include "policy_rule.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

namespace ome::core {
namespace {

using Text = std::optional<std::string>;

std::string not_a_duration(std::string_view key, const std::string& text) {
    return fmt::format(
        R"({}: {} is not a duration (use forms like "30s", "5m"))", key, go_quote(text));
}

std::optional<std::string> resync_fault(std::string_view key, const std::string& text, bool on) {
    if (text.empty()) {
        return on ? std::optional(fmt::format("{}: must be positive when routing is enabled", key))
                  : std::nullopt;
    }
    const std::optional<Duration> value = parse_duration(text);
    if (!value) {
        return not_a_duration(key, text);
    }
    if (*value < Duration::zero() || (on && *value == Duration::zero())) {
        return fmt::format(
            "{}: {} must be positive when routing is enabled and non-negative otherwise",
            key,
            go_quote(text));
    }
    return std::nullopt;
}

std::optional<Problem> resync_problem(const RoutingSettings& routing) {
    constexpr std::string_view key = "routing.publisher.resyncInterval";
    std::optional<std::string> fault = resync_fault(
        key, routing.publisher.resync_interval.value_or(""), routing.enabled.value_or(false));
    return fault ? std::optional(Problem{std::move(*fault), std::string(key)}) : std::nullopt;
}

template <typename Named>
std::vector<Problem> malformed(const Named& texts, std::string_view block) {
    std::vector<Problem> problems;
    for (const auto& [name, text] : texts) {
        if (*text && !parse_duration(**text)) {
            const std::string field = field_of(block, name);
            problems.push_back({not_a_duration(field, **text), field});
        }
    }
    return problems;
}

}  // namespace

std::optional<Problem> positive_duration_problem(std::string_view key,
                                                 const std::optional<std::string>& text) {
    if (!text || text->empty()) {
        return std::nullopt;
    }
    const std::optional<Duration> value = parse_duration(*text);
    if (!value) {
        return Problem{not_a_duration(key, *text), std::string(key)};
    }
    if (*value <= Duration::zero()) {
        return Problem{fmt::format("{}: {} must be positive", key, go_quote(*text)),
                       std::string(key)};
    }
    return std::nullopt;
}

std::vector<Problem> text_problems(const RoutingSettings& routing) {
    const std::pair<std::string_view, const Text*> by_key[] = {
        {"routing.capacity.maxAge", &routing.capacity.max_age},
        {"routing.capacity.period", &routing.capacity.period},
        {"routing.capacity.timeout", &routing.capacity.timeout},
        {"routing.observer.minPeriod", &routing.observer.min_period},
        {"routing.probe.period", &routing.probe.period},
        {"routing.probe.timeout", &routing.probe.timeout},
    };
    std::vector<Problem> problems;
    for (const auto& [key, text] : by_key) {
        if (std::optional<Problem> problem = positive_duration_problem(key, *text)) {
            problems.push_back(std::move(*problem));
        }
    }
    if (std::optional<Problem> problem = resync_problem(routing)) {
        problems.push_back(std::move(*problem));
    }
    return problems;
}

std::vector<Problem> duration_problems(const ProbeSettings& probe, std::string_view block) {
    const std::pair<std::string_view, const Text*> texts[] = {{"period", &probe.period},
                                                              {"timeout", &probe.timeout}};
    return malformed(texts, block);
}

std::vector<Problem> duration_problems(const CapacitySettings& capacity, std::string_view block) {
    const std::pair<std::string_view, const Text*> texts[] = {{"period", &capacity.period},
                                                              {"timeout", &capacity.timeout},
                                                              {"maxAge", &capacity.max_age}};
    return malformed(texts, block);
}

}  // namespace ome::core
