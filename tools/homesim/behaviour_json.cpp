#include "behaviour_json.hpp"

#include "duration_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace ome::homesim {
namespace {

namespace json = boost::json;
using Failure = std::optional<core::Problem>;

constexpr std::size_t most_steps = 10'000;
constexpr std::int64_t most_oversize = std::int64_t{1} << 40;

template <typename E>
struct Named {
    std::string_view name;
    E value;
};

constexpr std::array<Named<Stall>, 4> stalls{{{"before-head", Stall::BeforeHead},
                                              {"in-head", Stall::InHead},
                                              {"after-head", Stall::AfterHead},
                                              {"in-body", Stall::InBody}}};
constexpr std::array<Named<Framing>, 3> framings{
    {{"length", Framing::Length}, {"chunked", Framing::Chunked}, {"close", Framing::Close}}};

Failure broken(const std::string& field, const json::value& value, std::string_view rule) {
    return core::Problem{fmt::format("{} ({}) {}", field, json::serialize(value), rule), field};
}

Failure read(const json::value& value, const std::string& field, bool& out) {
    if (!value.is_bool()) {
        return broken(field, value, "must be true or false");
    }
    out = value.get_bool();
    return {};
}

Failure read_number(const json::value& value,
                    const std::string& field,
                    std::int64_t least,
                    std::int64_t most,
                    std::int64_t& out) {
    if (!value.is_int64() || value.get_int64() < least || value.get_int64() > most) {
        return broken(
            field, value, fmt::format("must be a whole number from {} to {}", least, most));
    }
    out = value.get_int64();
    return {};
}

Failure read(const json::value& value, const std::string& field, core::Duration& out) {
    const std::optional<core::Duration> parsed =
        value.is_string() ? parse_duration(std::string_view(value.get_string())) : std::nullopt;
    if (!parsed) {
        return broken(field, value, "must be a duration such as \"250ms\" or \"1.5s\"");
    }
    out = *parsed;
    return {};
}

template <typename E, std::size_t N>
Failure read(const json::value& value,
             const std::string& field,
             const std::array<Named<E>, N>& names,
             E& out) {
    std::string known;
    for (const Named<E>& name : names) {
        if (value.is_string() && value.get_string() == name.name) {
            out = name.value;
            return {};
        }
        known += (known.empty() ? "" : ", ") + std::string(name.name);
    }
    return broken(field, value, "must be one of " + known);
}

Failure read(const json::value& value, const std::string& field, Latency& out) {
    const json::object* range = value.if_object();
    if (range == nullptr) {
        Failure failure = read(value, field, out.least);
        out.most = out.least;
        return !failure && out.least.count() < 0 ? broken(field, value, "must not be negative")
                                                 : failure;
    }
    const json::value* least = range->if_contains("min");
    const json::value* most = range->if_contains("max");
    if (range->size() != 2 || least == nullptr || most == nullptr) {
        return broken(field, value, "must be a duration, or {\"min\":...,\"max\":...}");
    }
    Failure failure = read(*least, field + ".min", out.least);
    failure = failure ? failure : read(*most, field + ".max", out.most);
    return !failure && (out.least.count() < 0 || out.most < out.least)
               ? broken(field, value, "must have 0 <= min <= max")
               : failure;
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

Failure read_drip(const json::value& value, const std::string& field, Step& step) {
    Failure failure = read(value, field, step.drip);
    return !failure && step.drip.count() <= 0 ? broken(field, value, "must be positive") : failure;
}

/// `true` switches it on; anything but a boolean is refused.
Failure read_switch(const json::value& value, const std::string& field, Step& step, Ending ending) {
    bool on = false;
    Failure failure = read(value, field, on);
    step.ending = on ? ending : step.ending;
    return failure;
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

const std::array<Member, 13> members{{
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
    {"latency",
     "answer after \"20ms\", or after anything in {\"min\":\"5ms\",\"max\":\"80ms\"}",
     [](const json::value& v, const std::string& f, Step& s) { return read(v, f, s.latency); }},
    {"stall",
     "never finish: \"before-head\" (not a byte), \"in-head\", \"after-head\", \"in-body\"",
     [](const json::value& v, const std::string& f, Step& s) {
         return read(v, f, stalls, s.stall);
     }},
    {"reset",
     "true: cut the connection with a RST, no answer",
     [](const json::value& v, const std::string& f, Step& s) {
         return read_switch(v, f, s, Ending::Reset);
     }},
    {"close",
     "true: close the connection, no answer",
     [](const json::value& v, const std::string& f, Step& s) {
         return read_switch(v, f, s, Ending::Close);
     }},
    {"gone", "true: 404 without a report", read_gone},
    {"drip", "send the body a byte at a time, this far apart (\"100ms\")", read_drip},
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

template <typename E, std::size_t N>
std::string_view name_of(const std::array<Named<E>, N>& names, E value) {
    const auto* const found = std::find_if(
        names.begin(), names.end(), [&](const Named<E>& n) { return n.value == value; });
    return found == names.end() ? std::string_view() : found->name;
}

json::value to_json(const Latency& latency) {
    if (latency.least == latency.most) {
        return json::string(format_duration(latency.least));
    }
    return json::object{{"min", format_duration(latency.least)},
                        {"max", format_duration(latency.most)}};
}

void add_content(json::object& out, const Step& step) {
    const Step plain;
    if (step.status != plain.status) {
        out["status"] = step.status;
    }
    if (step.report) {
        out["report"] = *step.report;
    }
    if (!step.body.empty()) {
        out["body"] = step.body;
    }
    if (step.age != plain.age) {
        out["age"] = format_duration(step.age);
    }
    if (step.oversize != 0) {
        out["oversize"] = step.oversize;
    }
}

void add_manner(json::object& out, const Step& step) {
    const Step plain;
    if (step.latency != plain.latency) {
        out["latency"] = to_json(step.latency);
    }
    if (step.stall != Stall::None) {
        out["stall"] = name_of(stalls, step.stall);
    }
    if (step.ending != Ending::Answer) {
        out[step.ending == Ending::Reset ? "reset" : "close"] = true;
    }
    if (step.drip != plain.drip) {
        out["drip"] = format_duration(step.drip);
    }
    if (step.framing != Framing::Length) {
        out["framing"] = name_of(framings, step.framing);
    }
    if (!step.keep_alive) {
        out["keepAlive"] = false;
    }
}

json::object to_json(const Step& step) {
    json::object out;
    add_content(out, step);
    add_manner(out, step);
    return out;
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

json::object to_json(const Behaviour& behaviour) {
    json::object out;
    if (behaviour.steps.size() == 1) {
        out = to_json(behaviour.steps.front());
    } else {
        json::array& steps = out["steps"].emplace_array();
        for (const Step& step : behaviour.steps) {
            steps.push_back(to_json(step));
        }
    }
    if (behaviour.cycle) {
        out["cycle"] = true;
    }
    if (behaviour.hold.count() > 0) {
        out["hold"] = format_duration(behaviour.hold);
    }
    return out;
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
        "  hold       a step lasts this long (\"5s\") instead of one attempt\n";
    return text;
}

}  // namespace ome::homesim
