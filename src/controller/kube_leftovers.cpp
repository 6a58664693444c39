#include "kube_leftovers.hpp"

#include "kube_publication_documents.hpp"
#include <ome/routing/publication_plan.hpp>
#include <ome/routing/published_object.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

namespace ome::controller {
namespace {

using routing::ObjectKind;

std::string selector_of(const core::ServiceKey& source) {
    std::string all;
    for (const auto& [name, value] : routing::source_labels(source)) {
        all += fmt::format("{}{}={}", all.empty() ? "" : ",", name, value);
    }
    return all;
}

// The first of a list, which was asked for one; empty: it has none.
std::string first_of(const boost::json::value& list) {
    boost::system::error_code none;
    const auto* name = list.find_pointer("/items/0/metadata/name", none);
    return name != nullptr && name->is_string() ? std::string(name->get_string()) : std::string();
}

}  // namespace

net::Awaitable<std::optional<core::Problem>> leftovers(KubeSender& sender,
                                                       core::ServiceKey source,
                                                       std::vector<std::string> claims) {
    const auto routes = routing::routes_of_claims(claims);
    if (!routes) {
        co_return routes.error();
    }
    std::set<std::string> namespaces;
    for (const routing::ObjectKey& route : *routes) {
        namespaces.insert(route.ns);
    }
    const std::string query = "?limit=1&labelSelector=" + kube::url_escaped(selector_of(source));
    for (const std::string& ns : namespaces) {
        for (const ObjectKind kind : {ObjectKind::HttpRoute,
                                      ObjectKind::EndpointSlice,
                                      ObjectKind::BackendTlsPolicy,
                                      ObjectKind::Service}) {
            std::string path = collection_path(resource_of(kind), ns) + query;
            const auto list = co_await sender.get(std::move(path));
            const bool unseen = !list && list.error().forbidden();
            if (!list &&
                (list.error().not_found() || (unseen && kind == ObjectKind::BackendTlsPolicy))) {
                continue;
            }
            if (!list) {
                co_return core::Problem{list.error().message};
            }
            if (const std::string name = first_of(*list); !name.empty()) {
                co_return core::Problem{
                    fmt::format("{} {}/{} is still there", routing::spoken(kind), ns, name)};
            }
        }
    }
    co_return std::nullopt;
}

}  // namespace ome::controller
