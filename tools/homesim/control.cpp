#include "control.hpp"

#include "behaviour_json.hpp"
#include "behaviour_names.hpp"
#include "change_json.hpp"
#include "strict_json.hpp"
#include <ome/core/query_parameters.hpp>
#include <ome/core/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace ome::homesim {
namespace {

namespace json = boost::json;

constexpr std::size_t most_listed = 1000;

ControlAnswer problem(int status, const core::Problem& what) {
    json::object error{{"message", what.message}};
    if (!what.field.empty()) {
        error["field"] = what.field;
    }
    return {status, json::serialize(json::object{{"error", std::move(error)}}), false};
}

ControlAnswer document(const json::value& value) {
    return {200, json::serialize(value), false};
}

double milliseconds(core::Duration duration) {
    const std::int64_t microseconds = duration / std::chrono::microseconds(1);
    return static_cast<double>(microseconds) / 1000.0;
}

json::object to_json(const RequestCounters& counters) {
    return {{"requests", counters.requests},
            {"freshConnections", counters.fresh_connections},
            {"answered", counters.answered},
            {"cutByUs", counters.cut_by_us},
            {"left", {{"closed", counters.left_closed}, {"reset", counters.left_reset}}},
            {"inFlight", counters.in_flight.now()},
            {"inFlightHighWater", counters.in_flight.high()}};
}

json::object to_json(const Observed& observed) {
    json::object out = to_json(observed.counters);
    if (const auto gaps = observed.gaps.summary()) {
        out["gaps"] = json::object{{"count", gaps->count},
                                   {"minMs", milliseconds(gaps->least)},
                                   {"medianMs", milliseconds(gaps->median)},
                                   {"maxMs", milliseconds(gaps->most)}};
    }
    out["behaviour"] = to_json(*observed.behaviour);
    return out;
}

json::object to_json(const Home& home) {
    return {{"name", home.name},
            {"accept", name_of(accepts, home.accept)},
            {"connections", home.connections},
            {"poll", to_json(home.of(core::Kind::Poll))},
            {"probe", to_json(home.of(core::Kind::Probe))}};
}

json::object kind_totals(const Fleet& fleet, core::Kind kind) {
    json::object out = to_json(fleet.total(kind));
    std::uint64_t high = 0;
    std::size_t untouched = 0;
    for (const Home& home : fleet.homes()) {
        high = std::max(high, home.of(kind).counters.in_flight.high());
        untouched += home.of(kind).counters.requests == 0 ? 1U : 0U;
    }
    out["highWaterOfOneHome"] = high;
    out["homesWithoutRequests"] = untouched;
    return out;
}

ControlAnswer get_stats(const ControlState& state) {
    const ServerCounters& counters = state.counters;
    return document(
        json::object{{"uptimeSeconds", milliseconds(state.now - state.started) / 1000.0},
                     {"homes", state.fleet.homes().size()},
                     {"ports", json::value_from(state.home_ports)},
                     {"inFlight", counters.in_flight.now()},
                     {"inFlightHighWater", counters.in_flight.high()},
                     {"connections",
                      {{"accepted", counters.accepted},
                       {"open", counters.open_connections.now()},
                       {"openHighWater", counters.open_connections.high()}}},
                     {"malformed", counters.malformed},
                     {"strangers", counters.strangers},
                     {"poll", kind_totals(state.fleet, core::Kind::Poll)},
                     {"probe", kind_totals(state.fleet, core::Kind::Probe)}});
}

ControlAnswer get_homes(const std::string& pattern, const ControlState& state) {
    json::array listed;
    std::size_t matching = 0;
    for (const Home& home : state.fleet.homes()) {
        if (fnmatch(pattern.c_str(), home.name.c_str(), 0) == 0 && ++matching <= most_listed) {
            listed.push_back(to_json(home));
        }
    }
    return document(json::object{{"matching", matching}, {"homes", std::move(listed)}});
}

ControlAnswer get_home(const std::string& name, const ControlState& state) {
    if (const Home* home = state.fleet.find(name)) {
        return document(to_json(*home));
    }
    if (name.find_first_of("*?[") != std::string::npos) {
        return get_homes(name, state);
    }
    return problem(404, {fmt::format("there is no home \"{}\"", name), ""});
}

/// Every parameter must be one that the request takes, and stand once: a misspelt one would
/// silently do something else.
core::Result<std::map<std::string, std::string>> parameters_of(
    const Request& request, const std::vector<std::string>& known) {
    std::map<std::string, std::string> parameters;
    for (Parameter& one : query_parameters(request.query)) {
        const auto [first, fresh] = parameters.emplace(one.name, one.value);
        if (!fresh) {
            return core::Problem{
                fmt::format("query parameter {} is there twice ({} and {}); it must stand once",
                            core::go_quote(one.name),
                            core::go_quote(first->second),
                            core::go_quote(one.value)),
                one.name};
        }
    }
    if (auto problem = core::unknown_parameter(parameters, known)) {
        return *std::move(problem);
    }
    return parameters;
}

/// Absent: the request has neither a query nor a body, which would not be looked at.
std::optional<ControlAnswer> refuse_additions(const Request& request) {
    if (const auto parameters = parameters_of(request, {}); !parameters) {
        return problem(400, parameters.error());
    }
    if (!request.body.empty()) {
        return problem(400,
                       {fmt::format("a body (of {} bytes) is there, and this request takes none",
                                    request.body.size()),
                        ""});
    }
    return std::nullopt;
}

core::Result<double> percent_of(const Request& request) {
    const auto parameters = parameters_of(request, {"percent"});
    if (!parameters) {
        return parameters.error();
    }
    double percent = 100;
    const auto found = parameters->find("percent");
    if (found == parameters->end()) {
        return percent;
    }
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (error != std::errc{} || end != text.data() + text.size() ||
        !(percent >= 0 && percent <= 100)) {
        return core::Problem{
            fmt::format("query parameter percent ({}) must be a number from 0 to 100",
                        core::go_quote(text)),
            "percent"};
    }
    return percent;
}

core::Result<bool> behaviours_of(const Request& request) {
    const auto parameters = parameters_of(request, {"behaviours"});
    if (!parameters) {
        return parameters.error();
    }
    const auto found = parameters->find("behaviours");
    if (found == parameters->end() || found->second == "false") {
        return false;
    }
    if (found->second != "true") {
        return core::Problem{fmt::format("query parameter behaviours ({}) must be true or false",
                                         core::go_quote(found->second)),
                             "behaviours"};
    }
    return true;
}

ControlAnswer post_homes(const std::string& pattern,
                         const Request& request,
                         const ControlState& state) {
    const core::Result<double> percent = percent_of(request);
    if (!percent) {
        return problem(400, percent.error());
    }
    const StrictJson body = parse_strictly(request.body);
    if (!body.value) {
        return problem(body.is_json ? 422 : 400,
                       {"the body: " + body.value.error().message, body.value.error().field});
    }
    const core::Result<Change> change = change_from_json(*body.value);
    if (!change) {
        return problem(422, change.error());
    }
    if (change->accept && !state.by_address) {
        return problem(
            422, {"accept needs --by-address: by path no connection tells its home", "accept"});
    }
    const std::size_t applied = state.fleet.apply({pattern, *percent}, *change, state.now);
    return applied == 0 && *percent > 0
               ? problem(404, {fmt::format("no home matches \"{}\"", pattern), ""})
               : document(json::object{{"applied", applied}});
}

ControlAnswer post_reset(const Request& request, const ControlState& state) {
    const core::Result<bool> behaviours = behaviours_of(request);
    if (!behaviours) {
        return problem(400, behaviours.error());
    }
    Request without_query = request;
    without_query.query = {};
    if (auto refusal = refuse_additions(without_query)) {
        return *std::move(refusal);
    }
    state.fleet.reset_counters();
    ServerCounters& counters = state.counters;
    counters.in_flight.forget_high();
    counters.open_connections.forget_high();
    counters.accepted = counters.malformed = counters.strangers = 0;
    if (*behaviours) {
        state.fleet.reset_behaviours(state.now);
    }
    return document(json::object{{"reset", true}});
}

ControlAnswer answer_homes(const Request& request, const ControlState& state) {
    const std::string_view rest = request.path.substr(std::string_view("/homes").size());
    const std::string name = percent_decoded(rest.empty() ? rest : rest.substr(1));
    if (request.method == "GET") {
        if (auto refusal = refuse_additions(request)) {
            return *std::move(refusal);
        }
        return name.empty() ? get_homes("*", state) : get_home(name, state);
    }
    if (request.method == "POST" && !name.empty()) {
        return post_homes(name, request, state);
    }
    return problem(405, {"GET or POST, and POST needs a home or a glob in the path", ""});
}

}  // namespace

std::string explain_control() {
    return "Control port (JSON over HTTP):\n"
           "\n"
           "  GET  /stats                     counters, in total and by kind\n"
           "  GET  /homes/NAME                one home: counters, gaps between attempts, "
           "behaviour\n"
           "  GET  /homes/GLOB, GET /homes    the homes that match (the first 1000)\n"
           "  POST /homes/NAME-OR-GLOB        set behaviour: {\"poll\":{...},\"probe\":{...}}\n"
           "  POST /homes/GLOB?percent=30     of 30 % of those that match\n"
           "  POST /reset                     counters to zero; ?behaviours=true: plain homes "
           "again\n"
           "  GET  /                          this text, and the behaviours\n";
}

ControlAnswer answer_control(const Request& request, ControlState state) {
    const bool plain = request.path == "/" || request.path == "/stats";
    if (plain && request.method == "GET") {
        if (auto refusal = refuse_additions(request)) {
            return *std::move(refusal);
        }
    }
    if (request.path == "/" && request.method == "GET") {
        return {200, explain_control() + "\n" + explain_behaviours(), true};
    }
    if (request.path == "/stats" && request.method == "GET") {
        return get_stats(state);
    }
    if (request.path == "/reset" && request.method == "POST") {
        return post_reset(request, state);
    }
    if (request.path == "/homes" || request.path.starts_with("/homes/")) {
        return answer_homes(request, state);
    }
    return problem(404, {"not a path of the control port; GET / lists them", ""});
}

}  // namespace ome::homesim
