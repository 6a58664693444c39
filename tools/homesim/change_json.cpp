#include "change_json.hpp"

#include "behaviour_json.hpp"
#include "behaviour_names.hpp"
#include "json_fields.hpp"
#include "strict_json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ome::homesim {
namespace {

namespace json = boost::json;

Failure read_kind(const json::object& document, core::Kind kind, SharedBehaviour& out) {
    const json::value* value = document.if_contains(name_of(kind));
    if (value == nullptr) {
        return {};
    }
    core::Result<Behaviour> behaviour = behaviour_from_json(*value, kind);
    if (!behaviour) {
        return behaviour.error();
    }
    out = std::make_shared<const Behaviour>(std::move(*behaviour));
    return {};
}

Failure read_accept(const json::object& document, std::optional<Accept>& out) {
    const json::value* value = document.if_contains("accept");
    return value == nullptr ? std::nullopt : read(*value, "accept", accepts, out.emplace());
}

Failure read_change(const json::object& document, Change& change) {
    Failure failure = read_kind(document, core::Kind::Poll, change.poll);
    failure = failure ? failure : read_kind(document, core::Kind::Probe, change.probe);
    failure = failure ? failure : read_accept(document, change.accept);
    if (!failure && !change.poll && !change.probe && !change.accept) {
        return core::Problem{"neither poll, probe nor accept is there: nothing would change",
                             "poll"};
    }
    return failure;
}

Failure refuse_others(const json::object& document, const std::vector<std::string>& known) {
    for (const auto& member : document) {
        if (std::find(known.begin(), known.end(), member.key()) == known.end()) {
            const std::string field(member.key());
            return core::Problem{fmt::format("{} ({}) is not a member of a change{}",
                                             field,
                                             json::serialize(member.value()),
                                             did_you_mean(field, known)),
                                 field};
        }
    }
    return {};
}

Failure read_at(const json::object& document, core::Duration& at) {
    const json::value* value = document.if_contains("at");
    if (value == nullptr) {
        return {};
    }
    Failure failure = read(*value, "at", at);
    return !failure && at.count() < 0 ? broken("at", *value, "must not be negative") : failure;
}

Failure read_selection(const json::object& document, Selection& selection) {
    if (const json::value* homes = document.if_contains("homes")) {
        if (!homes->is_string() || homes->get_string().empty()) {
            return broken("homes", *homes, "must be a name or a glob");
        }
        selection.pattern = std::string(homes->get_string());
    }
    if (const json::value* percent = document.if_contains("percent")) {
        json::error_code ec;
        selection.percent = percent->to_number<double>(ec);
        if (ec || !(selection.percent >= 0 && selection.percent <= 100)) {
            return broken("percent", *percent, "must be a number from 0 to 100");
        }
    }
    return {};
}

Failure read_cue(const json::value& document, Cue& cue) {
    const json::object* object = document.if_object();
    if (object == nullptr) {
        return broken("the change", document, "must be an object");
    }
    Failure failure = refuse_others(*object, {"at", "homes", "percent", "poll", "probe", "accept"});
    failure = failure ? failure : read_at(*object, cue.at);
    failure = failure ? failure : read_selection(*object, cue.selection);
    return failure ? failure : read_change(*object, cue.change);
}

}  // namespace

core::Result<Change> change_from_json(const json::value& document) {
    const json::object* object = document.if_object();
    if (object == nullptr) {
        return core::Problem{"the body must be an object with poll, probe or accept", ""};
    }
    Change change;
    Failure failure = refuse_others(*object, {"poll", "probe", "accept"});
    failure = failure ? failure : read_change(*object, change);
    if (failure) {
        return *failure;
    }
    return change;
}

core::Result<std::vector<Cue>> script_from_text(std::string_view text) {
    const StrictJson document = parse_strictly(text);
    if (!document.value) {
        return document.value.error();
    }
    if (!document.value->is_array()) {
        return core::Problem{"the script must be a list of changes", ""};
    }
    std::vector<Cue> script;
    for (const json::value& one : document.value->get_array()) {
        const std::string place = fmt::format("[{}]", script.size());
        if (Failure failure = read_cue(one, script.emplace_back())) {
            return core::Problem{place + ": " + failure->message, place + "." + failure->field};
        }
    }
    std::stable_sort(
        script.begin(), script.end(), [](const Cue& a, const Cue& b) { return a.at < b.at; });
    return script;
}

}  // namespace ome::homesim
