#include "elsewhere.hpp"

#include "members.hpp"
#include "names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace ome::kubectl {
namespace {

constexpr std::size_t most_named = 5;

}  // namespace

std::string elsewhere_hint(Session& session,
                           Cluster& cluster,
                           Kind kind,
                           const core::ServiceKey& key,
                           const ClusterError& error) {
    if (error.what != Failure::NotFound) {
        return {};
    }
    // One page: a hint is worth no more.
    const auto page = cluster.list({.kind = kind}, session.request_time());
    std::vector<std::string> namespaces;
    for (const json::value& object : page ? page->items : std::vector<json::value>()) {
        const std::string ns = text_at(object, {"metadata", "namespace"});
        if (text_at(object, {"metadata", "name"}) == key.name && ns != key.ns && is_label(ns)) {
            namespaces.push_back(ns);
        }
    }
    if (namespaces.empty()) {
        return {};
    }
    std::sort(namespaces.begin(), namespaces.end());
    const std::string first = namespaces.front();
    const bool more = namespaces.size() > most_named;
    namespaces.resize(std::min(namespaces.size(), most_named));
    return fmt::format("\nhint: there is {} {} of this name in {}{}: -n {}",
                       kind == Kind::InferenceService ? "an" : "a",
                       to_string(kind),
                       fmt::join(namespaces, ", "),
                       more ? ", ..." : "",
                       first);
}

}  // namespace ome::kubectl
