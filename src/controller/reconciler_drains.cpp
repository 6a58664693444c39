// Drains that lapse. The decision is routing/'s; here is when it is looked at, and what is told.
#include "reconciler_state.hpp"
#include <ome/core/deadline.hpp>
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/routing/drain_expiry.hpp>
#include <ome/wire/drain_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;

// A lapse whose write came to nothing is decided again after this time.
constexpr core::Duration next_try = 5s;

EventRecord event_about(const routing::InferenceService& service,
                        bool warning,
                        std::string reason,
                        std::string message,
                        core::WallTime at) {
    return {.key = service.key,
            .service_uid = service.uid,
            .warning = warning,
            .reason = std::move(reason),
            .message = std::move(message),
            .at = at};
}

DrainLapse lapse_request(std::shared_ptr<const routing::InferenceService> service,
                         const routing::Lapse& lapse,
                         core::WallTime now) {
    DrainLapse request;
    request.key = service->key;
    if (!lapse.left.empty()) {
        request.drains = lapse.lapsed.empty() ? service->drains : wire::drains_text(lapse.left);
    }
    if (!lapse.expiries.empty()) {
        request.expiries = wire::drain_expiries_text(lapse.expiries);
    }
    for (const routing::Drain& drain : lapse.lapsed) {
        request.events.push_back(event_about(*service,
                                             false,
                                             "TrafficDrainLapsed",
                                             fmt::format("drain {} of cluster {} has lapsed ({})",
                                                         core::sanitize_detail(drain.id),
                                                         core::sanitize_detail(drain.cluster),
                                                         core::sanitize_detail(drain.reason)),
                                             now));
    }
    request.service = std::move(service);
    return request;
}

}  // namespace

// An expiry that is not understood ends no drain; it is told once.
void Reconciler::State::complain_of_expiries(Subject& subject,
                                             const core::Problem& problem,
                                             const core::Now& now,
                                             Work& out) {
    if (subject.expiry_problem == problem.message) {
        return;
    }
    subject.expiry_problem = problem.message;
    out.notices.push_back(
        {Notice::Level::Warn,
         "drains do not lapse",
         {{"isvc", subject.key.ns + "/" + subject.key.name}, {"error", problem.message}}});
    out.store.emplace_back(event_about(
        *subject.service, true, "TrafficDrainExpiryUnreadable", problem.message, now.wall));
}

// Not before the service is there without them.
void Reconciler::State::tell_lapsed(Subject& subject, Work& out) const {
    if (subject.lapsing.empty() || subject.lapsing_of == subject.service) {
        return;
    }
    const bool same = subject.lapsing_of->uid == subject.service->uid;
    const auto left = routing::parse_drains(subject.service->drains);
    for (const routing::Drain& drain : std::exchange(subject.lapsing, {})) {
        if (same && left && std::find(left->begin(), left->end(), drain) == left->end()) {
            out.notices.push_back(
                {Notice::Level::Info,
                 "drain lapsed",
                 {{"isvc", name_of(subject.key)}, {"id", drain.id}, {"cluster", drain.cluster}}});
        }
    }
    subject.lapsing_of.reset();
}

void Reconciler::State::lapse_drains(Subject& subject, const core::Now& now, Work& out) {
    tell_lapsed(subject, out);
    const routing::InferenceService& service = *subject.service;
    if (!service.drain_expiries || service.deleting) {
        subject.expiry_problem.clear();
        subject.lapse_tried.reset();
        return;
    }
    const auto expiries = wire::read_drain_expiries(service.drain_expiries);
    if (!expiries) {
        complain_of_expiries(subject, expiries.error(), now, out);
        return;
    }
    subject.expiry_problem.clear();
    const auto drains = routing::parse_drains(service.drains);
    if (!drains) {
        return;  // which freezes the map, and is told there
    }
    const routing::Lapse lapse = routing::lapse(*drains, *expiries, now.wall);
    if (lapse.next) {
        wake_at(subject, core::later(now.steady, *lapse.next - now.wall));
    }
    if (!lapse.changed) {
        subject.lapse_tried.reset();
        return;
    }
    if (subject.lapse_tried && now.steady < core::later(*subject.lapse_tried, next_try)) {
        wake_at(subject, core::later(*subject.lapse_tried, next_try));
        return;
    }
    subject.lapse_tried = now.steady;
    wake_at(subject, core::later(now.steady, next_try));
    subject.lapsing = lapse.lapsed;
    subject.lapsing_of = subject.service;
    out.store.emplace_back(lapse_request(subject.service, lapse, now.wall));
}

}  // namespace ome::controller
