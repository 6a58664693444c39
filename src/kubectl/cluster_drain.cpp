#include "cluster_drain.hpp"

#include "members.hpp"
#include "names.hpp"
#include <ome/routing/drains.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <set>

namespace ome::kubectl {
namespace {

core::ServiceKey key_of(const json::value& object) {
    return {text_at(object, {"metadata", "namespace"}), text_at(object, {"metadata", "name"})};
}

const json::array& entries_of(const json::value& map) {
    static const json::array none;
    const json::array* entries = array_at(map, {"spec", "entries"});
    return entries != nullptr ? *entries : none;
}

std::int64_t weight_of(const json::value& entry) {
    return integer_at(entry, {"weight"}).value_or(0);
}

bool is_held(const json::value& entry, std::string_view id) {
    const json::array* refs = array_at(entry, {"drainRefs"});
    return refs != nullptr && std::any_of(refs->begin(), refs->end(), [id](const auto& ref) {
               return ref.is_string() && std::string_view(ref.get_string()) == id;
           });
}

const json::value* entry_of(const json::value& map, std::string_view cluster) {
    for (const json::value& entry : entries_of(map)) {
        if (text_at(entry, {"cluster"}) == cluster) {
            return &entry;
        }
    }
    return nullptr;
}

bool route_followed(const json::value& map) {
    const json::array* conditions = array_at(map, {"status", "conditions"});
    const bool published =
        conditions != nullptr &&
        std::any_of(conditions->begin(), conditions->end(), [](const json::value& condition) {
            return text_at(condition, {"type"}) == "Published";
        });
    return !published || integer_at(map, {"status", "observedTrafficMapGeneration"}).value_or(0) >=
                             integer_at(map, {"metadata", "generation"}).value_or(0);
}

}  // namespace

std::vector<Affected> affected_by(const std::vector<json::value>& maps,
                                  std::string_view cluster,
                                  std::string_view id) {
    std::vector<Affected> affected;
    for (const json::value& map : maps) {
        const json::value* entry = entry_of(map, cluster);
        if (entry == nullptr) {
            continue;
        }
        Affected one{.key = key_of(map), .weight = weight_of(*entry), .held = is_held(*entry, id)};
        for (const json::value& other : entries_of(map)) {
            one.other_serving += &other != entry && weight_of(other) > 0 ? 1U : 0U;
        }
        affected.push_back(std::move(one));
    }
    std::sort(affected.begin(), affected.end(), [](const auto& a, const auto& b) {
        return a.key < b.key;
    });
    return affected;
}

std::vector<std::string> clusters_of(const std::vector<json::value>& maps) {
    std::set<std::string> clusters;
    for (const json::value& map : maps) {
        for (const json::value& entry : entries_of(map)) {
            clusters.insert(text_at(entry, {"cluster"}));
        }
    }
    return {clusters.begin(), clusters.end()};
}

std::vector<core::ServiceKey> held_by(const std::vector<json::value>& services,
                                      std::string_view cluster,
                                      std::string_view id) {
    std::vector<core::ServiceKey> keys;
    for (const json::value& service : services) {
        const json::value* annotation =
            find(service, {"metadata", "annotations", routing::drain_annotation});
        if (annotation == nullptr || !annotation->is_string()) {
            continue;
        }
        const auto drains = routing::parse_drains(std::string(annotation->get_string()));
        if (drains && std::any_of(drains->begin(), drains->end(), [&](const auto& drain) {
                return drain.id == id && drain.cluster == cluster;
            })) {
            keys.push_back(key_of(service));
        }
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

std::string id_for_cluster(std::string_view cluster) {
    constexpr std::size_t longest = 63;
    std::string id = "cluster-" + std::string(cluster);
    std::replace(id.begin(), id.end(), '.', '-');
    id.resize(std::min(id.size(), longest));
    while (id.ends_with('-')) {
        id.pop_back();
    }
    return id;
}

Followed followed(const json::value& map,
                  std::string_view cluster,
                  std::string_view id,
                  bool drained) {
    const json::value* entry = entry_of(map, cluster);
    const bool held = entry != nullptr && is_held(*entry, id);
    const bool done = drained ? entry == nullptr || (held && weight_of(*entry) == 0) : !held;
    if (!done) {
        return Followed::No;
    }
    return route_followed(map) ? Followed::Route : Followed::Map;
}

}  // namespace ome::kubectl
