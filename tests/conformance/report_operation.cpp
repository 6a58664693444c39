// contract/observer.md 4, 6 and 7: what becomes of one poll.
#include "registry.hpp"
#include <ome/core/attempt.hpp>
#include <ome/core/duration.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/core/schedule.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/wire/report.hpp>

#include <fmt/format.h>

#include <stdexcept>

namespace ome::conformance {
namespace {

template <typename T>
T valid(const std::optional<T>& parsed, const char* what) {
    return parsed ? *parsed : throw std::runtime_error(std::string("invalid ") + what);
}

// What the exchange hands over: it reads a body only of a 200, and never more than the limit.
core::AttemptOutcome answered(const json::object& input) {
    core::AttemptOutcome outcome;
    outcome.status = static_cast<std::int32_t>(integer(input.at("status")));
    if (outcome.status != 200) {
        return outcome;
    }
    const bool head = text(input.at("method")) == "HEAD";
    const std::string body = head ? std::string() : text(input.at("body"));
    const std::int64_t limit = integer(input.at("maxResponseBytes"));
    if (std::cmp_greater(body.size(), limit)) {
        outcome.fault = core::Fault::Body;
        outcome.text = fmt::format("response exceeds configured limit of {} bytes", limit);
        return outcome;
    }
    outcome.report = wire::decode_report(body);
    return outcome;
}

// The stamp as the case spells it, when it is that instant.
std::string spelled(core::WallTime at, const json::object& expect) {
    const json::value* accepted = expect.if_contains("accepted");
    const std::string wanted =
        accepted == nullptr ? "" : text(accepted->as_object().at("observedAt"));
    return core::parse_timestamp(wanted) == at ? wanted : core::format_timestamp(at);
}

json::object verdict_of(const core::PollVerdict& verdict, const json::object& expect) {
    if (const auto* reason = std::get_if<std::string>(&verdict)) {
        return {{"reason", *reason}};
    }
    const auto& report = std::get<core::CapacityReport>(verdict);
    return {{"accepted",
             json::object{{"servable", report.servable},
                          {"observedAt", spelled(report.observed_at, expect)}}}};
}

json::object report_decode(const json::object& input, const json::object& expect) {
    core::CapacityPolicy policy;
    policy.max_age = valid(core::parse_duration(text(input.at("maxAge"))), "maxAge");
    const auto now = valid(core::parse_timestamp(text(input.at("now"))), "now");
    return verdict_of(valid(core::judge_poll(policy, answered(input), now), "outcome"), expect);
}

// A poll that cannot be sent keeps its rhythm.
std::string delay_after_attempt() {
    constexpr core::Duration period = std::chrono::seconds(10);
    constexpr core::SteadyTime now{};
    auto schedule = core::Schedule::spread(now, period, period);
    schedule.advance(now);
    const core::Duration delay = schedule.due() - now;
    return delay == period ? "one period" : core::format_duration(delay);
}

json::object url_join(const json::object& input, const json::object&) {
    const auto endpoint = core::canonicalize(text(input.at("endpoint")));
    if (!endpoint) {
        throw std::runtime_error(endpoint.error().message);
    }
    const auto target = core::join(*endpoint, text(input.at("path")));
    if (target) {
        return {{"url", target->url}};
    }
    core::AttemptOutcome outcome;
    outcome.fault = core::Fault::InvalidUrl;
    outcome.text = target.error().message;
    json::object found = verdict_of(valid(core::judge_poll({}, outcome, {}), "outcome"), {});
    found["next_delay"] = delay_after_attempt();
    return found;
}

}  // namespace

void add_report_operations(std::vector<Operation>& all) {
    all.push_back({"report_decode",
                   "",
                   {"body", "maxAge", "maxResponseBytes", "method", "now", "status"},
                   {"accepted", "reason", "reason_prefix"},
                   report_decode});
    all.push_back(
        {"url_join", "", {"endpoint", "path"}, {"next_delay", "reason_prefix", "url"}, url_join});
}

}  // namespace ome::conformance
