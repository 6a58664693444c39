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

/// What a recording adds to a declaration.
struct Additions {
    std::optional<std::string> capacity_digest;
    std::optional<std::string> probe_digest;
    std::vector<std::string> moved;
};

Additions read_additions(const json::object& declared, Notes& notes) {
    Additions found;
    Members members(declared, "", notes);
    found.moved = members.list_of_texts("moved");
    if (std::optional<Members> digests = members.members("digests")) {
        found.capacity_digest = digests->text("capacity");
        found.probe_digest = digests->text("probe");
        digests->report_unknown();
    }
    return found;
}

template <typename Policy>
void set_digest(std::optional<Policy>& policy, std::optional<std::string> digest) {
    if (policy && digest) {
        policy->digest = std::move(*digest);
    }
}

core::Result<ReplayDeclaration> declaration_of(const json::object& declared) {
    Notes notes;
    Additions additions = read_additions(declared, notes);
    json::object plain = declared;
    plain.erase("moved");
    plain.erase("digests");
    DeclarationReading reading = read_declaration_value(plain, {no_limits, Naming::Defaults, {}});
    for (const Notes* part : {&notes, &reading.notes}) {
        if (!part->errors.empty()) {
            return part->errors.front();
        }
    }
    set_digest(reading.declaration.capacity, std::move(additions.capacity_digest));
    set_digest(reading.declaration.probe, std::move(additions.probe_digest));
    return ReplayDeclaration{std::move(reading.declaration), std::move(additions.moved)};
}

}  // namespace

core::Result<ReplayDeclaration> read_replay_declaration(std::string_view text) {
    const core::Result<Source> source = parse_json_source(text, Locate::No);
    if (!source) {
        return core::Problem{"not JSON: " + source.error().message};
    }
    if (!source->duplicates.empty()) {
        return source->duplicates.front();
    }
    const json::object* declared = source->value.if_object();
    if (declared == nullptr) {
        return core::Problem{"must be an object with homes, capacity and probe"};
    }
    return declaration_of(*declared);
}

}  // namespace ome::wire
