// What the reconciler tells people: why weights are what they are, and what has no effect.
#include "reconciler_state.hpp"
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/routing/drain_expiry.hpp>
#include <ome/routing/shadow.hpp>
#include <ome/routing/slips.hpp>
#include <ome/routing/unplaced.hpp>
#include <ome/routing/unrouted.hpp>
#include <ome/wire/drain_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::controller {
namespace {

constexpr std::string_view shadow_reason = "ShadowWeights";

// Of a log line and an event; the explanation has all of them.
constexpr std::size_t most_told = 10;

std::string joined(const std::vector<std::string>& sentences) {
    const std::size_t told = std::min(sentences.size(), most_told);
    std::string text;
    for (std::size_t i = 0; i < told; ++i) {
        text += (i == 0 ? "" : "; ") + sentences[i];
    }
    return told < sentences.size() ? text + fmt::format(" (and {} more)", sentences.size() - told)
                                   : text;
}

// A drain is in force for as long as its annotation says so, even when its time is over.
std::vector<std::string> notes_of_lapsed(const routing::InferenceService& service,
                                         core::WallTime now) {
    const auto expiries = wire::read_drain_expiries(service.drain_expiries);
    const auto drains = routing::parse_drains(service.drains);
    std::vector<std::string> notes;
    if (!expiries || !drains) {
        return notes;
    }
    for (const routing::DrainExpiry& expiry : *expiries) {
        const auto& [drain, until] = expiry;
        const bool there = std::find(drains->begin(), drains->end(), drain) != drains->end();
        if (there && until <= now) {
            notes.push_back(
                fmt::format("drain {} of cluster {} has lapsed, at {}, and is in force "
                            "until it is taken off the InferenceService",
                            core::sanitize_detail(drain.id),
                            core::sanitize_detail(drain.cluster),
                            core::format_timestamp(until)));
        }
    }
    return notes;
}

}  // namespace

void Reconciler::State::tell_without_effect(const Subject& subject,
                                            std::string_view event,
                                            std::string_view reason,
                                            const std::vector<std::string>& sentences,
                                            const core::Now& now,
                                            Work& out) const {
    if (sentences.empty()) {
        return;
    }
    const std::string what = joined(sentences);
    out.notices.push_back({Notice::Level::Warn,
                           std::string(event),
                           {{"isvc", name_of(subject.key)}, {"what", what}}});
    out.store.emplace_back(EventRecord{.key = subject.key,
                                       .service_uid = subject.service->uid,
                                       .warning = true,
                                       .reason = std::string(reason),
                                       .message = what,
                                       .at = now.wall});
}

// Once for each change of what is without effect: the candidates that there are may come and go.
void Reconciler::State::tell_unplaced(Subject& subject,
                                      const routing::RoutedService& routed,
                                      const core::Now& now,
                                      Work& out) {
    std::vector<routing::Unplaced> found = routing::unplaced(*subject.service, routed.drains);
    if (found == subject.unplaced_told) {
        return;
    }
    subject.unplaced_told = std::move(found);
    std::vector<std::string> sentences;
    for (const routing::Unplaced& one : subject.unplaced_told) {
        sentences.push_back(routing::sentence(one, *subject.service));
    }
    tell_without_effect(subject,
                        "a drain or a capacity factor has no effect",
                        "ClusterNotInPlacement",
                        sentences,
                        now,
                        out);
}

// Once for each change of the weights that would be.
void Reconciler::State::tell_shadow(Subject& subject,
                                    const routing::RoutedService& routed,
                                    const routing::Observations& seen,
                                    const core::Now& now,
                                    Work& out) {
    std::string weights = routing::shadow_weights(*subject.service, routed, seen);
    if (weights == subject.shadow_told) {
        return;
    }
    subject.shadow_told = std::move(weights);
    if (subject.shadow_told.empty()) {
        return;
    }
    out.notices.push_back({Notice::Level::Info,
                           "weights that the readings would give",
                           {{"isvc", name_of(subject.key)}, {"weights", subject.shadow_told}}});
    out.store.emplace_back(
        EventRecord{.key = subject.key,
                    .service_uid = subject.service->uid,
                    .warning = false,
                    .reason = std::string(shadow_reason),
                    .message = "in shadow; the weights would be: " + subject.shadow_told,
                    .at = now.wall});
}

// Likewise, of clusters that are admitted and get no traffic, or are not observed.
void Reconciler::State::tell_unaddressable(Subject& subject, const core::Now& now, Work& out) {
    if (std::exchange(subject.unaddressable_of, subject.service) == subject.service) {
        return;
    }
    std::vector<routing::Unaddressable> found = routing::unaddressable(*subject.service);
    if (found == subject.unaddressable_told) {
        return;
    }
    subject.unaddressable_told = std::move(found);
    std::vector<std::string> sentences;
    for (const routing::Unaddressable& one : subject.unaddressable_told) {
        sentences.push_back(routing::sentence(one));
    }
    tell_without_effect(subject,
                        "the endpoint of an admitted cluster cannot be used",
                        "EndpointNotUsable",
                        sentences,
                        now,
                        out);
}

// Without regard to what the store cannot use.
core::Result<routing::Explanation> Reconciler::State::explain_known(const core::ServiceKey& key,
                                                                    const core::Now& now) {
    const Subject* subject = find(key);
    const bool frozen = subject != nullptr && !subject->frozen.empty();
    if (subject == nullptr || (subject->service == nullptr && !frozen)) {
        return core::Problem{fmt::format("InferenceService {} is not there", name_of(key))};
    }
    if (frozen) {
        return routing::explain_frozen(subject->map.get(), subject->frozen);
    }
    const auto routed = routing::admit(*subject->service, settings.installation);
    if (!routed) {
        return routing::explain_frozen(subject->map.get(),
                                       routing::with_slips(routed.error(), *subject->service));
    }
    if (!*routed) {
        return core::Problem{
            fmt::format("InferenceService {} is not routed: {}",
                        name_of(key),
                        routing::why_not_routed(*subject->service, settings.installation))};
    }
    const auto seen = observations(evidence_of(*subject, **routed, now), now.wall);
    routing::Explanation explanation = routing::explain(*subject->service, **routed, seen);
    for (std::string& note : notes_of_lapsed(*subject->service, now.wall)) {
        explanation.notes.push_back(std::move(note));
    }
    return explanation;
}

core::Result<routing::Explanation> Reconciler::explain(const core::ServiceKey& key,
                                                       const core::Now& now) const {
    auto explanation = state_->explain_known(key, now);
    const routing::LastGood* held = state_->held_back.find(key);
    if (held == nullptr) {
        return explanation;
    }
    const Subject* subject = state_->find(key);
    if (subject == nullptr || subject->service == nullptr) {
        explanation = routing::explain_frozen(
            subject == nullptr ? nullptr : subject->map.get(),
            fmt::format("nothing usable has been read of InferenceService {} since the start",
                        name_of(key)));
    }
    if (!explanation) {
        return core::Problem{
            fmt::format("{}; {}", explanation.error().message, routing::sentence(*held))};
    }
    explanation->last_good = *held;
    return explanation;
}

}  // namespace ome::controller
