#include "shard.hpp"

#include <ome/core/timestamp.hpp>
#include <ome/net/clock.hpp>
#include <ome/telemetry/log.hpp>
#include <ome/wire/report.hpp>

#include <algorithm>
#include <utility>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;

// How often a reactor may tell the arbiter that its numbers changed: well below the 5 ms in which a
// free permit must reach a reactor that waits for it.
constexpr core::Duration report_interval = 1ms;

constexpr core::Duration expiry_warning_interval = 10s;

// While descriptors are short nothing new is started for this long.
constexpr core::Duration shortage_pause = 100ms;

core::SteadyTime next_on_grid(core::SteadyTime at, core::Duration grid) {
    const auto since = at.time_since_epoch();
    return core::SteadyTime((since + grid - 1ns) / grid * grid);
}

double seconds(core::Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

void log_attempt(const core::Attempt& attempt, const core::AttemptOutcome& outcome) {
    const core::RequestPlan& plan = *attempt.plan;
    telemetry::log::debug("attempt",
                          {{"service", plan.service.ns + "/" + plan.service.name},
                           {"cluster", plan.cluster},
                           {"kind", core::to_string(plan.kind)},
                           {"status", outcome.status.value_or(0)},
                           {"fault", outcome.text},
                           {"took", outcome.phases.total}});
}

}  // namespace

struct Shard::Worker {
    explicit Worker(net::asio::io_context& io) : parked(io, core::SteadyTime::max()) {}

    Timer parked;  ///< never expires; cancelled to wake the worker
    net::FetchBuffer buffer;
};

struct Shard::SlotState {
    std::shared_ptr<const core::RequestPlan> plan;
    std::shared_ptr<const net::PreparedRequest> request;
    net::Lane lane;
    net::Operation* operation = nullptr;  ///< of the attempt in flight
    std::optional<double> load;           ///< time a permit is held / period, once known
    core::WallTime warned_of;             ///< the expiry that the log has told of
};

Shard::Shard(net::asio::io_context& io,
             net::Client& client,
             const ShardSettings& settings,
             Announce announce,
             ReportPermits report_permits)
    : io_(io),
      client_(client),
      settings_(settings),
      announce_(std::move(announce)),
      report_permits_(std::move(report_permits)),
      fleet_(settings.min_period),
      deadlines_(io),
      tasks_(io),
      timer_(io),
      recent_lateness_(net::read_clock().steady),
      recent_starts_(recent_lateness_) {}

Shard::~Shard() = default;

void Shard::declare(const core::ServiceDeclaration& declaration) {
    announce_changes();
    core::Dropped dropped = fleet_.declare(declaration, net::read_clock());
    drop(dropped);
    tell({declaration.key,
          false,
          std::move(dropped.forgotten),
          dropped.service_changed,
          fleet_.take_changes()});
    pump();
}

void Shard::forget(const core::ServiceKey& service) {
    announce_changes();
    drop(fleet_.forget(service));
    tell({service, true, {}, false, {}});
    pump();
}

std::optional<core::ServiceReading> Shard::read(const core::ServiceKey& service) {
    std::optional<core::ServiceReading> reading = fleet_.read(service, net::read_clock());
    announce_changes();  // reading applies expiry; the change must not come after the reading
    return reading;
}

std::optional<core::ServiceReading> Shard::read(const core::ServiceKey& service,
                                                const std::vector<std::string>& clusters) {
    std::optional<core::ServiceReading> reading = fleet_.read(service, clusters, net::read_clock());
    announce_changes();
    return reading;
}

std::optional<core::ExtraAttempts> Shard::request_attempts(const core::ServiceKey& service) {
    std::optional<core::ExtraAttempts> answer = fleet_.request_attempts(service, net::read_clock());
    pump();
    return answer;
}

std::optional<std::vector<core::HomeHistory>> Shard::history(const core::ServiceKey& service,
                                                             const core::HistoryPart& part) const {
    return fleet_.history(service, part);
}

void Shard::allow(const core::Allowance& allowance) {
    allowance_ = allowance;
    said_.serial = 0;  // the arbiter waits to hear that this one has arrived
    pump();
}

void Shard::set_limits(core::Duration min_period, std::size_t max_response_bytes) {
    fleet_.set_min_period(min_period);
    settings_.max_response_bytes = max_response_bytes;
}

ShardStats Shard::stats() {
    stats_.fleet = fleet_.counts();
    stats_.extremes = fleet_.extremes();
    stats_.allowance = allowance_.permits;
    stats_.in_use = in_use_;
    stats_.client = client_.stats();
    const core::SteadyTime now = net::read_clock().steady;
    // Those not tried yet are taken for typical: a budget far too short must not look sufficient
    // just because it lets few attempts through.
    stats_.needed = loaded_slots_ == 0 ? 0.0
                                       : load_ * static_cast<double>(stats_.fleet.observations) /
                                             static_cast<double>(loaded_slots_);
    stats_.recent_lateness = recent_lateness_.view(now).values;
    const Recent::View starts = recent_starts_.view(now);
    stats_.recent_wait = starts.values;
    stats_.attempts_per_second =
        starts.span > core::Duration::zero()
            ? static_cast<double>(starts.values.count()) / seconds(starts.span)
            : 0.0;
    return stats_;
}

net::Awaitable<void> Shard::stop() {
    stopping_ = true;
    timer_.cancel();
    for (SlotState& slot : slots_) {
        if (slot.operation != nullptr) {
            slot.operation->cancel();
        }
    }
    for (const auto& worker : workers_) {
        worker->parked.cancel();
    }
    co_await tasks_.stop();
    slots_.clear();
}

// Everything that follows from time having passed or something having changed.
void Shard::pump() {
    if (stopping_) {
        return;
    }
    const core::Now now = net::read_clock();
    fleet_.gather(now);
    announce_changes();
    wake_worker();
    ask_for_permits(now.steady);
    arm();
}

// One is enough: a worker that takes an attempt wakes the next one itself.
void Shard::wake_worker() {
    if (fleet_.services_waiting() == 0 || in_use_ >= allowance_.permits) {
        return;
    }
    if (!idle_.empty()) {
        idle_.back()->parked.cancel();
        idle_.pop_back();
    } else if (static_cast<std::int64_t>(workers_.size()) < allowance_.permits) {
        workers_.push_back(std::make_unique<Worker>(io_));
        tasks_.spawn(work(workers_.back().get()));
    }
}

net::Awaitable<void> Shard::work(Worker* worker) {
    while (!stopping_) {
        std::optional<core::Attempt> attempt = next_attempt();
        if (attempt) {
            wake_worker();
            co_await run(std::move(*attempt), worker);
        } else {
            idle_.push_back(worker);
            std::ignore = co_await worker->parked.async_wait(net::as_result);
        }
    }
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
    stats_.slot_wait.add(seconds(waited));
    recent_starts_.add(waited, now);
    if (!attempt.first) {
        stats_.lateness.add(seconds(waited));
        recent_lateness_.add(waited, now);
    }
}

net::Awaitable<void> Shard::run(core::Attempt attempt, Worker* worker) {
    core::AttemptOutcome outcome = co_await exchange(attempt, worker);
    record(attempt, outcome);
    if (telemetry::log::enabled(telemetry::log::Level::Debug)) {
        log_attempt(attempt, outcome);
    }
    const core::Now now = net::read_clock();
    if (settings_.recorder == nullptr) {
        fleet_.finish(attempt, std::move(outcome), now);
    } else {
        finish_recorded(attempt, std::move(outcome), *worker, now);
    }
    --in_use_;
    pump();
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
                             .cluster = plan.cluster,
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

net::Awaitable<core::AttemptOutcome> Shard::exchange(const core::Attempt& attempt, Worker* worker) {
    const bool poll = attempt.plan->kind == core::Kind::Poll;
    SlotState& slot = prepare_slot(attempt);
    net::ExchangeFacts facts;
    const net::FetchOptions options{
        .body = poll ? net::BodyUse::Report : net::BodyUse::Discard,
        .max_body_bytes = settings_.max_response_bytes,
        .facts = &facts,
    };
    net::Operation operation(deadlines_, attempt.plan->timeout);
    slot.operation = &operation;
    core::AttemptOutcome outcome =
        co_await client_.fetch(slot.request, options, &slot.lane, &operation, &worker->buffer);
    if (poll && outcome.fault == core::Fault::None && outcome.status == 200 &&
        outcome.report.index() == 0) {
        outcome.report = wire::decode_report(worker->buffer.body(), true);
    }
    slot.operation = nullptr;
    outcome.certificate_expiry = facts.certificate_expiry;
    if (poll && facts.server_date) {
        outcome.clock_skew = core::clock_skew_seconds(*facts.server_date, facts.answered_at);
    }
    warn_of_expiry(attempt, outcome);
    if (facts.descriptor_shortage) {
        pause_for_descriptors();
    }
    co_return outcome;
}

// Once for each certificate and observation, and not for all homes of a fleet at once: what is not
// told here is in the readings and the metrics.
void Shard::warn_of_expiry(const core::Attempt& attempt, const core::AttemptOutcome& outcome) {
    const core::Now now = net::read_clock();
    SlotState& slot = slots_[attempt.slot];
    if (!outcome.certificate_expiry || !core::expires_soon(*outcome.certificate_expiry, now.wall) ||
        slot.warned_of == *outcome.certificate_expiry) {
        return;
    }
    slot.warned_of = *outcome.certificate_expiry;
    if (now.steady < next_expiry_warning_) {
        ++expiries_untold_;
        return;
    }
    next_expiry_warning_ = now.steady + expiry_warning_interval;
    telemetry::log::warn("a certificate expires soon",
                         {{"service", attempt.plan->service.ns + "/" + attempt.plan->service.name},
                          {"cluster", attempt.plan->cluster},
                          {"notAfter", core::format_timestamp(*outcome.certificate_expiry)},
                          {"others", std::exchange(expiries_untold_, 0)}});
}

// Every waiting attempt would find the same shortage at once: hold all for a moment, and say so.
void Shard::pause_for_descriptors() {
    const core::SteadyTime now = net::read_clock().steady;
    if (now >= hold_until_) {
        telemetry::log::warn("no file descriptor is left: attempts wait",
                             {{"open", client_.stats().idle_connections},
                              {"pause", shortage_pause},
                              {"remedy",
                               "raise the limit (ulimit -n) or lower maxConcurrentRequests "
                               "or max-idle-connections"}});
    }
    hold_until_ = now + shortage_pause;
}

Shard::SlotState& Shard::prepare_slot(const core::Attempt& attempt) {
    while (slots_.size() <= attempt.slot) {
        slots_.emplace_back();
    }
    SlotState& slot = slots_[attempt.slot];
    if (slot.plan != attempt.plan) {
        const core::RequestPlan& plan = *attempt.plan;
        const bool fresh = plan.kind == core::Kind::Probe ? settings_.fresh_probes
                                                          : plan.method == core::Method::Post;
        slot.lane.close();
        slot.plan = attempt.plan;
        slot.request = std::make_shared<const net::PreparedRequest>(
            client_.prepare(plan.target, plan.method, fresh, plan.cluster));
    }
    return slot;
}

void Shard::record(const core::Attempt& attempt, const core::AttemptOutcome& outcome) {
    KindStats& kind = stats_.kinds[static_cast<std::size_t>(attempt.plan->kind)];
    const auto add = [](Latency& histogram, core::Duration phase) {
        if (phase > core::Duration::zero()) {
            histogram.add(seconds(phase));
        }
    };
    add(kind.dns, outcome.phases.dns);
    add(kind.connect, outcome.phases.connect);
    add(kind.tls, outcome.phases.tls);
    add(kind.first_byte, outcome.phases.first_byte);
    add(kind.total, outcome.phases.total);
    SlotState& slot = slots_[attempt.slot];
    if (slot.plan == attempt.plan && outcome.fault != core::Fault::Cancelled) {
        const double load = seconds(outcome.phases.total) / seconds(attempt.plan->period);
        load_ += load - slot.load.value_or(0);
        loaded_slots_ += slot.load ? 0U : 1U;
        slot.load = load;
    }
}

void Shard::drop(const core::Dropped& dropped) {
    const auto end_attempt = [this](core::Slot index) {
        if (index < slots_.size() && slots_[index].operation != nullptr) {
            slots_[index].operation->cancel();
        }
    };
    std::for_each(dropped.cancelled.begin(), dropped.cancelled.end(), end_attempt);
    for (const core::Slot index : dropped.released) {
        end_attempt(index);
        if (index < slots_.size()) {
            SlotState& slot = slots_[index];
            load_ -= slot.load.value_or(0);
            loaded_slots_ -= slot.load ? 1U : 0U;
            slot.load.reset();
            slot.lane.close();
            slot.plan.reset();
            slot.request.reset();
        }
    }
}

void Shard::announce_changes() {
    tell({{}, false, {}, false, fleet_.take_changes()});
}

void Shard::tell(ShardNews news) {
    if (!news.changes.empty() || news.service_changed || news.service_forgotten ||
        !news.homes_forgotten.empty()) {
        stats_.reading_changes += news.changes.size();
        announce_(std::move(news));
    }
}

// The arbiter hears of changed numbers at most once per interval; what it did not hear yet is on
// the timer.
void Shard::ask_for_permits(core::SteadyTime now) {
    if (settings_.alone || now - said_at_ < report_interval) {
        return;
    }
    const core::FleetCounts counts = fleet_.counts();
    const core::PermitReport report{
        .reactor = settings_.index,
        .serial = allowance_.serial,
        .started = started_,
        .in_use = in_use_,
        .services_waiting = static_cast<std::int64_t>(fleet_.services_waiting()),
        .attempts_waiting = static_cast<std::int64_t>(counts.waiting),
    };
    if (report != said_) {
        said_ = report;
        said_at_ = now;
        report_permits_(report);
    }
}

void Shard::arm() {
    std::optional<core::SteadyTime> next = fleet_.next_wakeup();
    const bool unsaid =
        !settings_.alone && (said_.in_use != in_use_ || said_.serial != allowance_.serial ||
                             fleet_.services_waiting() > 0);
    if (unsaid) {
        next = std::min(next.value_or(core::SteadyTime::max()), said_at_ + report_interval);
    }
    if (fleet_.services_waiting() > 0 && net::read_clock().steady < hold_until_) {
        next = std::min(next.value_or(core::SteadyTime::max()), hold_until_);
    }
    if (!next) {
        return;
    }
    const core::SteadyTime at = next_on_grid(*next, settings_.grid);
    if (armed_ && *armed_ <= at) {
        return;
    }
    armed_ = at;
    timer_.expires_at(at);
    timer_.async_wait([this](const boost::system::error_code& ec) {
        if (!ec) {
            armed_.reset();
            pump();
        }
    });
}

}  // namespace ome::observer
