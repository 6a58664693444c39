#include "kube_troubles.hpp"

#include <ome/kube/resource.hpp>

#include <fmt/format.h>

#include <array>
#include <utility>

namespace ome::controller {
namespace {

using Kind = kube::Failure::Kind;

constexpr std::array words{at_lease, "watch", "read", "write"};

bool is_of_login(const kube::Failure& failure) {
    return failure.kind == Kind::Login || failure.is(401);
}

// Of a request about single objects: the rest is between it and its object.
bool is_of_the_server(const kube::Failure& failure) {
    return failure.kind != Kind::Refused || failure.is(401) || failure.overloaded() ||
           failure.status.code >= 500;
}

}  // namespace

std::string missing_type(std::string_view plural,
                         std::string_view group,
                         std::string_view version,
                         std::string_view what_to_do) {
    return fmt::format("the API server has no type {}{}{} of version {}: {}",
                       plural,
                       group.empty() ? "" : ".",
                       group,
                       version,
                       what_to_do);
}

KubeTroubles::Place KubeTroubles::place_of(const kube::Right& right) {
    if (right.resource == kube::leases.plural) {
        return {At::Lease, {}, {}};
    }
    if (right.verb == "list" || right.verb == "watch") {
        return {At::Watch, kube::resource_of(right), right.ns};
    }
    return {right.verb == "get" ? At::Read : At::Write, kube::resource_of(right), {}};
}

void KubeTroubles::heard(const std::string& method,
                         const std::string& target,
                         unsigned status,
                         const kube::Failure* refusal,
                         const core::Now& now) {
    const auto right = kube::right_of(method, target);
    if (!right) {
        return;
    }
    const Place place = place_of(*right);
    if (refusal == nullptr) {
        succeeded(place);
        return;
    }
    if (kube::lacks_right(*refusal)) {
        succeeded(place);
        return;
    }
    // A list or a watch from a version that is too old is followed by another list. A type that is
    // not there is told by whoever follows it.
    const bool usual = refusal->gone() || refusal->not_found();
    const bool of_all = place.at == At::Watch || place.at == At::Lease;
    const bool troubles = is_of_the_server(*refusal) || (of_all && !usual && !refusal->conflict());
    if (troubles) {
        failed(place, *refusal, now);
    } else if (kube::shows_right(status)) {
        succeeded(place);
    }
}

void KubeTroubles::unanswered(const std::string& method,
                              const std::string& target,
                              const kube::Failure& failure,
                              const core::Now& now) {
    const auto right = kube::right_of(method, target);
    if (right && failure.kind != Kind::Stopped) {
        failed(place_of(*right), failure, now);
    }
}

// Nobody waits for an Event, and the question for a right is asked again.
void KubeTroubles::failed(const Place& place, const kube::Failure& failure, const core::Now& now) {
    if (place.at == At::Write &&
        (place.resource == "events" || place.resource.starts_with("selfsubjectaccessreviews"))) {
        return;
    }
    Standing& one = standing_[place];
    if (one.trouble.problem.empty()) {
        one.trouble.at = words.at(static_cast<std::size_t>(place.at));
        one.trouble.since = {now.wall.seconds, 0};
    }
    one.trouble.problem = failure.message;
    one.of_login = is_of_login(failure);
    one.last = now.steady;
}

// Who is let in once is let in.
void KubeTroubles::succeeded(const Place& place) {
    standing_.erase(place);
    std::erase_if(standing_, [](const auto& one) { return one.second.of_login; });
}

void KubeTroubles::lead_begins() {
    std::erase_if(standing_, [](const auto& one) { return one.first.at != At::Lease; });
}

std::vector<StoreTrouble> KubeTroubles::all(core::SteadyTime now) {
    std::erase_if(standing_,
                  [now](const auto& one) { return now - one.second.last >= forgotten_after; });
    std::vector<StoreTrouble> troubles;
    for (const auto& [place, one] : standing_) {
        if (troubles.size() < most) {
            troubles.push_back(one.trouble);
        }
    }
    return troubles;
}

}  // namespace ome::controller
