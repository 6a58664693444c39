// Behaviours as documents: the way in, and the reference for people.
#include "behaviour_json.hpp"

#include "behaviour_names.hpp"
#include "behaviour_rules.hpp"
#include "broken_answers.hpp"
#include "latency_json.hpp"
#include "tls_variants.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace ome::homesim {
namespace {

namespace json = boost::json;

constexpr std::size_t most_steps = 10'000;

// A probe's plain answer is all head: without a body nothing could stop or drip in one.
constexpr std::string_view made_up_body = "an answer with a body, of ome-homesim\n";

constexpr std::int64_t most_oversize = std::int64_t{1} << 40;

Failure read_report(const json::value& value, const std::string& field, Step& step) {
    std::int64_t count = 0;
    Failure failure = read_number(value, field, INT64_MIN, INT64_MAX, count);
    step.report = count;
    return failure;
}

Failure read_body(const json::value& value, const std::string& field, Step& step) {
    if (!value.is_string()) {
        return broken(field, value, "must be a string");
    }
    step.body = std::string(value.get_string());
    step.report.reset();
    return {};
}

Failure read_status(const json::value& value, const std::string& field, Step& step) {
    std::int64_t status = 0;
    Failure failure = read_number(value, field, 100, 999, status);
    step.status = static_cast<int>(status);
    return failure;
}

Failure read_oversize(const json::value& value, const std::string& field, Step& step) {
    std::int64_t bytes = 0;
    Failure failure = read_number(value, field, 1, most_oversize, bytes);
    step.oversize = static_cast<std::uint64_t>(bytes);
    return failure;
}

/// `true` cuts before the head, the name of a place there; `false` does not.
Failure read_cut(const json::value& value, const std::string& field, Step& step, Ending ending) {
    if (value.is_bool()) {
        step.ending = value.get_bool() ? ending : step.ending;
        step.cut = Stall::BeforeHead;
        return {};
    }
    step.ending = ending;
    Failure failure = read(value, field, stalls, step.cut);
    return failure ? broken(field, value, "must be true, false, or a place as for stall") : failure;
}

Failure read_broken(const json::value& value, const std::string& field, Step& step) {
    step.broken = value.is_string() ? find_broken(value.get_string()) : nullptr;
    return step.broken == nullptr ? broken(field, value, "must be one of " + names_of_broken())
                                  : std::nullopt;
}

Failure read_skew(const json::value& value, const std::string& field, Step& step) {
    return read(value, field, step.skew.emplace());
}

Failure read_gone(const json::value& value, const std::string& field, Step& step) {
    bool on = false;
    Failure failure = read(value, field, on);
    if (on) {
        step.status = 404;
        step.report.reset();
    }
    return failure;
}

struct Member {
    std::string_view name;
    std::string_view meaning;
    Failure (*apply)(const json::value&, const std::string&, Step&);
};

const std::array<Member, 16> members{{
    {"status",
     "the status, 100 to 999 (200); a list is one step each: [503,503,503,200]",
     read_status},
    {"report",
     "the body is a Report with this count, stamped now; a list is one step each",
     read_report},
    {"body", "this text is the body", read_body},
    {"age",
     "the report says it is this old (\"5s\"; \"-5s\" is from the future)",
     [](const json::value& v, const std::string& f, Step& s) { return read(v, f, s.age); }},
    {"skew",
     "the home's clock is this far ahead (\"-5s\": behind), in reports and in a Date header",
     read_skew},
    {"latency",
     "answer after \"20ms\", or drawn: {\"min\":\"5ms\",\"max\":\"80ms\"} evenly,\n"
     "             {\"mean\":\"20ms\"} exponential, {\"median\":\"20ms\",\"sigma\":0.5} lognormal "
     "(both may have\n"
     "             a \"max\")",
     [](const json::value& v, const std::string& f, Step& s) {
         return read_latency(v, f, s.latency);
     }},
    {"stall",
     "never finish: \"before-head\" (not a byte), \"in-head\", \"after-head\", \"in-body\"",
     [](const json::value& v, const std::string& f, Step& s) {
         return read(v, f, stalls, s.stall);
     }},
    {"reset",
     "true: cut the connection with a RST, no answer; or where, as for stall: \"in-body\"",
     [](const json::value& v, const std::string& f, Step& s) {
         return read_cut(v, f, s, Ending::Reset);
     }},
    {"close",
     "true: close the connection, no answer; or where, as for stall: \"in-head\"",
     [](const json::value& v, const std::string& f, Step& s) {
         return read_cut(v, f, s, Ending::Close);
     }},
    {"gone", "true: 404 without a report", read_gone},
    {"drip",
     "send the body a byte at a time, this far apart (\"100ms\")",
     [](const json::value& v, const std::string& f, Step& s) {
         return read_positive(v, f, s.drip);
     }},
    {"dripHead",
     "true: the head drips, too",
     [](const json::value& v, const std::string& f, Step& s) { return read(v, f, s.drip_head); }},
    {"broken", "an answer that is no proper HTTP; see below", read_broken},
    {"oversize", "that many more body bytes", read_oversize},
    {"framing",
     "how the body ends: \"length\" (Content-Length), \"chunked\", \"close\"",
     [](const json::value& v, const std::string& f, Step& s) {
         return read(v, f, framings, s.framing);
     }},
    {"keepAlive",
     "false: say Connection: close and close after the answer",
     [](const json::value& v, const std::string& f, Step& s) { return read(v, f, s.keep_alive); }},
}};

std::vector<std::string> names_of_members() {
    std::vector<std::string> names{"steps", "cycle", "hold"};
    for (const Member& member : members) {
        names.emplace_back(member.name);
    }
    return names;
}

Failure read_step(const json::object& document,
                  const std::string& where,
                  std::size_t at,
                  Step& step) {
    for (const auto& item : document) {
        const std::string field = where + "." + std::string(item.key());
        const auto* const known = std::find_if(
            members.begin(), members.end(), [&](const Member& m) { return m.name == item.key(); });
        if (known == members.end() && !is_about_a_list(item.key())) {
            return core::Problem{fmt::format("{} is not a behaviour (see --list){}",
                                             field,
                                             did_you_mean(item.key(), names_of_members())),
                                 field};
        }
        if (known == members.end()) {
            continue;
        }
        if (Failure failure = known->apply(value_at(item.value(), at), field, step)) {
            return failure;
        }
    }
    Failure failure = check_step(document, where, at, step);
    if (!failure && needs_body(step) && step.body.empty() && !step.report) {
        step.body = made_up_body;
    }
    return failure;
}

Failure count_steps(const json::object& document, const std::string& where, std::size_t& count) {
    count = 1;
    for (const auto& item : document) {
        const json::array* list = item.value().if_array();
        if (list != nullptr && (list->empty() || list->size() > most_steps)) {
            const std::string field = where + "." + std::string(item.key());
            return core::Problem{fmt::format("{} must have 1 to {} values", field, most_steps),
                                 field};
        }
        count = std::max(count, list == nullptr ? 1 : list->size());
    }
    return {};
}

Failure read_listed_steps(const json::value& list,
                          const std::string& where,
                          const Step& plain,
                          std::vector<Step>& steps) {
    if (!list.is_array()) {
        return broken(where, list, "must be a list of steps");
    }
    steps.clear();
    for (const json::value& one : list.get_array()) {
        const std::string field = fmt::format("{}[{}]", where, steps.size());
        if (!one.is_object()) {
            return broken(field, one, "must be an object");
        }
        if (Failure failure = check_listed_step(one.get_object(), field)) {
            return failure;
        }
        if (Failure failure = read_step(one.get_object(), field, 0, steps.emplace_back(plain))) {
            return failure;
        }
    }
    return {};
}

Failure read_steps(const json::object& document,
                   const std::string& where,
                   const Step& plain,
                   std::vector<Step>& steps) {
    std::size_t count = 1;
    if (Failure failure = count_steps(document, where, count)) {
        return failure;
    }
    if (Failure failure = check_frame(document, where)) {
        return failure;
    }
    if (const json::value* list = document.if_contains("steps")) {
        return read_listed_steps(*list, where + ".steps", plain, steps);
    }
    steps.assign(count, plain);
    for (std::size_t i = 0; i < count; ++i) {
        if (Failure failure = read_step(document, where, i, steps[i])) {
            return failure;
        }
    }
    return {};
}

Failure read_frame(const json::object& document, const std::string& where, Behaviour& behaviour) {
    if (const json::value* cycle = document.if_contains("cycle")) {
        if (Failure failure = read(*cycle, where + ".cycle", behaviour.cycle)) {
            return failure;
        }
    }
    if (const json::value* hold = document.if_contains("hold")) {
        return read_positive(*hold, where + ".hold", behaviour.hold);
    }
    return {};
}

std::string explain_accepts() {
    return "\n\"accept\", beside \"poll\" and \"probe\" (with --by-address, where a connection "
           "tells "
           "its home):\n\n"
           "  serve      as usual\n"
           "  stall      the connection opens and nothing is read or said, not even a TLS "
           "handshake\n"
           "  reset      RST as soon as it is open\n"
           "  close      FIN as soon as it is open\n";
}

}  // namespace

std::string_view name_of(core::Kind kind) {
    return kind == core::Kind::Poll ? "poll" : "probe";
}

Step plain_step(core::Kind kind) {
    Step step;
    if (kind == core::Kind::Poll) {
        step.report = 1;
    }
    return step;
}

core::Result<Behaviour> behaviour_from_json(const json::value& document, core::Kind kind) {
    const std::string field(name_of(kind));
    if (!document.is_object()) {
        return *broken(field, document, "must be an object");
    }
    Behaviour behaviour;
    Failure failure = read_steps(document.get_object(), field, plain_step(kind), behaviour.steps);
    failure = failure ? failure : read_frame(document.get_object(), field, behaviour);
    if (failure) {
        return *failure;
    }
    return behaviour;
}

std::string explain_behaviours() {
    std::string text = "What a home does with a request, by member of \"poll\" or \"probe\":\n\n";
    for (const Member& member : members) {
        text += fmt::format("  {:<10} {}\n", member.name, member.meaning);
    }
    text +=
        "\nWhat happens in a body (stall, reset and close at \"after-head\" or \"in-body\", drip) "
        "gives the\n"
        "answer a short one if it has none, as that of a probe; a HEAD request gets none all the "
        "same.\n"
        "Members that contradict each other, or have nothing to apply to, are refused.\n"
        "\nSteps: one an attempt; the last one repeats.\n\n"
        "  steps      a list of such objects, for steps that differ in more than one value\n"
        "  cycle      true: begin again after the last step\n"
        "  hold       a step lasts this long (\"5s\") instead of one attempt\n"
        "\nAnswers for \"broken\":\n\n";
    for (const BrokenAnswer& answer : broken_answers()) {
        text += fmt::format("  {:<19} {}\n", answer.name, answer.meaning);
    }
    return text + explain_accepts() + explain_tls_variants();
}

}  // namespace ome::homesim
