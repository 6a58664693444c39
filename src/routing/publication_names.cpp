// What the publisher's objects are called (contract/publisher-cli.md 1.4, "Naming", and 1.8).
#include <ome/core/dns_name.hpp>
#include <ome/core/sha256.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/publication_plan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ome::routing {
namespace {

constexpr std::size_t longest_name = 63;
constexpr std::size_t short_hash = 8;
constexpr std::size_t backend_hash = 52;
constexpr std::string_view claim_prefix = "v1:httproute:";
constexpr std::size_t longest_claim = 512;

std::string shortened(const std::string& name) {
    if (name.size() <= longest_name) {
        return name;
    }
    std::string hash = core::sha256_hex(name).substr(0, short_hash);
    if (hash.front() >= '0' && hash.front() <= '9') {
        hash.front() = 'a';
    }
    return hash + "-" + name.substr(name.size() - (longest_name - short_hash - 1));
}

core::Problem bad_claim(const std::string& claim, std::string_view what) {
    return {fmt::format("target {} {}", core::go_quote(claim), what),
            "status.publisher.claimedTargets"};
}

}  // namespace

std::string bounded_name(std::string name) {
    name = shortened(name);
    if (name.empty() || name.front() < 'a' || name.front() > 'z') {
        name = shortened("a" + name);
    }
    return name;
}

ObjectKey route_key(const core::ServiceKey& source, std::string_view route_namespace) {
    const bool elsewhere = !route_namespace.empty() && route_namespace != source.ns;
    std::string base = source.name;
    if (elsewhere) {
        base += "-" + core::sha256_hex(source.ns + "/" + source.name).substr(0, short_hash);
    }
    return {ObjectKind::HttpRoute,
            elsewhere ? std::string(route_namespace) : source.ns,
            bounded_name(base + "-global")};
}

std::string backend_name(const core::ServiceKey& source, std::string_view cluster) {
    std::string identity = "gateway-api-trafficmap-backend/v2";
    for (const std::string_view part :
         {std::string_view(source.ns), std::string_view(source.name), cluster}) {
        identity += '\0';
        identity += part;
    }
    return "tmb-" + core::sha256_hex(identity).substr(0, backend_hash);
}

std::string claim_of(const ObjectKey& route) {
    return fmt::format("{}{}/{}", claim_prefix, route.ns, route.name);
}

core::Result<ObjectKey> route_of_claim(const std::string& claim) {
    if (!claim.starts_with(claim_prefix)) {
        return bad_claim(claim, "has an unsupported claim version or kind");
    }
    const std::string rest = claim.substr(claim_prefix.size());
    if (std::count(rest.begin(), rest.end(), '/') != 1) {
        return bad_claim(claim, "must contain exactly one namespace/name separator");
    }
    const std::size_t slash = rest.find('/');
    ObjectKey key{ObjectKind::HttpRoute, rest.substr(0, slash), rest.substr(slash + 1)};
    const bool canonical = claim.size() <= longest_claim && core::is_dns_label(key.ns) &&
                           core::is_dns_subdomain(key.name);
    if (!canonical) {
        return bad_claim(claim, "is not canonical");
    }
    return key;
}

core::Result<std::vector<ObjectKey>> routes_of_claims(const std::vector<std::string>& claims) {
    std::vector<std::string> sorted = claims;
    std::sort(sorted.begin(), sorted.end());
    std::vector<ObjectKey> routes;
    for (const std::string& claim : sorted) {
        auto route = route_of_claim(claim);
        if (!route) {
            return route.error();
        }
        if (!routes.empty() && routes.back() == *route) {
            return bad_claim(claim, "appears more than once");
        }
        routes.push_back(*std::move(route));
    }
    return routes;
}

}  // namespace ome::routing
