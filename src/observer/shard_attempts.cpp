// Attempts: a worker takes one, makes the exchange and hands on what came of it.
#include "shard_state.hpp"
#include <ome/core/deadline.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/net/clock.hpp>
#include <ome/telemetry/log.hpp>
#include <ome/wire/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;

// While descriptors are short nothing new is started for this long.
constexpr core::Duration shortage_pause = 100ms;
constexpr core::Duration shortage_warning_interval = 10s;

void log_attempt(const core::Attempt& attempt,
                 std::string_view cluster,
                 const core::AttemptOutcome& outcome) {
    const core::RequestPlan& plan = *attempt.plan;
    telemetry::log::debug("attempt",
                          {{"service", plan.service.ns + "/" + plan.service.name},
                           {"cluster", cluster},
                           {"kind", core::to_string(plan.kind)},
                           {"status", outcome.status.value_or(0)},
                           {"fault", outcome.text},
                           {"took", outcome.phases.total}});
}

}  // namespace

// All of an attempt is in this one coroutine, which lasts: no frame is made for an attempt here.
net::Awaitable<void> Shard::work(Worker* worker) {
    while (!stopping_) {
        const std::optional<core::Attempt> attempt = next_attempt();
        if (!attempt) {
            idle_.push_back(worker);
            std::ignore = co_await worker->parked.async_wait(net::as_result);
            continue;
        }
        wake_worker();
        SlotState& slot = prepare_slot(*attempt);
        const net::FetchOptions options = fetch_options(*attempt, *worker);
        net::Operation operation(deadlines_, attempt->plan->timeout);
        slot.operation = &operation;
        core::AttemptOutcome outcome =
            co_await client_.fetch(slot.request, options, &slot.lane, &operation, &worker->buffer);
        slot.operation = nullptr;
        if (slot.request != nullptr && slot.request->fresh) {
            // Some 500 bytes a home; making it anew costs about 1.6 us, a fresh connection 50.
            slot.request.reset();
        }
        complete(*attempt, outcome, *worker);
        finish(*attempt, std::move(outcome), *worker);
    }
}

net::FetchOptions Shard::fetch_options(const core::Attempt& attempt, Worker& worker) const {
    worker.facts = {};
    return {
        .body =
            attempt.plan->kind == core::Kind::Poll ? net::BodyUse::Report : net::BodyUse::Discard,
        .max_body_bytes = settings_.max_response_bytes,
        .facts = &worker.facts,
    };
}

std::optional<core::Attempt> Shard::next_attempt() {
    if (in_use_ >= allowance_.permits) {
        return std::nullopt;
    }
    const core::Now now = net::read_clock();
    if (now.steady < hold_until_) {
        return std::nullopt;
    }
    std::optional<core::Attempt> attempt = fleet_.take(now);
    if (!attempt) {
        return std::nullopt;
    }
    ++in_use_;
    ++started_;
    stats_.most_in_use = std::max(stats_.most_in_use, in_use_);
    note_start(*attempt, now.steady);
    return attempt;
}

void Shard::note_start(const core::Attempt& attempt, core::SteadyTime now) {
    const core::Duration waited = std::max(now - attempt.due, core::Duration::zero());
    stats_.slot_wait.add(in_seconds(waited));
    recent_starts_.add(waited, now);
    if (!attempt.first) {
        stats_.lateness.add(in_seconds(waited));
        recent_lateness_.add(waited, now);
    }
}

// What the exchange told besides its status.
void Shard::complete(const core::Attempt& attempt,
                     core::AttemptOutcome& outcome,
                     const Worker& worker) {
    const bool poll = attempt.plan->kind == core::Kind::Poll;
    const net::ExchangeFacts& facts = worker.facts;
    if (poll && outcome.fault == core::Fault::None && outcome.status == 200 &&
        outcome.report.index() == 0) {
        outcome.report = wire::decode_report(worker.buffer.body(), true);
    }
    outcome.certificate_expiry = facts.certificate_expiry;
    if (poll && facts.server_date) {
        outcome.clock_skew = core::clock_skew_seconds(*facts.server_date, facts.answered_at);
    }
    if (facts.descriptor_shortage) {
        pause_for_descriptors();
    }
}

void Shard::finish(const core::Attempt& attempt,
                   core::AttemptOutcome outcome,
                   const Worker& worker) {
    const core::Now now = net::read_clock();
    warn_of_expiry(attempt, outcome, now);
    record(attempt, outcome);
    if (telemetry::log::enabled(telemetry::log::Level::Debug)) {
        log_attempt(attempt, fleet_.cluster_of(attempt), outcome);
    }
    if (settings_.recorder == nullptr) {
        fleet_.finish(attempt, std::move(outcome), now);
    } else {
        finish_recorded(attempt, std::move(outcome), worker, now);
    }
    --in_use_;
    pump(now);
}

// Only what counted: a replay would count everything.
void Shard::finish_recorded(const core::Attempt& attempt,
                            core::AttemptOutcome outcome,
                            const Worker& worker,
                            const core::Now& now) {
    const core::RequestPlan& plan = *attempt.plan;
    RecordedAttempt recorded{.at = now.wall,
                             .kind = plan.kind,
                             .service = plan.service,
                             .cluster = std::string(fleet_.cluster_of(attempt)),
                             .endpoint = std::string(fleet_.endpoint_of(attempt)),
                             .outcome = outcome,
                             .body = {},
                             .body_size = 0};
    if (outcome.report.index() != 0) {
        const std::string_view body = worker.buffer.body();
        recorded.body_size = body.size();
        recorded.body = body.size() <= longest_recorded_body ? body : std::string_view();
    }
    if (fleet_.finish(attempt, std::move(outcome), now)) {
        settings_.recorder->offer(std::move(recorded));
    }
}

void Shard::warn_of_expiry(const core::Attempt& attempt,
                           const core::AttemptOutcome& outcome,
                           const core::Now& now) {
    SlotState& slot = slots_[attempt.slot];
    const auto& expiry = outcome.certificate_expiry;
    if (!expiry || slot.plan != attempt.plan) {  // the slot may be another home's by now
        return;
    }
    if (!core::expires_soon(*expiry, now.wall)) {
        if (slot.warned_home != nullptr) {
            expiry_notices_.note_renewed(*slot.warned_home);
        }
        return;
    }
    const core::ServiceKey& service = attempt.plan->service;
    const std::string_view cluster = fleet_.cluster_of(attempt);
    if (slot.warned_home == nullptr) {
        slot.warned_home = std::make_unique<const std::string>(
            fmt::format("{}/{}/{}", service.ns, service.name, cluster));
    }
    const auto others = expiry_notices_.note(*slot.warned_home, expiry->seconds, now.steady);
    if (!others) {
        return;
    }
    telemetry::log::warn(
        *expiry <= now.wall ? "a certificate has expired" : "a certificate expires soon",
        {{"service", service.ns + "/" + service.name},
         {"cluster", cluster},
         {"notAfter", core::format_timestamp(*expiry)},
         {"others", *others}});
}

// Every waiting attempt would find the same shortage at once: hold all for a moment, and say so.
void Shard::pause_for_descriptors() {
    const core::SteadyTime now = net::read_clock().steady;
    if (now >= hold_until_ && now >= next_shortage_warning_) {
        next_shortage_warning_ = core::later(now, shortage_warning_interval);
        telemetry::log::warn("no file descriptor is left: attempts wait",
                             {{"open", client_.stats().idle_connections},
                              {"pause", shortage_pause},
                              {"remedy",
                               "raise the limit (ulimit -n) or lower maxConcurrentRequests "
                               "or max-idle-connections"}});
    }
    hold_until_ = core::later(now, shortage_pause);
}

Shard::SlotState& Shard::prepare_slot(const core::Attempt& attempt) {
    while (slots_.size() <= attempt.slot) {
        slots_.emplace_back();
    }
    SlotState& slot = slots_[attempt.slot];
    if (slot.plan != attempt.plan || slot.request == nullptr) {
        const core::RequestPlan& plan = *attempt.plan;
        const bool fresh = plan.kind == core::Kind::Probe ? settings_.fresh_probes
                                                          : plan.method == core::Method::Post;
        slot.lane.close();
        slot.plan = attempt.plan;
        net::PreparedRequest request = client_.prepare(
            fleet_.target_of(attempt), plan.method, fresh, std::string(fleet_.cluster_of(attempt)));
        std::string().swap(request.target.target);  // in its bytes now, as is the Host header
        std::string().swap(request.target.host_header);
        slot.request = std::make_shared<const net::PreparedRequest>(std::move(request));
    }
    return slot;
}

void Shard::record(const core::Attempt& attempt, const core::AttemptOutcome& outcome) {
    KindStats& kind = stats_.kinds[static_cast<std::size_t>(attempt.plan->kind)];
    const auto add = [](Latency& histogram, core::Duration phase) {
        if (phase > core::Duration::zero()) {
            histogram.add(in_seconds(phase));
        }
    };
    add(kind.dns, outcome.phases.dns);
    add(kind.connect, outcome.phases.connect);
    add(kind.tls, outcome.phases.tls);
    add(kind.first_byte, outcome.phases.first_byte);
    add(kind.total, outcome.phases.total);
    SlotState& slot = slots_[attempt.slot];
    if (slot.plan == attempt.plan && outcome.fault != core::Fault::Cancelled) {
        const auto load =
            static_cast<float>(in_seconds(outcome.phases.total) / in_seconds(attempt.plan->period));
        load_ += load - slot.load.value_or(0.0F);
        loaded_slots_ += slot.load ? 0U : 1U;
        slot.load = load;
    }
}

}  // namespace ome::observer
