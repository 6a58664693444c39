#include "replay_service.hpp"

#include <ome/core/endpoint.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::observer {
namespace {

using wire::ReplayPolicies;

template <typename Policy>
bool same(const std::optional<Policy>& a, const std::optional<Policy>& b) {
    return a.has_value() == b.has_value() && (!a || a->digest == b->digest);
}

std::string identity_of(const std::string& endpoint) {
    const auto canonical = core::canonicalize(endpoint);
    return canonical ? canonical->canonical : std::string();
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void ReplayService::declare(wire::ReplayDeclaration declared,
                            const std::optional<ReplayPolicies>& instead) {
    core::ServiceDeclaration& wanted = declared.declaration;
    suspended_ = wanted.suspended;
    if (wanted.suspended) {  // the last policies and homes stay
        change_owner(wanted.owner_uid);
        return;
    }
    const bool same_owner = std::exchange(owner_, wanted.owner_uid) == wanted.owner_uid;
    const ReplayPolicies before = std::exchange(
        policies_,
        instead ? *instead : ReplayPolicies{std::move(wanted.capacity), std::move(wanted.probe)});
    const bool polls_stay = same_owner && same(before.capacity, policies_.capacity);
    const bool probes_stay = same_owner && same(before.probe, policies_.probe);
    Homes old = std::exchange(homes_, {});
    for (const core::HomeDeclaration& one : wanted.homes) {
        Home home = start(one);
        const auto found = old.find(one.cluster);
        const bool stays = found != old.end() && !home.identity.empty() &&
                           found->second.identity == home.identity &&
                           !contains(declared.moved, one.cluster);
        if (stays) {
            home.history = std::move(found->second.history);
        }
        if (!stays || !polls_stay) {
            home.history.begin_polls(policies_);
        }
        if (!stays || !probes_stay) {
            home.history.begin_probes(policies_, one.restored);
        }
        home.history.set_endpoint(one.endpoint);
        homes_.emplace(one.cluster, std::move(home));
    }
}

void ReplayService::change_owner(const std::string& owner) {
    if (std::exchange(owner_, owner) == owner) {
        return;
    }
    for (auto& [cluster, home] : homes_) {
        home.history.begin_polls(policies_);
        home.history.begin_probes(policies_);
    }
}

void ReplayService::obey(ReplayPolicies policies) {
    const ReplayPolicies before = std::exchange(policies_, std::move(policies));
    for (auto& [cluster, home] : homes_) {
        if (!same(before.capacity, policies_.capacity)) {
            home.history.begin_polls(policies_);
        }
        if (!same(before.probe, policies_.probe)) {
            home.history.begin_probes(policies_);
        }
    }
}

ReplayService::Home ReplayService::start(const core::HomeDeclaration& declared) const {
    const auto endpoint = core::canonicalize(declared.endpoint);
    return {identity_of(declared.endpoint),
            ReplayHistory(declared.cluster, endpoint ? std::string() : endpoint.error().message)};
}

core::Result<const core::HomeReading*> ReplayService::apply(const wire::ReplayEvent& event) {
    const auto found = homes_.find(event.home);
    if (found == homes_.end()) {
        return core::Problem{
            fmt::format("home: {} is none of the homes of {} that were declared last",
                        core::go_quote(core::sanitize_detail(event.home)),
                        core::sanitize_detail(event.service)),
            "home"};
    }
    ReplayHistory& history = found->second.history;
    if (!suspended_) {  // no late result applies
        history.take(policies_, event);
    }
    core::HomeReading& reading = history.read(policies_, event.at);
    if (suspended_ && reading.capacity) {
        reading.capacity->next_attempt_time.reset();
    }
    if (suspended_ && reading.probe) {
        reading.probe->next_attempt_time.reset();
    }
    return core::Result<const core::HomeReading*>(boost::system::in_place_value, &reading);
}

}  // namespace ome::observer
