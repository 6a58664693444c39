// Windows, gates, schedules and identities: contract/observer.md 2, 6, 8, 9 and 11.
#include "registry.hpp"
#include <ome/core/capacity_window.hpp>
#include <ome/core/duration.hpp>
#include <ome/core/fleet.hpp>
#include <ome/core/probe_gate.hpp>
#include <ome/core/schedule.hpp>
#include <ome/core/timestamp.hpp>

#include <algorithm>
#include <stdexcept>

namespace ome::conformance {
namespace {

using core::Duration;
using core::WallTime;

[[noreturn]] void unknown(std::string_view what, std::string_view value) {
    throw std::runtime_error(std::string(what) + " is not known: " + std::string(value));
}

Duration milliseconds(const json::value& value) {
    return std::chrono::milliseconds(integer(value));
}

Duration duration(const json::value& value) {
    const auto parsed = core::parse_duration(text(value));
    return parsed ? *parsed : throw std::runtime_error("no duration: " + text(value));
}

WallTime stamp(const json::value& value) {
    const auto parsed = core::parse_timestamp(text(value));
    return parsed ? *parsed : throw std::runtime_error("no time stamp: " + text(value));
}

std::int32_t small(const json::value& value) {
    return static_cast<std::int32_t>(integer(value));
}

core::WindowRules rules_of(const json::object& policy) {
    return {small(policy.at("samples")), small(policy.at("quorum")), duration(policy.at("maxAge"))};
}

json::object view(const std::optional<std::int32_t>& ceiling, const std::string& reason) {
    return {{"ceiling", ceiling ? json::value(*ceiling) : json::value()}, {"reason", reason}};
}

json::object view(core::CapacityWindow& window, WallTime now) {
    window.expire(now);
    return view(window.ceiling(), window.reason());
}

core::CapacityReport report_of(const json::object& reply, WallTime epoch) {
    return {small(reply.at("servable")), epoch + milliseconds(reply.at("observed_at_ms"))};
}

json::object window(const json::object& input, const json::object&) {
    const WallTime epoch = stamp(input.at("epoch"));
    core::CapacityWindow window(rules_of(input.at("policy").as_object()));
    json::array views;
    for (const json::value& value : input.at("events").as_array()) {
        const json::object& event = value.as_object();
        const WallTime now = epoch + milliseconds(event.at("t_ms"));
        if (const json::value* accepted = event.if_contains("accepted")) {
            window.accept(report_of(accepted->as_object(), epoch), now);
        } else if (const json::value* failed = event.if_contains("failed")) {
            window.fail(text(*failed));
        } else if (!event.contains("read")) {
            unknown("an event", json::serialize(event));
        }
        views.push_back(view(window, now));
    }
    return {{"views", std::move(views)}};
}

/// Passes at the given instants over one observation that begins with the first of them, and whose
/// second deadline is a period after that.
class Passes {
public:
    explicit Passes(Duration period) : period_(period) {}

    bool attempted(const json::value& at) {
        const core::SteadyTime now{milliseconds(at)};
        if (!schedule_) {
            schedule_ = core::Schedule::spread(now, period_, period_);
        }
        const bool due = schedule_->due() <= now;
        if (due) {
            schedule_->advance(now);
        }
        attempted_.push_back(due);
        next_delay_ms_.push_back((schedule_->due() - now) / std::chrono::milliseconds(1));
        return due;
    }

    json::object result(std::string_view name) const {
        return {{name, attempted_}, {"next_delay_ms", next_delay_ms_}};
    }

private:
    Duration period_;
    std::optional<core::Schedule> schedule_;
    json::array attempted_;
    json::array next_delay_ms_;
};

core::CapacityPolicy policy_of(const json::object& written) {
    core::CapacityPolicy policy;
    policy.path = "/capacity";
    policy.format = "Report";
    policy.samples = small(written.at("samples"));
    policy.quorum = small(written.at("quorum"));
    policy.max_age = duration(written.at("maxAge"));
    policy.period = duration(written.at("period"));
    policy.timeout = duration(written.at("timeout"));
    policy.digest = "sha256:declared";
    return policy;
}

core::AttemptOutcome answer(const core::CapacityReport& report) {
    core::AttemptOutcome outcome;
    outcome.status = 200;
    outcome.report = report;
    return outcome;
}

json::object poll_schedule(const json::object& input, const json::object&) {
    const WallTime epoch = stamp(input.at("epoch"));
    const core::CapacityPolicy policy = policy_of(input.at("policy").as_object());
    core::CapacityWindow window(core::window_rules(policy));
    Passes passes(policy.period);
    json::array views;
    for (const json::value& at : input.at("reconciles_at_ms").as_array()) {
        const WallTime now = epoch + milliseconds(at);
        if (passes.attempted(at)) {
            const auto report = report_of(input.at("reply").as_object(), epoch);
            const auto verdict = core::judge_poll(policy, answer(report), now);
            if (const auto* reason = std::get_if<std::string>(&*verdict)) {
                window.fail(*reason);
            } else {
                window.accept(report, now);
            }
        }
        views.push_back(view(window, now));
    }
    json::object result = passes.result("polled");
    result.emplace("views", std::move(views));
    return result;
}

/// A fleet of one home, and one clock that stands still.
class OneHome {
public:
    /// `identity` has the members of the cases: ownerUID, namespace, name, cluster, endpoint.
    void declare(const json::object& identity, std::optional<core::CapacityPolicy> policy) {
        core::ServiceDeclaration declaration;
        declaration.key = {text(identity.at("namespace")), text(identity.at("name"))};
        declaration.owner_uid = text(identity.at("ownerUID"));
        declaration.capacity = std::move(policy);
        declaration.homes.push_back(
            {text(identity.at("cluster")), text(identity.at("endpoint")), std::nullopt});
        key_ = declaration.key;
        std::ignore = fleet_.declare(declaration, now_);
    }

    std::optional<core::Attempt> poll() {
        fleet_.gather(now_);
        return fleet_.take(now_);
    }

    void accept(const core::Attempt& attempt, std::int32_t servable) {
        fleet_.finish(attempt, answer({servable, now_.wall}), now_);
    }

    json::object read() {
        const auto reading = fleet_.read(key_, now_);
        const auto& capacity = reading->homes.front().capacity;
        return capacity ? view(capacity->ceiling, capacity->fallback_reason)
                        : view(std::nullopt, "");
    }

private:
    core::Now now_{core::SteadyTime(std::chrono::hours(1)), WallTime{1'790'000'000, 0}};
    core::ServiceKey key_;
    core::Fleet fleet_{std::chrono::seconds(1)};
};

core::CapacityPolicy last_report_counts() {
    core::CapacityPolicy policy;
    policy.path = "/capacity";
    policy.format = "Report";
    policy.period = std::chrono::seconds(10);
    policy.timeout = std::chrono::seconds(3);
    policy.max_age = std::chrono::seconds(30);
    policy.digest = "sha256:declared";
    return policy;
}

json::object identity(const json::object& input, const json::object&) {
    json::object looked_up = input.at("stored").as_object();
    core::CapacityPolicy policy = last_report_counts();
    OneHome home;
    home.declare(looked_up, policy);
    const auto attempt = home.poll();
    home.accept(attempt.value(), small(looked_up.at("ceiling")));
    if (const json::value* lookup = input.if_contains("lookup")) {
        for (const auto& [name, value] : lookup->as_object()) {
            looked_up.at(name) = value;
        }
    }
    if (const json::value* differs = input.if_contains("lookup_differs_in")) {
        const std::string part = text(*differs);
        if (part.find("olicy") != part.npos || part.find("igest") != part.npos) {
            policy.digest = "sha256:other";
        } else if (part == "endpoint") {
            looked_up.at(part) = text(looked_up.at(part)) + "/other";
        } else {
            looked_up.at(part == "owner" ? "ownerUID" : part) = "other";
        }
    }
    home.declare(looked_up, policy);
    return home.read();
}

json::object observe(const std::string& endpoint, std::optional<core::CapacityPolicy> policy) {
    OneHome home;
    home.declare({{"ownerUID", "uid"},
                  {"namespace", "prod"},
                  {"name", "service"},
                  {"cluster", "a"},
                  {"endpoint", endpoint}},
                 std::move(policy));
    const bool polled = home.poll().has_value();
    json::object result = home.read();
    result.emplace("polled", polled);
    return result;
}

json::object observe_disabled(const json::object& input, const json::object&) {
    if (!input.at("policy").is_null()) {
        unknown("a policy that is off", json::serialize(input.at("policy")));
    }
    return observe("http://a.example", std::nullopt);
}

json::object observe_target(const json::object& input, const json::object&) {
    return observe(text(input.at("endpoint")), last_report_counts());
}

core::ProbeResult result_of(const json::value& value) {
    const std::string name = text(value);
    for (const auto result :
         {core::ProbeResult::Passing, core::ProbeResult::Failing, core::ProbeResult::Unknown}) {
        if (name == core::to_string(result)) {
            return result;
        }
    }
    return name.empty() ? core::ProbeResult::Unknown
                        : (unknown("a result", name), core::ProbeResult{});
}

json::object state_of(const core::ProbeGate& gate) {
    const auto reachable = gate.reachable();
    return {{"result", core::to_string(gate.result())},
            {"gated", gate.gated()},
            {"consecutiveFailures", gate.failures()},
            {"reachable", reachable ? json::value(*reachable) : json::value()}};
}

core::ProbeGate gate_of(const json::object& input) {
    const core::GateRules rules{small(input.at("failureThreshold")),
                                small(input.at("successThreshold"))};
    const json::value* restored = input.if_contains("restored");
    if (restored == nullptr || restored->is_null()) {
        return core::ProbeGate(rules);
    }
    const json::object& record = restored->as_object();
    core::RestoredProbe saved;
    saved.gated = record.at("gated").as_bool();
    saved.consecutive_failures = small(record.at("consecutiveFailures"));
    saved.result = result_of(record.at("result"));
    return {rules, saved};
}

json::object sequence(const json::object& input, const json::object&) {
    core::ProbeGate gate = gate_of(input);
    json::object result{{"initial", state_of(gate)}};
    json::array after_each;
    for (const json::value& verdict : input.at("verdicts").as_array()) {
        gate.apply({result_of(verdict), ""}, WallTime{});
        after_each.push_back(state_of(gate));
    }
    result.emplace("after_each", std::move(after_each));
    return result;
}

std::vector<std::int32_t> statuses(const json::object& input, std::string_view name) {
    std::vector<std::int32_t> found;
    for (const json::value& status : input.at(name).as_array()) {
        found.push_back(small(status));
    }
    return found;
}

// What an exchange reports of these events; the exchange itself has tests of its own.
void apply_transport(const std::string& event, core::AttemptOutcome& outcome) {
    outcome.fault = core::Fault::Unreachable;
    outcome.text = event == "timeout" ? "context deadline exceeded" : event;
}

// `N_bytes`: a probe reads up to the cap, and that much is no fault.
void apply_body(const std::string& event,
                std::int64_t cap,
                core::AttemptOutcome& outcome,
                json::object& result) {
    if (event == "stall_until_deadline" || event == "closed_before_content_length") {
        outcome.fault = core::Fault::Body;
        outcome.text =
            event == "stall_until_deadline" ? "context deadline exceeded" : "unexpected EOF";
    } else if (event.ends_with("_bytes")) {
        result.emplace("bytes_read", std::min<std::int64_t>(std::stoll(event), cap));
    } else {
        unknown("a body_event", event);
    }
}

void apply_url(const json::object& input, core::AttemptOutcome& outcome) {
    const json::value* endpoint = input.if_contains("endpoint");
    const auto canonical =
        core::canonicalize(endpoint ? text(*endpoint) : std::string("https://h"));
    const auto target = canonical ? core::join(*canonical, text(input.at("path")))
                                  : core::Result<core::RequestTarget>(canonical.error());
    if (!target) {
        outcome.fault = core::Fault::InvalidUrl;
        outcome.text = target.error().message;
    }
}

json::object evaluate(const json::object& input, const json::object&) {
    core::ProbePolicy policy;
    policy.accept_statuses = statuses(input, "acceptStatuses");
    policy.gate_statuses = statuses(input, "gateStatuses");
    core::AttemptOutcome outcome;
    json::object result;
    if (const json::value* status = input.if_contains("status")) {
        outcome.status = small(*status);
    }
    if (const json::value* event = input.if_contains("body_event")) {
        const json::value* cap = input.if_contains("maxResponseBytes");
        apply_body(text(*event), cap ? integer(*cap) : 65536, outcome, result);
    }
    if (const json::value* event = input.if_contains("transport"); event && !event->is_null()) {
        apply_transport(text(*event), outcome);
    }
    if (input.contains("path")) {
        apply_url(input, outcome);
    }
    const auto verdict = core::judge_probe(policy, outcome);
    result.emplace("result", core::to_string(verdict.value().result));
    result.emplace("message", verdict.value().message);
    return result;
}

json::object probe_schedule(const json::object& input, const json::object&) {
    Passes passes(duration(input.at("period")));
    for (const json::value& at : input.at("reconciles_at_ms").as_array()) {
        passes.attempted(at);
    }
    return passes.result("probed");
}

}  // namespace

void add_machine_operations(std::vector<Operation>& all) {
    const std::string capacity = "capacity_window";
    const std::string probe = "probe_gate";
    all.push_back({capacity, "window", {"epoch", "events", "policy"}, {"views"}, window});
    all.push_back({capacity,
                   "schedule",
                   {"epoch", "policy", "reconciles_at_ms", "reply"},
                   {"next_delay_ms", "polled", "views"},
                   poll_schedule});
    all.push_back({capacity,
                   "identity",
                   {"lookup", "lookup_differs_in", "stored"},
                   {"ceiling", "reason"},
                   identity});
    all.push_back(
        {capacity, "observe_disabled", {"policy"}, {"ceiling", "reason"}, observe_disabled});
    all.push_back({capacity,
                   "observe_target",
                   {"endpoint"},
                   {"ceiling", "polled", "reason"},
                   observe_target});
    all.push_back({probe,
                   "sequence",
                   {"failureThreshold", "restored", "successThreshold", "verdicts"},
                   {"after_each", "initial"},
                   sequence});
    all.push_back({probe,
                   "evaluate",
                   {"acceptStatuses",
                    "body_event",
                    "endpoint",
                    "gateStatuses",
                    "headers",
                    "maxResponseBytes",
                    "path",
                    "status",
                    "transport"},
                   {"bytes_read", "message", "message_contains", "message_prefix", "result"},
                   evaluate});
    all.push_back({probe,
                   "schedule",
                   {"period", "reconciles_at_ms"},
                   {"next_delay_ms", "probed"},
                   probe_schedule});
}

}  // namespace ome::conformance
