#include "cluster_drain.hpp"

#include "members.hpp"
#include "names.hpp"
#include <ome/routing/drain_expiry.hpp>
#include <ome/wire/drain_document.hpp>

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

const json::value* published_of(const json::value& map) {
    const json::array* conditions = array_at(map, {"status", "conditions"});
    if (conditions == nullptr) {
        return nullptr;
    }
    const auto* found =
        std::find_if(conditions->begin(), conditions->end(), [](const json::value& condition) {
            return text_at(condition, {"type"}) == "Published";
        });
    return found != conditions->end() ? &*found : nullptr;
}

bool route_followed(const json::value& map) {
    return published_of(map) == nullptr || !has_route(map) ||
           integer_at(map, {"status", "observedTrafficMapGeneration"}).value_or(0) >=
               integer_at(map, {"metadata", "generation"}).value_or(0);
}

// But for its drains the entry would have a weight.
bool would_serve(const json::value& entry) {
    const json::value* reported = find(entry, {"capacity", "reported"});
    return array_at(entry, {"drainRefs"}) != nullptr &&
           integer_at(entry, {"capacity", "allocated"}).value_or(0) > 0 &&
           integer_at(entry, {"capacity", "ready"}).value_or(0) > 0 &&
           (reported == nullptr || integer_at(entry, {"capacity", "reported"}).value_or(0) > 0) &&
           !flag_at(entry, {"probe", "gated"});
}

std::optional<std::string> annotation_of(const json::value& service, std::string_view name) {
    const json::value* value = find(service, {"metadata", "annotations", name});
    return value != nullptr && value->is_string() ? std::optional(std::string(value->get_string()))
                                                  : std::nullopt;
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
        Affected one{.key = key_of(map),
                     .weight = weight_of(*entry),
                     .held = is_held(*entry, id),
                     .held_back = weight_of(*entry) == 0 && would_serve(*entry)};
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

bool drains_lapse(const json::value& service, std::string_view cluster) {
    const auto drains = routing::parse_drains(annotation_of(service, routing::drain_annotation));
    const auto expiries =
        wire::read_drain_expiries(annotation_of(service, routing::drain_expiry_annotation));
    if (!drains || !expiries) {
        return false;
    }
    bool any = false;
    for (const routing::Drain& drain : *drains) {
        if (drain.cluster != cluster) {
            continue;
        }
        any = true;
        if (std::none_of(expiries->begin(), expiries->end(), [&drain](const auto& one) {
                return one.drain == drain;
            })) {
            return false;
        }
    }
    return any;
}

bool has_route(const json::value& map) {
    const json::value* published = published_of(map);
    const bool withdrawn = published != nullptr && text_at(*published, {"status"}) == "False" &&
                           text_at(*published, {"reason"}) == "Withdrawn";
    return !withdrawn || find(map, {"status", "gatewayRef"}) != nullptr;
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

std::vector<std::string> drained_clusters_of(const std::vector<json::value>& services) {
    std::set<std::string> clusters;
    for (const json::value& service : services) {
        const auto drains =
            routing::parse_drains(annotation_of(service, routing::drain_annotation));
        for (const routing::Drain& drain : drains ? *drains : std::vector<routing::Drain>()) {
            clusters.insert(drain.cluster);
        }
    }
    return {clusters.begin(), clusters.end()};
}

std::vector<core::ServiceKey> held_by(const std::vector<json::value>& services,
                                      std::string_view cluster,
                                      std::string_view id) {
    std::vector<core::ServiceKey> keys;
    for (const json::value& service : services) {
        const auto drains =
            routing::parse_drains(annotation_of(service, routing::drain_annotation));
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
