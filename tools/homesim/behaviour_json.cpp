// Behaviours as documents: the way in, and the reference for people.
#include "behaviour_json.hpp"

#include "behaviour_names.hpp"
#include "broken_answers.hpp"
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
constexpr std::int64_t most_oversize = std::int64_t{1} << 40;

Failure read_positive(const json::value& value, const std::string& field, core::Duration& out) {
    Failure failure = read(value, field, out);
    return !failure && out.count() <= 0 ? broken(field, value, "must be positive") : failure;
}

Failure read_range(const json::object& range, const std::string& field, Latency& out) {
    const json::value* least = range.if_contains("min");
    const json::value* most = range.if_contains("max");
    if (range.size() != 2 || least == nullptr || most == nullptr) {
        return broken(field,
                      json::value(range),
                      "must be a duration, or {\"min\":...,\"max\":...}, {\"mean\":...} or "
                      "{\"median\":...,\"sigma\":...}, the last two with or without \"max\"");
    }
    Failure failure = read(*least, field + ".min", out.least);
    failure = failure ? failure : read(*most, field + ".max", out.most);
    return !failure && (out.least.count() < 0 || out.most < out.least)
               ? broken(field, json::value(range), "must have 0 <= min <= max")
               : failure;
}

Failure read_sigma(const json::object& curve, const std::string& field, Latency& out) {
    const json::value* sigma = curve.if_contains("sigma");
    json::error_code ec;
    out.sigma = sigma == nullptr ? 0 : sigma->to_number<double>(ec);
    return sigma == nullptr || ec || !(out.sigma > 0 && out.sigma <= 5)
               ? Failure(core::Problem{field + ".sigma must be a number above 0, at most 5",
                                       field + ".sigma"})
               : std::nullopt;
}

/// `middle` is what the curve is named by: its mean or its median.
Failure read_curve(const json::object& curve,
                   const std::string& field,
                   std::string_view middle,
                   Latency& out) {
    for (const auto& member : curve) {
        const bool known = member.key() == middle || member.key() == "max" ||
                           (member.key() == "sigma" && out.shape == Latency::Shape::Lognormal);
        if (!known) {
            return core::Problem{field + "." + std::string(member.key()) + " is not a latency",
                                 field};
        }
    }
    Failure failure = read_positive(curve.at(middle), field + "." + std::string(middle), out.least);
    if (const json::value* most = curve.if_contains("max"); most != nullptr && !failure) {
        failure = read_positive(*most, field + ".max", out.most);
    }
    return failure || out.shape != Latency::Shape::Lognormal ? failure
                                                             : read_sigma(curve, field, out);
}

Failure read_latency(const json::value& value, const std::string& field, Latency& out) {
    out = Latency();
    const json::object* shape = value.if_object();
    if (shape == nullptr) {
        Failure failure = read(value, field, out.least);
        out.most = out.least;
        return !failure && out.least.count() < 0 ? broken(field, value, "must not be negative")
                                                 : failure;
    }
    if (shape->contains("mean")) {
        out.shape = Latency::Shape::Exponential;
        return read_curve(*shape, field, "mean", out);
    }
    if (shape->contains("median")) {
        out.shape = Latency::Shape::Lognormal;
        return read_curve(*shape, field, "median", out);
    }
    return read_range(*shape, field, out);
}

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

bool is_frame(std::string_view name) {
    return name == "steps" || name == "cycle" || name == "hold";
}

/// A member whose value is a list gives its nth value to the nth step; the last one stays.
const json::value& value_at(const json::value& value, std::size_t step) {
    const json::array* list = value.if_array();
    return list == nullptr ? value : (*list)[std::min(step, list->size() - 1)];
}

Failure read_step(const json::object& document,
                  const std::string& where,
                  std::size_t at,
                  Step& step) {
    for (const auto& item : document) {
        const std::string field = where + "." + std::string(item.key());
        const auto* const known = std::find_if(
            members.begin(), members.end(), [&](const Member& m) { return m.name == item.key(); });
        if (known == members.end() && !is_frame(item.key())) {
            return core::Problem{field + " is not a behaviour (see --list)", field};
        }
        if (known == members.end()) {
            continue;
        }
        if (Failure failure = known->apply(value_at(item.value(), at), field, step)) {
            return failure;
        }
    }
    return {};
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
        return read(*hold, where + ".hold", behaviour.hold);
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
