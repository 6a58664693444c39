#include "model/map_checker.hpp"

#include "model/stamp.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>

namespace ome::model {
namespace {

namespace json = boost::json;
using Facts = std::vector<const ServiceFacts*>;
using Big = boost::multiprecision::cpp_int;

const json::object& object_at(const json::object& in, std::string_view name) {
    static const json::object none;
    const json::value* value = in.if_contains(name);
    return value != nullptr && value->is_object() ? value->get_object() : none;
}

const json::array& array_at(const json::object& in, std::string_view name) {
    static const json::array none;
    const json::value* value = in.if_contains(name);
    return value != nullptr && value->is_array() ? value->get_array() : none;
}

std::string text_at(const json::object& in, std::string_view name) {
    const json::value* value = in.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

std::int64_t number_at(const json::object& in, std::string_view name) {
    const json::value* value = in.if_contains(name);
    return value != nullptr && value->is_number() ? value->to_number<std::int64_t>() : 0;
}

bool flag_at(const json::object& in, std::string_view name) {
    const json::value* value = in.if_contains(name);
    return value != nullptr && value->is_bool() && value->get_bool();
}

const json::object& entry_of(const json::object& map, std::string_view cluster) {
    static const json::object none;
    for (const json::value& entry : array_at(object_at(map, "spec"), "entries")) {
        if (text_at(entry.get_object(), "cluster") == cluster) {
            return entry.get_object();
        }
    }
    return none;
}

/// True when `of` holds for at least one of the facts.
template <typename Predicate>
bool any(const Facts& facts, Predicate of) {
    return std::any_of(facts.begin(), facts.end(), [&](const auto* one) { return of(*one); });
}

template <typename Predicate>
bool all(const Facts& facts, Predicate of) {
    return std::all_of(facts.begin(), facts.end(), [&](const auto* one) { return of(*one); });
}

const HomeFacts* home_in(const ServiceFacts& facts, const std::string& cluster) {
    const auto found = facts.homes.find(cluster);
    return found == facts.homes.end() ? nullptr : &found->second;
}

bool drains(const ServiceFacts& facts, const std::string& cluster) {
    return std::any_of(facts.drains.begin(), facts.drains.end(), [&](const auto& drain) {
        return drain.second == cluster;
    });
}

}  // namespace

/// A home in one version, beside what is known of it.
struct MapChecker::Step {
    Millis at = 0;
    const std::string& key;
    std::string cluster;
    const json::object& entry;
    const json::object& before;  ///< the entry of the version before; empty when there is none
    Facts now;                   ///< what the version may rest on
    Facts since;                 ///< what may have held since the version before
    GateMemory* gate = nullptr;
};

void MapChecker::violation(const Step& step, std::string_view promise, const std::string& text) {
    violations_.push_back(std::to_string(step.at) + " " + step.key + " " + step.cluster +
                          ": promise " + std::string(promise) + ": " + text + "; was " +
                          json::serialize(step.before) + ", is " + json::serialize(step.entry));
}

void MapChecker::version(Millis at, const std::string& key, const json::object& map) {
    ++versions_;
    Before& before = before_[key];
    static const json::object nothing;
    const Millis since = before.map.empty() ? at : before.at;
    Step step{.at = at,
              .key = key,
              .cluster = "",
              .entry = nothing,
              .before = nothing,
              .now = world_.between(key, at - world_.lag_at(at), at),
              .since = world_.between(key, since - world_.lag_at(at), at)};
    const bool changed = object_at(before.map, "spec") != object_at(map, "spec");
    if (world_.is_foreign(key) && !before.map.empty() && before.map != map) {
        violation(step, "8", "a map of somebody else was changed");
    }
    if (changed && !world_.is_foreign(key) &&
        !any(step.now, [](const ServiceFacts& facts) { return facts.valid && facts.routed; })) {
        violation(step, "11", "bad input changed the map");
    }
    const json::array& entries = array_at(object_at(map, "spec"), "entries");
    for (const json::value& value : world_.is_foreign(key) ? json::array() : entries) {
        const std::string cluster = text_at(value.get_object(), "cluster");
        Step one{.at = at,
                 .key = key,
                 .cluster = cluster,
                 .entry = value.get_object(),
                 .before = entry_of(before.map, cluster),
                 .now = step.now,
                 .since = step.since,
                 .gate = &before.gates[cluster]};
        check_entry(one);
    }
    if (!world_.is_foreign(key)) {
        check_weights(step, entries);
    }
    before.at = at;
    before.map = map;
}

void MapChecker::check_entry(Step& step) {
    check_facts(step);
    check_allocated(step);
    check_reported(step);
    check_gate(step);
    check_drain(step);
    check_healthy(step);
    remember_gate(step, *step.gate);
}

void MapChecker::deleted(Millis at, const std::string& key) {
    static const json::object nothing;
    const Facts now = world_.between(key, at - world_.lag_at(at), at);
    if (world_.is_foreign(key) ||
        all(now, [](const ServiceFacts& facts) { return facts.routed; })) {
        const Step step{at, key, "", nothing, nothing, {}, {}};
        violation(step, "8", "a map was deleted that is wanted, or somebody else's");
    }
    before_.erase(key);
}

// Promise 2, and that the plan itself is what placement said.
void MapChecker::check_allocated(const Step& step) {
    const json::object& capacity = object_at(step.entry, "capacity");
    const std::int64_t allocated = number_at(capacity, "allocated");
    const bool lowered = text_at(capacity, "source") == "Endpoint";
    const bool planned = any(step.now, [&](const ServiceFacts& facts) {
        const HomeFacts* home = home_in(facts, step.cluster);
        return home != nullptr &&
               (lowered ? allocated < home->admitted : allocated == home->admitted);
    });
    if (!planned) {
        violation(step, "2", "allocated is not what placement admitted, nor below it");
    }
    if (lowered &&
        (!capacity.contains("reported") || number_at(capacity, "reported") != allocated)) {
        violation(step, "1", "allocated was lowered without a ceiling");
    }
}

// Promise 1 and 6: a ceiling rests on reports that the home has given, and that are not old.
void MapChecker::check_reported(const Step& step) {
    const json::object& capacity = object_at(step.entry, "capacity");
    if (!capacity.contains("reported")) {
        return;
    }
    const std::int64_t reported = number_at(capacity, "reported");
    if (world_.silent_throughout(step.at - 5000 - world_.lag_at(step.at), step.at)) {
        violation(step, "6", "there is a ceiling, and the observer was not heard");
    }
    const json::object& before = object_at(step.before, "capacity");
    if (world_.restarted_just_before(step.at) && before.contains("reported") &&
        number_at(before, "reported") == reported) {
        return;
    }
    const bool founded = any(step.now, [&](const ServiceFacts& facts) {
        if (!facts.capacity) {
            return false;
        }
        const Millis oldest = step.at - facts.capacity->max_age - world_.lag_at(step.at);
        std::int64_t as_low = 0;
        bool said = false;
        for (const Answer& answer : world_.answers(step.key, step.cluster)) {
            if (answer.kind == AnswerKind::Report && answer.at >= oldest && answer.at <= step.at) {
                as_low += answer.servable <= reported ? 1 : 0;
                said = said || answer.servable == reported;
            }
        }
        return said && as_low >= facts.capacity->quorum;
    });
    if (!founded) {
        violation(step, "1", "the ceiling is not that of a quorum of fresh reports");
    }
}

namespace {

/// Whether one of the events that end a history happened to the home in this span.
bool history_ended(const Facts& facts, const std::string& cluster) {
    std::string identity;
    for (const ServiceFacts* one : facts) {
        const HomeFacts* home = home_in(*one, cluster);
        if (!one->valid) {
            continue;  // kept, idle
        }
        if (!one->routed || home == nullptr || !one->probe) {
            return true;
        }
        const std::string now = one->uid + " " + home->endpoint + " " + one->probe->settings;
        if (!identity.empty() && identity != now) {
            return true;
        }
        identity = now;
    }
    return false;
}

std::int64_t least_threshold(const Facts& facts, std::int64_t ServiceFacts::Probe::*which) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const ServiceFacts* one : facts) {
        if (one->probe) {
            least = std::min(least, *one->probe.*which);
        }
    }
    return least;
}

std::int64_t count(const std::vector<Answer>& answers, AnswerKind kind, Millis from, Millis until) {
    return std::count_if(answers.begin(), answers.end(), [&](const Answer& answer) {
        return answer.kind == kind && answer.at >= from && answer.at <= until;
    });
}

// When the last of so many failures was answered, counted from an instant on.
std::optional<Millis> nth_failure(const std::vector<Answer>& answers,
                                  std::int64_t most,
                                  Millis from) {
    for (const Answer& answer : answers) {
        if (answer.kind == AnswerKind::Failing && answer.at >= from && --most == 0) {
            return answer.at;
        }
    }
    return std::nullopt;
}

}  // namespace

// Promises 3 and 4: a gate closes after enough failures, and opens after enough passes or when the
// history ends.
void MapChecker::check_gate(const Step& step) {
    const json::object& probe = object_at(step.entry, "probe");
    const bool is = flag_at(probe, "gated");
    const bool was = flag_at(object_at(step.before, "probe"), "gated");
    const auto& answers = world_.answers(step.key, step.cluster);
    const bool ended = history_ended(step.since, step.cluster);
    if (is && !was) {
        const std::int64_t failures =
            count(answers, AnswerKind::Failing, step.gate->open_and_passing_at, step.at);
        if (failures < least_threshold(step.since, &ServiceFacts::Probe::failure_threshold)) {
            violation(step, "3", "gated after " + std::to_string(failures) + " failures");
        }
    }
    if (was && !is && !ended) {
        const std::int64_t passes =
            count(answers, AnswerKind::Passing, step.gate->gated_at, step.at);
        if (probe.empty() ||
            passes < least_threshold(step.since, &ServiceFacts::Probe::success_threshold)) {
            violation(step, "4", "the gate opened after " + std::to_string(passes) + " passes");
        }
    }
    if (!object_at(step.before, "probe").empty() && probe.empty() && !ended) {
        violation(step, "4", "what was known of the probe is gone");
    }
}

void MapChecker::remember_gate(const Step& step, GateMemory& memory) {
    const json::object& probe = object_at(step.entry, "probe");
    const bool gated = flag_at(probe, "gated");
    // Stamps are whole seconds; the attempt that a stamp tells of may have been answered before.
    const Millis stamp = parse_stamp(text_at(probe, "lastProbeTime")).value_or(step.at);
    if (!gated && text_at(probe, "result") == "Passing") {
        memory.open_and_passing_at = stamp - 1000;
    }
    if (gated && !flag_at(object_at(step.before, "probe"), "gated")) {
        // While nobody heard the observer the gate may have closed, and a pass been counted, before
        // the attempt that the first version tells of.
        const auto closed =
            nth_failure(world_.answers(step.key, step.cluster),
                        least_threshold(step.since, &ServiceFacts::Probe::failure_threshold),
                        memory.open_and_passing_at);
        memory.gated_at = std::min(stamp - 1000, closed.value_or(stamp - 1000));
    }
}

// Promise 5.
void MapChecker::check_drain(const Step& step) {
    const bool held = !array_at(step.entry, "drainRefs").empty();
    if (held && number_at(step.entry, "weight") != 0) {
        violation(step, "5", "a drained home has a weight");
    }
    if (held &&
        !any(step.now, [&](const ServiceFacts& facts) { return drains(facts, step.cluster); })) {
        violation(step, "5", "nobody drains this home");
    }
    if (!array_at(step.before, "drainRefs").empty() && !held &&
        all(step.since, [&](const ServiceFacts& facts) {
            return !facts.valid || (facts.routed && drains(facts, step.cluster));
        })) {
        violation(step, "5", "a drain that had reached the map was lost");
    }
}

// Ready and factor are what placement and owner said, whoever is watching.
void MapChecker::check_facts(const Step& step) {
    if (step.entry == step.before) {
        return;  // a frozen map keeps what was said before
    }
    const json::object& capacity = object_at(step.entry, "capacity");
    const std::string factor = text_at(capacity, "factor");
    const bool said = any(step.now, [&](const ServiceFacts& facts) {
        const HomeFacts* home = home_in(facts, step.cluster);
        return home != nullptr && home->ready == number_at(capacity, "ready") &&
               home->endpoint == text_at(step.entry, "endpoint") &&
               home->factor == (factor.empty() ? 1 : std::stoll(factor));
    });
    if (!said) {
        violation(step, "2", "endpoint, ready replicas and factor never were so together");
    }
}

void MapChecker::check_healthy(const Step& step) {
    const bool ready = number_at(object_at(step.entry, "capacity"), "ready") > 0;
    const bool gated = flag_at(object_at(step.entry, "probe"), "gated");
    if (flag_at(step.entry, "healthy") != (ready && !gated)) {
        violation(step, "3", "healthy is neither ready and open, nor the contrary");
    }
}

namespace {

struct Share {
    std::string cluster;
    std::int64_t weight;
    Big routable;  ///< replicas times factor, gates left aside
    bool gated;
    bool drained;
};

Big routable(const json::object& entry) {
    const json::object& capacity = object_at(entry, "capacity");
    const std::int64_t least =
        std::min(number_at(capacity, "ready"), number_at(capacity, "allocated"));
    const std::string factor = text_at(capacity, "factor");
    return Big(std::max<std::int64_t>(least, 0)) * (factor.empty() ? 1 : std::stoll(factor));
}

}  // namespace

// Shares: weights are in the ratio of what the homes can carry; a gated home has none unless all
// are gated.
void MapChecker::check_weights(Step& step, const json::array& entries) {
    std::vector<Share> shares;
    for (const json::value& value : entries) {
        const json::object& entry = value.get_object();
        const std::string cluster = text_at(entry, "cluster");
        shares.push_back({cluster,
                          number_at(entry, "weight"),
                          routable(entry),
                          flag_at(object_at(entry, "probe"), "gated"),
                          !array_at(entry, "drainRefs").empty()});
    }
    const bool all_gated =
        std::all_of(shares.begin(), shares.end(), [](const Share& s) { return s.gated; });
    const Share* first = nullptr;
    for (const Share& share : shares) {
        step.cluster = share.cluster;
        if (share.weight > 0 && (share.routable == 0 || (share.gated && !all_gated))) {
            violation(step, "3", "a home that is gated or has nothing to serve has a weight");
        }
        if (share.weight == 0 || share.drained) {
            continue;
        }
        if (first != nullptr &&
            Big(first->weight) * share.routable != Big(share.weight) * first->routable) {
            violation(step, "2", "weights are not in the ratio of what the homes can carry");
        }
        first = first == nullptr ? &share : first;
    }
    step.cluster.clear();
}

}  // namespace ome::model
