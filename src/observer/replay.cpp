#include "replay.hpp"

#include <ome/core/endpoint.hpp>
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ome::observer {
namespace {

using wire::ReplayAction;
using wire::ReplayEvent;
using wire::ReplayPolicies;

void add_to_key(std::string& key, std::string_view part) {
    fmt::format_to(std::back_inserter(key), "{}:", part.size());
    key += part;
}

void set_key(std::string& key, const ReplayEvent& event, std::string_view endpoint) {
    key.clear();
    for (const std::string_view part : {event.service, event.home, endpoint}) {
        add_to_key(key, part);
    }
}

bool is_about_all(const ReplayEvent& event) {
    return event.action == ReplayAction::Policy ||
           (event.action == ReplayAction::Forgotten && event.service.empty());
}

core::Result<const core::HomeReading*> known(const core::HomeReading* reading) {
    return core::Result<const core::HomeReading*>(boost::system::in_place_value, reading);
}

template <typename Policy>
bool same(const std::optional<Policy>& a, const std::optional<Policy>& b) {
    return a.has_value() == b.has_value() && (!a || a->digest == b->digest);
}

/// A problem of a value that stands in `member`.
core::Problem inside(std::string_view member, const core::Problem& problem) {
    return {
        fmt::format("{}: {}", member, problem.message),
        problem.field.empty() ? std::string(member) : fmt::format("{}.{}", member, problem.field)};
}

}  // namespace

Replay::Replay(std::optional<ReplayPolicies> policies, Obey obey)
    : policies_(std::move(policies)), obey_(obey) {}

const std::optional<ReplayPolicies>& Replay::instead() const {
    static const std::optional<ReplayPolicies> none;
    return obey_ == Obey::Given ? policies_ : none;
}

const ReplayPolicies* Replay::policies_of(const std::string& service) const {
    const auto found = services_.find(service);
    if (found != services_.end() && found->second.declared) {
        return &found->second.declared->policies();
    }
    return policies_ ? &*policies_ : nullptr;
}

Replay::Service& Replay::service_of(const ReplayEvent& event) {
    key_.assign(event.service);
    return services_[key_];
}

core::Result<const core::HomeReading*> Replay::apply(const ReplayEvent& event) {
    Service& service = service_of(event);
    if (auto problem = refuse_past(event, service)) {
        return *std::move(problem);
    }
    Reading reading = apply_to(service, event);
    if (reading) {
        service.now = event.at;
        now_ = std::max(now_.value_or(event.at), event.at);
        if (is_about_all(event)) {
            floor_ = event.at;
        }
    }
    return reading;
}

// Each service is observed by one reactor, and lines of several of them pass each other by a hair.
std::optional<core::Problem> Replay::refuse_past(const ReplayEvent& event,
                                                 const Service& service) const {
    const auto& earliest = is_about_all(event) ? now_ : std::max(service.now, floor_);
    if (!earliest || event.at >= *earliest) {
        return std::nullopt;
    }
    return core::Problem{fmt::format("at: {} must not be before {}, the time of an earlier event",
                                     core::format_timestamp(event.at),
                                     core::format_timestamp(*earliest)),
                         "at"};
}

core::Result<const core::HomeReading*> Replay::apply_to(Service& service,
                                                        const ReplayEvent& event) {
    switch (event.action) {
        case ReplayAction::Policy:
            return change_policies(event);
        case ReplayAction::Declared:
            return declare(service, event);
        case ReplayAction::Forgotten:
            return forget(service, event);
        case ReplayAction::Poll:
        case ReplayAction::Probe:
        case ReplayAction::Read:
            break;
    }
    return service.declared ? service.declared->apply(event) : read_undeclared(event);
}

core::Result<const core::HomeReading*> Replay::declare(Service& service, const ReplayEvent& event) {
    auto declared = wire::read_replay_declaration(event.declaration);
    if (!declared) {
        return inside("declared", declared.error());
    }
    if (!service.declared) {
        service.declared.emplace();
    }
    service.declared->declare(std::move(*declared), instead());
    return known(nullptr);
}

core::Result<const core::HomeReading*> Replay::forget(Service& service, const ReplayEvent& event) {
    if (event.service.empty()) {
        forget_all();
        return known(nullptr);
    }
    service.declared.reset();
    std::string prefix;
    add_to_key(prefix, event.service);
    for (auto* histories : {&by_spelling_, &by_identity_}) {
        std::erase_if(*histories, [&](const auto& one) { return one.first.starts_with(prefix); });
    }
    return known(nullptr);
}

void Replay::forget_all() {
    by_spelling_.clear();
    by_identity_.clear();
    for (auto& [name, service] : services_) {
        service.declared.reset();
    }
}

core::Result<const core::HomeReading*> Replay::read_undeclared(const ReplayEvent& event) {
    if (!policies_) {
        return core::Problem{
            fmt::format("service: {} is declared by no earlier line, and there is no --policy",
                        core::go_quote(core::sanitize_detail(event.service))),
            "service"};
    }
    ReplayHistory& history = history_of(event);
    history.take(*policies_, event);
    return known(&history.read(*policies_, event.at));
}

ReplayHistory& Replay::history_of(const ReplayEvent& event) {
    set_key(key_, event, event.endpoint);
    auto found = by_spelling_.find(key_);
    if (found == by_spelling_.end()) {
        std::string key = key_;
        found = by_spelling_.emplace(std::move(key), start(event)).first;
    }
    ReplayHistory& history = *found->second;
    history.set_endpoint(event.endpoint);
    return history;
}

// Two spellings with the same canonical endpoint share a history (contract/observer.md 2).
std::shared_ptr<ReplayHistory> Replay::start(const ReplayEvent& event) {
    std::string target_error;
    std::string target;
    if (!event.endpoint.empty()) {
        auto endpoint = core::canonicalize(event.endpoint);
        target = endpoint ? endpoint->canonical : std::string(event.endpoint);
        target_error = endpoint ? std::string() : endpoint.error().message;
    }
    set_key(key_, event, target);
    std::shared_ptr<ReplayHistory>& history = by_identity_[key_];
    if (history == nullptr) {
        history = std::make_shared<ReplayHistory>(std::string(event.home), std::move(target_error));
        history->begin_polls(*policies_);
        history->begin_probes(*policies_);
    }
    return history;
}

// What has not changed keeps its histories (contract/observer.md 14).
core::Result<const core::HomeReading*> Replay::change_policies(const ReplayEvent& event) {
    auto changed = wire::read_replay_policies(event.policies);
    if (!changed) {
        return inside("policy", changed.error());
    }
    const ReplayPolicies before = policies_.value_or(ReplayPolicies{});
    policies_ = std::move(*changed);
    for (auto& [key, history] : by_identity_) {
        if (!same(before.capacity, policies_->capacity)) {
            history->begin_polls(*policies_);
        }
        if (!same(before.probe, policies_->probe)) {
            history->begin_probes(*policies_);
        }
    }
    for (auto& [name, service] : services_) {
        if (obey_ == Obey::Given && service.declared) {
            service.declared->obey(*policies_);
        }
    }
    return known(nullptr);
}

}  // namespace ome::observer
