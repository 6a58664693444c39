#include "object_writes.hpp"
#include "route_removal.hpp"
#include <ome/core/policy_rules.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/publication_step.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::routing {
namespace {

using Finalizer = PublicationStep::Finalizer;

std::optional<core::Problem> joined(const std::vector<core::Problem>& problems) {
    if (problems.empty()) {
        return std::nullopt;
    }
    return core::Problem{core::join_messages(problems)};
}

class Stepper {
public:
    Stepper(const TrafficMap& map,
            const PublicationWorld& world,
            const PublicationSettings& settings,
            const PublicationMemory& memory,
            const core::Now& now)
        : map_(map), world_(world), settings_(settings), memory_(memory), now_(now) {}

    PublicationStep run() {
        if (map_.meta.deletion_timestamp) {
            return finalizing_step(map_, world_, memory_, now_);
        }
        const auto& finalizers = map_.meta.finalizers;
        finalized_ = std::find(finalizers.begin(), finalizers.end(), publisher_finalizer) !=
                     finalizers.end();
        if (!finalized_ && holds_publisher_state(map_)) {
            return add_finalizer();
        }
        if (!settings_.active) {
            return {};
        }
        service_ = world_.service(map_.meta.key);
        if (auto verdict = source_verdict()) {
            return say(*std::move(verdict));
        }
        auto plan = plan_publication(map_, *service_, settings_);
        if (!plan) {
            return say({Publication::InvalidPlan, plan.error(), Retry::Resync});
        }
        plan_ = *std::move(plan);
        if (!finalized_) {
            return add_finalizer();
        }
        if (auto verdict = claim_verdict()) {
            return say(*std::move(verdict));
        }
        return plan_.withdrawn ? withdraw() : publish();
    }

private:
    static PublicationStep add_finalizer() {
        PublicationStep step;
        step.finalizer = Finalizer::Add;
        return step;
    }

    PublicationStep say(Verdict verdict) const {
        PublicationStep step;
        const bool planned = verdict.what == Publication::Transitioning ||
                             verdict.what == Publication::Published ||
                             verdict.what == Publication::Withdrawn;
        PublicationStatus status =
            publication_status(map_, verdict.what, planned ? &plan_ : nullptr, now_.wall);
        if (keeps_proof(verdict.what)) {
            status.publisher.reset();
        }
        if (differs(map_, status)) {
            step.status = std::move(status);
        }
        step.verdict = std::move(verdict);
        return step;
    }

    // Who sees too little to clean up after himself claims nothing: an empty journal proves that
    // nothing is left, whatever becomes of the map.
    [[nodiscard]] bool keeps_proof(Publication what) const {
        return what != Publication::Transitioning && what != Publication::Published &&
               sees_too_little(world_) && says_nothing_is_left(map_);
    }

    // Steps 5 to 8.
    std::optional<Verdict> source_verdict() const {
        if (auto verdict = owner_verdict(map_, service_.get())) {
            return verdict;
        }
        if (!is_published_at_all(*service_, settings_)) {
            return Verdict{Publication::Unpublished};
        }
        const auto& journal = map_.status.publisher;
        const bool ours = journal && journal->publisher_name == core::built_in_publisher;
        if (const std::size_t legacy = world_.legacy_services(); !ours && legacy > 0) {
            return Verdict{
                Publication::LegacyLifecycleActive,
                {fmt::format("{} InferenceService(s) retain the legacy endpoint publisher "
                             "finalizer; complete their cleanup before publishing TrafficMaps",
                             legacy)}};
        }
        return options_verdict();
    }

    std::optional<Verdict> options_verdict() const {
        std::vector<std::string> keys;
        if (service_->routing && service_->routing->publisher_options) {
            for (const auto& [key, value] : *service_->routing->publisher_options) {
                keys.push_back(key);
            }
        }
        if (keys.empty()) {
            return std::nullopt;
        }
        return Verdict{Publication::InvalidOptions,
                       {fmt::format("Gateway API publisher does not accept per-InferenceService "
                                    "options: {}",
                                    fmt::join(keys, ", ")),
                        "spec.routing.publisher.options"}};
    }

    // Step 11 without its write.
    std::optional<Verdict> claim_verdict() const {
        const auto& journal = map_.status.publisher;
        const bool foreign = journal && journal->publisher_name != core::built_in_publisher;
        if (foreign && !journal->claimed_targets.empty()) {
            return Verdict{Publication::PublisherChanged,
                           {fmt::format("the journal holds claims of publisher {} while publisher "
                                        "{} is selected",
                                        core::go_quote(journal->publisher_name),
                                        core::go_quote(core::built_in_publisher))}};
        }
        const std::vector<std::string> claims = claim_union(map_, plan_.route);
        if (claims.size() > most_claims) {
            return Verdict{Publication::ClaimRejected,
                           {fmt::format("publisher claim union has {} targets, maximum is {}",
                                        claims.size(),
                                        most_claims)}};
        }
        if (auto routes = routes_of_claims(claims); !routes) {
            return Verdict{Publication::ClaimRejected, routes.error()};
        }
        if (auto conflict = world_.claim_conflict(map_.meta.key, claims)) {
            return Verdict{Publication::ClaimRejected, *std::move(conflict)};
        }
        return std::nullopt;
    }

    [[nodiscard]] bool has_claim() const {
        const auto& journal = map_.status.publisher;
        return journal && journal->publisher_name == core::built_in_publisher &&
               journal->claimed_targets == claim_union(map_, plan_.route);
    }

    // Step 12: nothing that we would write is anybody else's.
    std::optional<Verdict> preflight_verdict() const {
        if (auto verdict = object_verdict(plan_.route)) {
            return verdict;
        }
        const core::ServiceKey gateway = gateway_of(plan_.gateway, plan_.route.ns);
        if (const auto* other = world_.same_hostname(plan_.route, plan_.hostname, gateway)) {
            return Verdict{
                Publication::ClaimRejected,
                {fmt::format("Gateway hostname {} on {}/{} is already published by HTTPRoute {}",
                             core::go_quote(plan_.hostname),
                             gateway.ns,
                             gateway.name,
                             path_of(other->key()))}};
        }
        for (const HomeBackend& home : plan_.homes) {
            for (const ObjectKey& key : object_keys_of(plan_, home)) {
                if (auto verdict = object_verdict(key)) {
                    return verdict;
                }
            }
        }
        return std::nullopt;
    }

    std::optional<Verdict> object_verdict(const ObjectKey& key) const {
        const std::string named = fmt::format("{} {}", spoken(key.kind), path_of(key));
        const core::Problem* why = world_.unreadable(key.kind);
        if (why != nullptr && is_needed(key.kind, settings_)) {
            const std::string_view desired = key.kind == ObjectKind::HttpRoute ? "desired " : "";
            return Verdict{Publication::ClaimRejected,
                           {fmt::format("read {}{}: {}", desired, named, why->message)},
                           Retry::Backoff};
        }
        const PublishedObject* object = world_.find(key);
        if (object == nullptr) {
            return std::nullopt;
        }
        if (!belongs_to(object->meta, plan_.source)) {
            return Verdict{Publication::ClaimRejected, {named + " belongs to another source"}};
        }
        if (object->terminating()) {
            return Verdict{Publication::ClaimRejected, {named + " is terminating"}, Retry::Backoff};
        }
        return std::nullopt;
    }

    // Routes that the map has claimed and does not want any more.
    [[nodiscard]] std::vector<ObjectKey> stale_routes() const {
        std::vector<ObjectKey> stale;
        const auto routes = routes_of_claims(claim_union(map_, plan_.route));
        for (const ObjectKey& key : *routes) {
            if (key != plan_.route) {
                stale.push_back(key);
            }
        }
        return stale;
    }

    PublicationStep withdraw() const {
        PublicationStep step;
        auto refusal = zero_weights(stale_routes(), plan_.source, world_, step);
        if (refusal) {
            return say({Publication::DrainFailed, *std::move(refusal), Retry::Backoff});
        }
        step.failing = Publication::DrainFailed;
        if (step.idle()) {
            step.failing = Publication::ApplyFailed;
            refusal = remove_routes({plan_.route}, plan_.source, world_, step);
        }
        // Who publishes nothing needs no rights to look for what he has published.
        if (step.idle() && refusal && sees_too_little(world_) && says_nothing_is_left(map_)) {
            refusal.reset();
        }
        if (step.idle() && refusal) {
            return say({Publication::ApplyFailed, *std::move(refusal), Retry::Backoff});
        }
        if (step.idle()) {
            return say({Publication::Withdrawn});
        }
        return claimed(std::move(step));
    }

    PublicationStep publish() const {
        PublicationStep step = next_towards_published();
        const core::ServiceKey gateway = gateway_of(plan_.gateway, plan_.route.ns);
        const bool failed = step.verdict && is_failure(step.verdict->what);
        if (!failed && world_.same_hostname(plan_.route, plan_.hostname, gateway) == nullptr) {
            step.hostname = {plan_.hostname, gateway};
        }
        return step;
    }

    PublicationStep next_towards_published() const {
        if (sees_too_little(world_) && says_nothing_is_left(map_)) {
            if (auto verdict = preflight_verdict()) {
                return say(*std::move(verdict));
            }
        }
        if (!has_claim()) {
            return say({Publication::Transitioning, {}, Retry::None});
        }
        if (auto verdict = preflight_verdict()) {
            return say(*std::move(verdict));
        }
        PublicationStep step;
        if (auto refusal = zero_weights(stale_routes(), plan_.source, world_, step)) {
            return say({Publication::DrainFailed, *std::move(refusal), Retry::Backoff});
        }
        if (!step.idle()) {
            step.failing = Publication::DrainFailed;
            return claimed(std::move(step));
        }
        const DesiredObjects desired =
            desired_objects(plan_, settings_, world_.addresses(plan_.source));
        const std::optional<core::Problem> unresolved = joined(desired.unresolved);
        if (unresolved && !leads_anywhere(desired, plan_, world_)) {
            return say({Publication::ApplyFailed, *unresolved, Retry::Backoff});
        }
        const Applying applying{map_, plan_, desired, world_, memory_, now_.steady};
        apply_objects(applying, step);
        if (!step.idle()) {
            return claimed(std::move(step), is_told(applying));
        }
        if (unresolved) {
            return say({Publication::ApplyFailed, *unresolved, Retry::Backoff});
        }
        if (step.held_back.empty()) {
            step = say({Publication::Published});
        } else {
            step.verdict = Verdict{Publication::Published};
        }
        step.applied = applied_as(plan_, desired);
        return step;
    }

    // Objects are touched only while the journal says so, and not while a failure is waited out.
    // `told`: the writes bring about nothing that the map does not say already. One that says that
    // nothing is left must not say so any more before something is made.
    PublicationStep claimed(PublicationStep step, bool told = false) const {
        if (memory_.failure) {
            return say({memory_.failure->what, memory_.failure->why, Retry::Backoff});
        }
        const bool makes = !step.writes.empty() && !plan_.withdrawn;
        const bool said = (told || !map_.status.published.value_or(false)) &&
                          !(makes && says_nothing_is_left(map_));
        return has_claim() && said ? std::move(step)
                                   : say({Publication::Transitioning, {}, Retry::None});
    }

    const TrafficMap& map_;
    const PublicationWorld& world_;
    const PublicationSettings& settings_;
    const PublicationMemory& memory_;
    const core::Now& now_;
    bool finalized_ = false;
    std::shared_ptr<const InferenceService> service_;
    PublicationPlan plan_;
};

}  // namespace

bool is_published_at_all(const InferenceService& service, const PublicationSettings& settings) {
    core::RoutingSettings installation;
    installation.enabled = settings.active;
    return !service.deleting && eligible(service) && !service.has_accelerator_requirements &&
           !service.has_cluster_selector && routing_enabled(installation, service.routing);
}

PublicationStep next_step(const TrafficMap& map,
                          const PublicationWorld& world,
                          const PublicationSettings& settings,
                          const PublicationMemory& memory,
                          const core::Now& now) {
    return Stepper(map, world, settings, memory, now).run();
}

}  // namespace ome::routing
