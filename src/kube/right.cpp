#include <ome/kube/right.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace ome::kube {
namespace {

namespace json = boost::json;

std::vector<std::string> parts_of(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        if (end > 0) {
            parts.emplace_back(path.substr(0, end));
        }
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return parts;
}

std::string verb_of(std::string_view method, bool of_one, bool watches) {
    if (method == "GET") {
        return watches ? "watch" : of_one ? "get" : "list";
    }
    return method == "POST"    ? "create"
           : method == "PUT"   ? "update"
           : method == "PATCH" ? "patch"
                               : "delete";
}

}  // namespace

std::string resource_of(const Right& right) {
    return right.group.empty() ? right.resource : fmt::format("{}.{}", right.resource, right.group);
}

// /api/v1/..., /apis/GROUP/VERSION/..., then namespaces/NS/ where there is one, and
// RESOURCE[/NAME[/SUBRESOURCE]].
std::optional<Right> right_of(std::string_view method, std::string_view target) {
    const std::size_t question = std::min(target.find('?'), target.size());
    const std::string_view query = target.substr(question);
    std::vector<std::string> parts = parts_of(target.substr(0, question));
    const auto root = std::find_if(parts.begin(), parts.end(), [](const std::string& part) {
        return part == "api" || part == "apis";
    });
    if (root == parts.end()) {
        return std::nullopt;
    }
    const bool core = *root == "api";
    parts.erase(parts.begin(), root + 1);
    Right right;
    if (!core && !parts.empty()) {
        right.group = parts.front();
        parts.erase(parts.begin());
    }
    if (parts.size() < 2) {
        return std::nullopt;
    }
    parts.erase(parts.begin());  // the version
    if (parts.size() > 2 && parts.front() == "namespaces") {
        right.ns = parts[1];
        parts.erase(parts.begin(), parts.begin() + 2);
    }
    right.resource = parts.size() > 2 ? parts[0] + "/" + parts[2] : parts[0];
    const bool watches = query.find("watch=true") != std::string_view::npos;
    right.verb = verb_of(method, parts.size() > 1, watches);
    return right;
}

// Its words: `User "jane" cannot list resource "pods" in API group "" in the namespace "demo"`.
bool lacks_right(const Failure& failure) {
    const std::string& words = failure.status.message;
    return failure.forbidden() && words.find(" cannot ") != std::string::npos &&
           words.find(" resource \"") != std::string::npos;
}

std::string access_review(const Right& right) {
    const std::size_t slash = right.resource.find('/');
    json::object attributes{{"verb", right.verb},
                            {"group", right.group},
                            {"resource", right.resource.substr(0, slash)},
                            {"namespace", right.ns}};
    if (slash != std::string::npos) {
        attributes["subresource"] = right.resource.substr(slash + 1);
    }
    return json::serialize(
        json::object{{"apiVersion", "authorization.k8s.io/v1"},
                     {"kind", "SelfSubjectAccessReview"},
                     {"spec", json::object{{"resourceAttributes", std::move(attributes)}}}});
}

bool allows(const json::value& review) {
    boost::system::error_code error;
    const json::value* allowed = review.find_pointer("/status/allowed", error);
    return allowed != nullptr && allowed->is_bool() && allowed->get_bool();
}

bool shows_right(unsigned status) {
    constexpr std::array later{404U, 409U, 410U, 422U};
    return status < 300 || std::find(later.begin(), later.end(), status) != later.end();
}

}  // namespace ome::kube
