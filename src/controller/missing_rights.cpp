#include "missing_rights.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ome::controller {
namespace {

struct Hindrance {
    std::string_view resource;  // of all verbs that have no row of their own: verb empty
    std::string_view verb;
    std::string_view text;
    bool blocks = false;
};

// The most particular first.
constexpr std::array table{
    Hindrance{"inferenceservices", "list", "services are not read, and no map is kept", true},
    Hindrance{"inferenceservices",
              "watch",
              "changes of services, drains among them, are noticed late: they are listed again and "
              "again, up to 30s apart"},
    Hindrance{"inferenceservices",
              "get",
              "maps of services with a placement plan are not written, drains included"},
    Hindrance{"inferenceservices", "patch", "drains whose time is over are not taken off"},
    Hindrance{"inferenceservices/finalizers", "update", "no new map can be made"},
    Hindrance{"trafficmaps", "list", "maps are not read, and none is kept", true},
    Hindrance{"trafficmaps",
              "watch",
              "what others do to maps is noticed late: they are listed again and again, up to 30s "
              "apart"},
    Hindrance{
        "trafficmaps",
        "get",
        "what is published of a map is not written to it, and a map that changed meanwhile is "
        "not corrected"},
    Hindrance{"trafficmaps", "create", "no new map can be made"},
    Hindrance{"trafficmaps", "patch", "weights of maps stay as they are, drains included"},
    Hindrance{"trafficmaps", "delete", "maps of services that are routed no more stay"},
    Hindrance{"trafficmaps/status", "", "conditions of maps are not written"},
    Hindrance{"events", "", "what happens is told in the log alone, and in no Event"},
    Hindrance{"leases", "", "this process cannot lead, and keeps no map", true},
    Hindrance{"configmaps", "list", "the configuration is not read", true},
    Hindrance{
        "configmaps",
        "watch",
        "changes of the configuration are noticed late: it is read again and again, up to 30s "
        "apart"},
};
constexpr std::array publisher_table{
    Hindrance{"", "list", "nothing is published, and maps that were published cannot go"},
    Hindrance{"",
              "watch",
              "changes by others are noticed late: objects are listed again and again, up to 30s "
              "apart"},
    Hindrance{"", "create", "missing objects of published maps are not made"},
    Hindrance{"", "delete", "objects that are published no more stay, and maps wait for them"},
    Hindrance{"", "", "objects of published maps are not changed, drains included"},
};
constexpr std::array publisher_resources{
    "httproutes", "services", "endpointslices", "backendtlspolicies"};

bool is_of_publisher(const kube::Right& right) {
    return std::find(publisher_resources.begin(), publisher_resources.end(), right.resource) !=
           publisher_resources.end();
}

template <std::size_t Size>
const Hindrance* find(const std::array<Hindrance, Size>& rows,
                      std::string_view resource,
                      std::string_view verb) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Hindrance& row) {
        return row.resource == resource && (row.verb.empty() || row.verb == verb);
    });
    return found == rows.end() ? nullptr : &*found;
}

const Hindrance* hindrance(const kube::Right& right) {
    return is_of_publisher(right) ? find(publisher_table, "", right.verb)
                                  : find(table, right.resource, right.verb);
}

// The admission plugin OwnerReferencesPermissionEnforcement looks at another right than the
// request's own.
bool lacks_finalizers(const kube::Failure& failure) {
    return failure.forbidden() &&
           failure.status.message.find("blockOwnerDeletion") != std::string::npos;
}

kube::Right finalizers_right(const kube::Right& of_map) {
    return {"update", of_map.group, "inferenceservices/finalizers", of_map.ns};
}

bool makes_a_map(const kube::Right& right) {
    return right.verb == "create" && right.resource == "trafficmaps";
}

}  // namespace

std::string hindered_by(const kube::Right& right) {
    const Hindrance* found = hindrance(right);
    return found == nullptr ? "what it was asked for cannot be done" : std::string(found->text);
}

bool is_told_as_right(const kube::Failure& failure) {
    return kube::lacks_right(failure) || lacks_finalizers(failure);
}

MissingRights::Change MissingRights::heard(const std::string& method,
                                           const std::string& target,
                                           unsigned status,
                                           const kube::Failure* refusal,
                                           const core::Now& now) {
    const auto right = kube::right_of(method, target);
    if (!right) {
        return {};
    }
    if (refusal != nullptr && makes_a_map(*right) && lacks_finalizers(*refusal)) {
        return refused(finalizers_right(*right), *refusal, now);
    }
    if (refusal != nullptr && kube::lacks_right(*refusal)) {
        return refused(*right, *refusal, now);
    }
    if (!kube::shows_right(status)) {
        return {};
    }
    Change change = given(*right);
    if (!change.back && makes_a_map(*right) && refusal == nullptr) {
        change = given(finalizers_right(*right));
    }
    return change;
}

MissingRights::Change MissingRights::refused(kube::Right right,
                                             const kube::Failure& failure,
                                             const core::Now& now) {
    const auto known = refused_.find(right);
    if (known != refused_.end()) {
        known->second.last = now.steady;
        return {};
    }
    if (refused_.size() >= most) {
        return {};
    }
    const Hindrance* found = hindrance(right);
    Refused made;
    made.right = {.verb = right.verb,
                  .resource = kube::resource_of(right),
                  .ns = right.ns,
                  .hinders = hindered_by(right),
                  .problem = failure.message,
                  .since = now.wall,
                  .blocks = found != nullptr && found->blocks};
    made.needed = publishes_ || !is_of_publisher(right);
    made.last = now.steady;
    Change change;
    change.missing = made.right;
    change.needed = made.needed;
    refused_.emplace(std::move(right), std::move(made));
    return change;
}

MissingRights::Change MissingRights::given(const kube::Right& right) {
    const auto known = refused_.find(right);
    if (known == refused_.end()) {
        return {};
    }
    Change change;
    change.back = std::move(known->second.right);
    refused_.erase(known);
    return change;
}

std::vector<kube::Right> MissingRights::to_ask_for(std::size_t most_of_them) const {
    std::vector<kube::Right> all;
    for (const auto& [right, one] : refused_) {
        if (one.needed && all.size() < most_of_them) {
            all.push_back(right);
        }
    }
    return all;
}

void MissingRights::lead_ended() {
    std::erase_if(refused_, [](const auto& one) { return one.first.resource != "leases"; });
}

std::vector<MissingRight> MissingRights::needed(core::SteadyTime now) {
    std::erase_if(refused_,
                  [now](const auto& one) { return now - one.second.last >= forgotten_after; });
    std::vector<MissingRight> all;
    for (const auto& [right, one] : refused_) {
        if (one.needed) {
            all.push_back(one.right);
        }
    }
    return all;
}

}  // namespace ome::controller
