#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/core/usage.hpp>
#include <ome/wire/replay_document.hpp>
#include <ome/wire/report.hpp>

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ome::wire {
namespace {

namespace dom = simdjson::dom;
using core::Fault;
using core::Problem;
using core::Result;

static_assert(ReplayReader::padding >= simdjson::SIMDJSON_PADDING);

constexpr std::array error_kinds{
    Fault::Unreachable, Fault::Refused, Fault::Body, Fault::Deadline, Fault::Cancelled};

struct ActionName {
    std::string_view name;
    ReplayAction action;
};
constexpr std::array<ActionName, 6> action_names{{{"poll", ReplayAction::Poll},
                                                  {"probe", ReplayAction::Probe},
                                                  {"read", ReplayAction::Read},
                                                  {"policy", ReplayAction::Policy},
                                                  {"declared", ReplayAction::Declared},
                                                  {"forgotten", ReplayAction::Forgotten}}};
constexpr std::string_view all_actions = "poll, probe, read, policy, declared and forgotten";

constexpr std::array<std::string_view, 10> members{"at",
                                                   "home",
                                                   "service",
                                                   "endpoint",
                                                   "poll",
                                                   "probe",
                                                   "read",
                                                   "policy",
                                                   "declared",
                                                   "forgotten"};

std::string shown(dom::element value) {
    return core::sanitize_detail(simdjson::minify(value), 100);
}

Problem wrong(std::string field, dom::element value, std::string_view rule) {
    return {fmt::format("{}: {} must be {}", field, shown(value), rule), field};
}

Problem missing(std::string field, std::string_view rule) {
    return {fmt::format("{}: is missing; it must be {}", field, rule), field};
}

std::optional<dom::element> member(dom::object object, std::string_view name) {
    dom::element value;
    if (object.at_key(name).get(value) != simdjson::SUCCESS || value.is_null()) {
        return std::nullopt;
    }
    return value;
}

/// Empty when the member is absent.
Result<std::string_view> text_member(dom::object object, std::string_view name, std::string field) {
    const auto value = member(object, name);
    std::string_view text;
    if (value && value->get(text) != simdjson::SUCCESS) {
        return wrong(std::move(field), *value, "a string");
    }
    return text;
}

Result<core::WallTime> read_at(dom::object event) {
    constexpr std::string_view rule = "an RFC 3339 time with zone";
    const auto value = member(event, "at");
    if (!value) {
        return missing("at", rule);
    }
    std::string_view text;
    std::ignore = value->get(text);
    const auto at = core::parse_timestamp(text);
    return at ? Result<core::WallTime>(*at) : wrong("at", *value, rule);
}

Result<std::optional<std::int32_t>> read_status(dom::object answer, const std::string& field) {
    const auto value = member(answer, "status");
    if (!value) {
        return std::optional<std::int32_t>();
    }
    std::int64_t status = 0;
    if (value->get(status) != simdjson::SUCCESS || status < 100 || status > 999) {
        return wrong(field + ".status", *value, "an integer from 100 to 999");
    }
    return std::optional(static_cast<std::int32_t>(status));
}

Result<Fault> read_error_kind(dom::object error, const std::string& field) {
    constexpr std::string_view rule = "unreachable, refused, body, deadline or cancelled";
    const auto value = member(error, "kind");
    if (!value) {
        return missing(field + ".kind", rule);
    }
    std::string_view text;
    std::ignore = value->get(text);
    for (const Fault kind : error_kinds) {
        if (core::to_string(kind) == text) {
            return kind;
        }
    }
    return wrong(field + ".kind", *value, rule);
}

// A string alone is a home that could not be reached.
std::optional<Problem> read_error(dom::element error,
                                  const std::string& field,
                                  core::AttemptOutcome& outcome) {
    std::string_view text;
    dom::object object;
    outcome.fault = Fault::Unreachable;
    if (error.get(text) != simdjson::SUCCESS) {
        if (error.get(object) != simdjson::SUCCESS) {
            return wrong(field, error, "a string or an object with kind and text");
        }
        const Result<Fault> kind = read_error_kind(object, field);
        const Result<std::string_view> detail = text_member(object, "text", field + ".text");
        if (!kind || !detail) {
            return kind ? detail.error() : kind.error();
        }
        outcome.fault = *kind;
        text = *detail;
    }
    outcome.text = core::sanitize_detail(text);
    const bool after_head = outcome.fault == Fault::Body || outcome.fault == Fault::Deadline;
    if (after_head) {
        outcome.status = outcome.status.value_or(200);
    } else {
        outcome.status.reset();
    }
    return std::nullopt;
}

void decode_body(std::string_view body, std::int64_t limit, core::AttemptOutcome& outcome) {
    if (body.size() > static_cast<std::size_t>(limit)) {
        outcome.fault = Fault::Body;
        outcome.text = fmt::format("response exceeds configured limit of {} bytes", limit);
        return;
    }
    outcome.report = decode_report(body);
}

/// The members of `poll` or `probe`.
std::optional<Problem> read_answer(dom::element value,
                                   const std::string& field,
                                   std::int64_t body_limit,
                                   ReplayEvent& event) {
    dom::object answer;
    if (value.get(answer) != simdjson::SUCCESS) {
        return wrong(field, value, "an object with status or error");
    }
    const auto status = read_status(answer, field);
    const auto body = text_member(answer, "body", field + ".body");
    if (!status || !body) {
        return status ? body.error() : status.error();
    }
    event.outcome.status = *status;
    if (const auto error = member(answer, "error")) {
        return read_error(*error, field + ".error", event.outcome);
    }
    if (!event.outcome.status) {
        return missing(field + ".status", "an integer from 100 to 999, unless there is an error");
    }
    const auto reason = text_member(answer, "reason", field + ".reason");
    if (!reason) {
        return reason.error();
    }
    if (event.action == ReplayAction::Poll && event.outcome.status == 200) {
        if (reason->empty()) {
            decode_body(*body, body_limit, event.outcome);
        } else {
            event.outcome.report = std::string(*reason);
        }
    }
    return std::nullopt;
}

Result<std::pair<ReplayAction, dom::element>> read_action(dom::object event) {
    std::optional<std::pair<ReplayAction, dom::element>> found;
    for (const ActionName& known : action_names) {
        const auto value = member(event, known.name);
        if (value && found) {
            return Problem{fmt::format("{}: an event has only one of {}", known.name, all_actions),
                           std::string(known.name)};
        }
        if (value) {
            found.emplace(known.action, *value);
        }
    }
    if (!found) {
        return Problem{fmt::format("an event must have one of {}", all_actions)};
    }
    return *found;
}

bool is_of_a_home(ReplayAction action) {
    return action == ReplayAction::Poll || action == ReplayAction::Probe ||
           action == ReplayAction::Read;
}

std::optional<Problem> read_identity(dom::object object, ReplayEvent& event) {
    const auto home = text_member(object, "home", "home");
    const auto service = text_member(object, "service", "service");
    const auto endpoint = text_member(object, "endpoint", "endpoint");
    for (const auto* part : {&home, &service, &endpoint}) {
        if (!*part) {
            return part->error();
        }
    }
    if (home->empty() && is_of_a_home(event.action)) {
        return missing("home", "the name of the home");
    }
    if (service->empty() && event.action == ReplayAction::Declared) {
        return missing("service", "the service that is declared");
    }
    event.home = *home;
    event.service = *service;
    event.endpoint = *endpoint;
    return std::nullopt;
}

std::optional<Problem> read_true(dom::element value, const char* field) {
    bool read = false;
    std::ignore = value.get(read);
    return read ? std::nullopt : std::optional(wrong(field, value, "true"));
}

std::optional<Problem> read_content(dom::element value,
                                    std::int64_t body_limit,
                                    ReplayEvent& event) {
    switch (event.action) {
        case ReplayAction::Poll:
            return read_answer(value, "poll", body_limit, event);
        case ReplayAction::Probe:
            return read_answer(value, "probe", body_limit, event);
        case ReplayAction::Policy:
            event.policies = simdjson::minify(value);
            return std::nullopt;
        case ReplayAction::Declared:
            event.declaration = simdjson::minify(value);
            return std::nullopt;
        case ReplayAction::Forgotten:
            return read_true(value, "forgotten");
        case ReplayAction::Read:
            break;
    }
    return read_true(value, "read");
}

}  // namespace

struct ReplayReader::State {
    explicit State(std::int64_t most) : max_response_bytes(most) {}

    void note_strangers(dom::object event) {
        for (const auto& field : event) {
            const bool known =
                std::find(members.begin(), members.end(), field.key) != members.end();
            if (!known && met.size() < most_strangers && met.emplace(field.key).second) {
                strangers.push_back(sentence_on(std::string(field.key)));
            }
        }
    }

    static std::string sentence_on(const std::string& name) {
        const std::vector<std::string> known(members.begin(), members.end());
        const auto near = core::nearest_word(name, known);
        return fmt::format("{} is not known and is ignored{}",
                           core::go_quote(core::sanitize_detail(name, longest_name)),
                           near ? fmt::format("; did you mean {}?", *near) : std::string());
    }

    static constexpr std::size_t most_strangers = 100;
    static constexpr std::size_t longest_name = 60;

    std::int64_t max_response_bytes;
    dom::parser parser;
    std::set<std::string> met;
    std::vector<std::string> strangers;
};

ReplayReader::ReplayReader(std::int64_t max_response_bytes)
    : state_(std::make_unique<State>(max_response_bytes)) {}
ReplayReader::~ReplayReader() = default;
ReplayReader::ReplayReader(ReplayReader&&) noexcept = default;
ReplayReader& ReplayReader::operator=(ReplayReader&&) noexcept = default;

Result<ReplayEvent> ReplayReader::read(std::string_view line) {
    dom::element root;
    dom::object object;
    if (const auto ec = state_->parser.parse(line.data(), line.size(), false).get(root)) {
        return Problem{fmt::format("not JSON: {}", simdjson::error_message(ec))};
    }
    if (root.get(object) != simdjson::SUCCESS) {
        return Problem{fmt::format("{} must be an object", shown(root))};
    }
    state_->note_strangers(object);
    const auto at = read_at(object);
    if (!at) {
        return at.error();
    }
    const auto action = read_action(object);
    if (!action) {
        return action.error();
    }
    ReplayEvent event;
    event.at = *at;
    event.action = action->first;
    auto problem = read_identity(object, event);
    if (!problem) {
        problem = read_content(action->second, state_->max_response_bytes, event);
    }
    return problem ? Result<ReplayEvent>(*problem) : std::move(event);
}

std::vector<std::string> ReplayReader::take_strangers() {
    return std::exchange(state_->strangers, {});
}

}  // namespace ome::wire
