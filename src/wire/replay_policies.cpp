#include "declaration_reader.hpp"
#include <ome/wire/replay_document.hpp>

#include <boost/json.hpp>

#include <limits>
#include <utility>

namespace ome::wire {
namespace {

// Nothing is sent, so there is nothing to limit.
constexpr core::ObserverLimits no_limits{
    1, 1, 1, core::Duration(1), std::numeric_limits<std::int32_t>::max()};

// A replay answers what would have happened; with a mistyped member it would answer for others.
core::Problem unknown_member(core::Problem problem) {
    constexpr std::string_view ignored = " and is ignored";
    if (const auto at = problem.message.find(ignored); at != problem.message.npos) {
        problem.message.erase(at, ignored.size());
    }
    return problem;
}

// A file without policies is of another subject, unless one of them is just mistyped.
bool is_a_slip(const core::Problem& warning) {
    return warning.message.find("did you mean") != warning.message.npos;
}

core::Result<ReplayPolicies> policies_of(const json::object& file) {
    json::object declaration{{"homes", json::array()}};
    for (const char* block : {"capacity", "probe"}) {
        if (const json::value* value = file.if_contains(block)) {
            declaration.emplace(block, *value);
        }
    }
    DeclarationReading reading =
        read_declaration_value(declaration, {no_limits, Naming::Defaults, {}});
    if (!reading.notes.errors.empty()) {
        return reading.notes.errors.front();
    }
    Members members(file, "", reading.notes);
    for (const char* known :  // a whole declaration will do
         {"capacity", "probe", "homes", "namespace", "name", "ownerUID", "suspended"}) {
        members.ignore(known);
    }
    members.report_unknown();
    const bool none = !reading.declaration.capacity && !reading.declaration.probe;
    if (!reading.notes.warnings.empty() && (!none || is_a_slip(reading.notes.warnings.front()))) {
        return unknown_member(reading.notes.warnings.front());
    }
    return ReplayPolicies{std::move(reading.declaration.capacity),
                          std::move(reading.declaration.probe)};
}

}  // namespace

core::Result<ReplayPolicies> read_replay_policies(std::string_view text) {
    const core::Result<Source> source = parse_json_source(text, Locate::No);
    if (!source) {
        return core::Problem{"not JSON: " + source.error().message};
    }
    if (!source->duplicates.empty()) {
        return source->duplicates.front();
    }
    const json::object* file = source->value.if_object();
    if (file == nullptr) {
        return core::Problem{"policies must be an object with capacity and probe"};
    }
    return policies_of(*file);
}

}  // namespace ome::wire
