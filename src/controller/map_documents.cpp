#include "map_documents.hpp"

#include <ome/core/endpoint.hpp>
#include <ome/core/timestamp.hpp>

#include <boost/json/array.hpp>

#include <utility>

namespace ome::controller {
namespace {

namespace json = boost::json;

json::array homes_document(const std::vector<routing::HomeExplanation>& homes) {
    json::array all;
    for (const routing::HomeExplanation& home : homes) {
        json::array steps;
        for (const routing::Step& step : home.steps) {
            steps.push_back({{"what", step.what}, {"text", step.text}, {"value", step.value}});
        }
        all.push_back({{"cluster", home.cluster},
                       {"weight", home.weight},
                       {"share", home.share},
                       {"text", home.text},
                       {"steps", std::move(steps)}});
    }
    return all;
}

}  // namespace

json::object maps_document(const Reconciler& reconciler) {
    json::array maps;
    for (const auto& map : reconciler.maps()) {
        json::array entries;
        for (const routing::Entry& entry : map->spec.entries) {
            entries.push_back(json::object{{"cluster", entry.cluster},
                                           {"endpoint", core::mask_userinfo(entry.endpoint)},
                                           {"weight", entry.weight},
                                           {"drained", !entry.drain_refs.empty()},
                                           {"gated", entry.probe && entry.probe->gated}});
        }
        maps.push_back(json::object{{"namespace", map->meta.key.ns},
                                    {"name", map->meta.key.name},
                                    {"entries", std::move(entries)}});
    }
    return {{"maps", std::move(maps)}};
}

json::object explanation_document(const routing::Explanation& explanation) {
    json::object document{{"routable", explanation.routable},
                          {"homes", homes_document(explanation.homes)}};
    if (!explanation.frozen.empty()) {
        document["frozen"] = explanation.frozen;
    }
    if (!explanation.shadow.empty()) {
        document["shadow"] = homes_document(explanation.shadow);
    }
    if (const auto& held = explanation.last_good) {
        document["lastGood"] =
            json::object{{"since", core::format_timestamp({held->since.seconds, 0})},
                         {"at", held->place},
                         {"field", held->problem.field},
                         {"problem", held->problem.message}};
    }
    json::array notes;
    for (const std::string& note : explanation.notes) {
        notes.emplace_back(note);
    }
    document["notes"] = std::move(notes);
    return document;
}

}  // namespace ome::controller
