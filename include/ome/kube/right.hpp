// What a request to a Kubernetes API server takes by the rules of RBAC, so that a refusal can say
// which right is missing. Pure.
#pragma once

#include <ome/kube/failure.hpp>

#include <boost/json/value.hpp>

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace ome::kube {

/// As a rule of a role grants it.
struct Right {
    std::string verb;      ///< `list`
    std::string group;     ///< empty: the core group
    std::string resource;  ///< `trafficmaps`, `trafficmaps/status`
    std::string ns;        ///< empty: all namespaces, or a type without

    friend auto operator<=>(const Right&, const Right&) = default;
    friend bool operator==(const Right&, const Right&) = default;
};

/// `trafficmaps/status.ome.io`, or `events`.
[[nodiscard]] std::string resource_of(const Right& right);

/// What this request takes; absent: it is about no object. `target`: path and query.
[[nodiscard]] std::optional<Right> right_of(std::string_view method, std::string_view target);

/// Whether the authorizer refused it: a role mends that. Other things are forbidden as well (by
/// quotas, policies, a namespace that goes).
[[nodiscard]] bool lacks_right(const Failure& failure);

/// Asks the server whether we have the right (a SelfSubjectAccessReview, which everybody may make):
/// path and body of a POST, and what the answer says.
inline constexpr const char* access_review_path =
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
[[nodiscard]] std::string access_review(const Right& right);
[[nodiscard]] bool allows(const boost::json::value& review);

/// An answer of this status shows that the right is there: rights are looked at first of all.
[[nodiscard]] bool shows_right(unsigned status);

}  // namespace ome::kube
