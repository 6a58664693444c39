#include "policy_rule.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/policy.hpp>
#include <ome/core/policy_advice.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

namespace ome::core {
namespace {

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// The first percent sign that no two hex digits follow, with what follows it.
std::string_view malformed_escape(std::string_view path) {
    for (std::size_t at = path.find('%'); at != path.npos; at = path.find('%', at + 1)) {
        const std::string_view escape = path.substr(at, 3);
        if (escape.size() < 3 || !is_hex(escape[1]) || !is_hex(escape[2])) {
            return escape;
        }
    }
    return {};
}

bool climbs(std::string_view path) {
    return fmt::format("{}/", path).find("/../") != std::string::npos;
}

void advise_path(const std::string& path, std::string_view block, std::vector<Problem>& found) {
    const std::string field = field_of(block, "path");
    const auto say = [&](std::string_view what) {
        found.push_back({fmt::format("{} {} {}", field, go_quote(path), what), field});
    };
    if (climbs(path)) {
        say("has a `..` segment, which can lead out of the endpoint's own path");
    }
    for (const auto& [sign, sent] : {std::pair{'?', "%3F"}, std::pair{'#', "%23"}}) {
        if (path.find(sign) != std::string::npos) {
            say(fmt::format(
                "has a `{}`, which is sent as {}: a path takes no query and no fragment",
                sign,
                sent));
        }
    }
    if (const std::string_view escape = malformed_escape(path); !escape.empty()) {
        say(fmt::format("has the malformed escape {}: no request can be sent, every attempt fails",
                        go_quote(escape)));
    }
}

void advise_method(const CapacityValues& poll,
                   std::string_view block,
                   std::vector<Problem>& found) {
    if (parse_method(poll.method) == Method::Head && poll.format == report_format) {
        found.push_back({fmt::format("{}.method HEAD can never work with format Report: the answer "
                                     "to HEAD has no body, so every poll fails; use GET",
                                     block),
                         field_of(block, "method")});
    }
}

void advise_window(const CapacityValues& poll,
                   std::string_view block,
                   std::vector<Problem>& found) {
    if (poll.period <= Duration::zero() || poll.max_age < poll.period) {
        return;
    }
    const std::int64_t held = poll.max_age / poll.period + 1;
    if (poll.samples > held) {
        found.push_back(
            {fmt::format("{0}.samples ({1}) is more than can be held: readings expire after "
                         "{0}.maxAge ({2}), so at {0}.period ({3}) there are never more than {4}",
                         block,
                         poll.samples,
                         format_duration(poll.max_age),
                         format_duration(poll.period),
                         held),
             field_of(block, "samples")});
    }
}

void advise_age(const CapacityValues& poll, std::string_view block, std::vector<Problem>& found) {
    const bool exact = poll.period > Duration::zero() && poll.quorum > 0 &&
                       poll.max_age % poll.period == Duration::zero() &&
                       poll.max_age / poll.period == poll.quorum;
    if (exact) {
        found.push_back(
            {fmt::format("{0}.maxAge ({1}) is just {0}.quorum ({2}) times {0}.period ({3}): when "
                         "stamps lag the answers, readings expire before the quorum is full and "
                         "the ceiling comes and goes; give maxAge more room",
                         block,
                         format_duration(poll.max_age),
                         poll.quorum,
                         format_duration(poll.period)),
             field_of(block, "maxAge")});
    }
}

}  // namespace

std::vector<Problem> advice(const ProbeSettings& probe, std::string_view block) {
    std::vector<Problem> found;
    advise_path(probe.path.value_or(""), block, found);
    return found;
}

std::vector<Problem> advice(const CapacitySettings& capacity, std::string_view block) {
    const CapacityValues poll = values_of(capacity);
    std::vector<Problem> found;
    if (!poll.path.empty()) {
        advise_path(poll.path, block, found);
        advise_method(poll, block, found);
        advise_window(poll, block, found);
        advise_age(poll, block, found);
    }
    return found;
}

}  // namespace ome::core
