// What the reconciler tells people: why weights are what they are, and what has no effect.
#include "reconciler_state.hpp"
#include <ome/routing/shadow.hpp>
#include <ome/routing/unplaced.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::controller {
namespace {

constexpr std::string_view unplaced_reason = "ClusterNotInPlacement";
constexpr std::string_view shadow_reason = "ShadowWeights";

// Of a log line and an event; the explanation has all of them.
constexpr std::size_t most_told = 10;

std::string sentences(const std::vector<routing::Unplaced>& all,
                      const routing::InferenceService& service) {
    std::string text;
    const std::size_t told = std::min(all.size(), most_told);
    for (std::size_t i = 0; i < told; ++i) {
        text += (i == 0 ? "" : "; ") + routing::sentence(all[i], service);
    }
    return told < all.size() ? text + fmt::format(" (and {} more)", all.size() - told) : text;
}

}  // namespace

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
    if (subject.unplaced_told.empty()) {
        return;
    }
    const std::string what = sentences(subject.unplaced_told, *subject.service);
    out.notices.push_back({Notice::Level::Warn,
                           "a drain or a capacity factor has no effect",
                           {{"isvc", name_of(subject.key)}, {"what", what}}});
    out.store.emplace_back(EventRecord{.key = subject.key,
                                       .service_uid = subject.service->uid,
                                       .warning = true,
                                       .reason = std::string(unplaced_reason),
                                       .message = what,
                                       .at = now.wall});
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

core::Result<routing::Explanation> Reconciler::explain(const core::ServiceKey& key,
                                                       const core::Now& now) const {
    const Subject* subject = state_->find(key);
    const bool frozen = subject != nullptr && !subject->frozen.empty();
    if (subject == nullptr || (subject->service == nullptr && !frozen)) {
        return core::Problem{fmt::format("InferenceService {} is not there", name_of(key))};
    }
    if (frozen) {
        return routing::explain_frozen(subject->map.get(), subject->frozen);
    }
    const auto routed = routing::admit(*subject->service, state_->settings.installation);
    if (!routed) {
        return routing::explain_frozen(subject->map.get(), routed.error().message);
    }
    if (!*routed) {
        return core::Problem{fmt::format("InferenceService {} is not routed", name_of(key))};
    }
    const auto seen = observations(state_->evidence_of(*subject, **routed, now), now.wall);
    return routing::explain(*subject->service, **routed, seen);
}

}  // namespace ome::controller
