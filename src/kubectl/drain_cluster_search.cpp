#include "cluster_drain.hpp"
#include "drain_cluster.hpp"
#include <ome/core/text.hpp>
#include <ome/core/usage.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ome::kubectl {
namespace {

constexpr std::size_t longest_list = 4096;

std::string unknown_cluster(const ClusterDrain& run,
                            std::string_view what,
                            const std::vector<std::string>& known) {
    const auto near = core::nearest_word(run.name, known);
    return core::sanitize_detail(
        fmt::format("{} {}; known clusters: {}{}",
                    what,
                    run.name,
                    known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                    near ? fmt::format("; did you mean {}?", *near) : std::string()),
        longest_list);
}

// Nothing to take off is done already; of a cluster that nobody knows it is a slip of the pen.
std::optional<std::string> misspelt_cluster(const ClusterDrain& run,
                                            const std::vector<json::value>& services) {
    const auto maps =
        list_all(run.cluster, {.kind = Kind::TrafficMap, .ns = run.ns}, run.session.request_time());
    if (!maps) {
        return std::nullopt;
    }
    std::vector<std::string> known = clusters_of(maps->items);
    for (std::string& drained : drained_clusters_of(services)) {
        known.push_back(std::move(drained));
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    const bool there = std::binary_search(known.begin(), known.end(), run.name);
    return there ? std::nullopt
                 : std::optional(unknown_cluster(
                       run, "no map has a home, and no service a drain, on", known));
}

// Held at 0 now, and the last one when its drain ends: a second drain that does not would take the
// service away.
bool returns_by_itself(const ClusterDrain& run, const core::ServiceKey& key) {
    const auto service = run.cluster.get(Kind::InferenceService, key, run.session.request_time());
    return service && drains_lapse(*service, run.name);
}

/// Says what becomes of each, and takes those that a drain is to be put on.
class Selection {
public:
    explicit Selection(const ClusterDrain& run) : run_(run) {}

    void take(Affected one) {
        one.returns = one.held_back && one.other_serving == 0 && returns_by_itself(run_, one.key);
        if (one.held) {
            ++held_;
            say(fmt::format("{}: drained already\n", name_of(one.key)));
        } else if (one.last_serving() && run_.skip_last) {
            say(fmt::format(
                "{}: skipped, {} is its last serving home\n", name_of(one.key), run_.name));
        } else {
            found_.keys.push_back(one.key);
            if (one.last_serving()) {
                run_.session.warn(fmt::format(
                    "{} is the last serving home of {}: nobody will answer its requests",
                    run_.name,
                    name_of(one.key)));
                ++found_.last_ones;
            }
        }
    }

    ServicesToDrain take_all() {
        if (held_ > 0 && run_.lapses()) {
            run_.session.warn(
                fmt::format("{} drained as {} already and {} own end: --for changes nothing there",
                            core::counted(held_, "service is", "services are"),
                            run_.request.id,
                            held_ == 1 ? "keeps its" : "keep their"));
        }
        return std::move(found_);
    }

private:
    void say(std::string_view text) { run_.session.terminal().err(text); }

    const ClusterDrain& run_;
    ServicesToDrain found_;
    std::size_t held_ = 0;
};

}  // namespace

std::string name_of(const core::ServiceKey& key) {
    return key.ns + "/" + key.name;
}

core::Result<ServicesToDrain> services_to_drain(const ClusterDrain& run) {
    const Kind kind = run.drains() ? Kind::TrafficMap : Kind::InferenceService;
    const auto objects =
        list_all(run.cluster, {.kind = kind, .ns = run.ns}, run.session.request_time());
    if (!objects) {
        return core::Problem{
            fmt::format("list {}s: {}", to_string(kind), words_in_full(objects.error()))};
    }
    for (const std::string& problem : objects->left_out) {
        run.session.warn(problem);
    }
    if (!run.drains()) {
        ServicesToDrain held{held_by(objects->items, run.name, run.request.id)};
        const auto problem =
            held.keys.empty() ? misspelt_cluster(run, objects->items) : std::nullopt;
        if (problem) {
            return core::Problem{*problem};
        }
        return held;
    }
    auto affected = affected_by(objects->items, run.name, run.request.id);
    if (affected.empty()) {
        return core::Problem{
            unknown_cluster(run, "no map has a home on", clusters_of(objects->items))};
    }
    Selection selection(run);
    for (Affected& one : affected) {
        selection.take(std::move(one));
    }
    return selection.take_all();
}

}  // namespace ome::kubectl
