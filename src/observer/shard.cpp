#include "shard_state.hpp"
#include <ome/core/deadline.hpp>
#include <ome/net/clock.hpp>

#include <algorithm>
#include <utility>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;

// How often a reactor may tell the arbiter that its numbers changed: well below the 5 ms in which a
// free permit must reach a reactor that waits for it.
constexpr core::Duration report_interval = 1ms;

// Changes within this time are told in one message: a message for each woke the API's thread for
// each poll, which cost more than the poll (10 of 21 us, with both threads on one core).
constexpr core::Duration news_interval = 5ms;

// Of a fleet whose certificates all end together the log is not to be filled at once.
constexpr core::Duration expiry_notice_interval = 10s;
constexpr std::size_t most_expiry_notices = 10;

}  // namespace

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
      expiry_notices_(expiry_notice_interval, most_expiry_notices),
      recent_lateness_(net::read_clock().steady),
      recent_starts_(recent_lateness_) {
    fleet_.announce_times(false);
}

Shard::~Shard() = default;

void Shard::declare(const core::ServiceDeclaration& declaration) {
    announce_changes();
    const core::Now now = net::read_clock();
    core::Dropped dropped = fleet_.declare(declaration, now);
    drop(dropped);
    if (settings_.recorder != nullptr && dropped.changed) {
        settings_.recorder->offer(
            RecordedDeclaration{now.wall, declaration, std::move(dropped.moved)});
    }
    tell({declaration.key,
          false,
          std::move(dropped.forgotten),
          dropped.service_changed,
          fleet_.take_changes()});
    pump();
}

void Shard::forget(const core::ServiceKey& service) {
    announce_changes();
    const core::Dropped dropped = fleet_.forget(service);
    drop(dropped);
    if (settings_.recorder != nullptr && dropped.changed) {
        settings_.recorder->offer(RecordedForgetting{net::read_clock().wall, service});
    }
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

void Shard::set_followed(bool followed) {
    fleet_.announce_times(followed);
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
            ? static_cast<double>(starts.values.count()) / in_seconds(starts.span)
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
    pump(net::read_clock());
}

void Shard::pump(const core::Now& now) {
    if (stopping_) {
        return;
    }
    fleet_.gather(now);
    announce_when_due(now);
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
            load_ -= slot.load.value_or(0.0F);
            loaded_slots_ -= slot.load ? 1U : 0U;
            slot.load.reset();
            slot.lane.close();
            slot.plan.reset();
            slot.request.reset();
            if (const auto home = std::exchange(slot.warned_home, nullptr)) {
                expiry_notices_.forget(*home);
            }
        }
    }
}

void Shard::announce_changes() {
    tell({{}, false, {}, false, fleet_.take_changes()});
}

void Shard::announce_when_due(const core::Now& now) {
    if (now.steady >= next_news_ && fleet_.has_changes()) {
        next_news_ = core::later(now.steady, news_interval);
        announce_changes();
    }
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
        next = std::min(next.value_or(core::SteadyTime::max()),
                        core::later(said_at_, report_interval));
    }
    if (fleet_.has_changes()) {
        next = std::min(next.value_or(core::SteadyTime::max()), next_news_);
    }
    if (fleet_.services_waiting() > 0 && net::read_clock().steady < hold_until_) {
        next = std::min(next.value_or(core::SteadyTime::max()), hold_until_);
    }
    if (!next) {
        return;
    }
    const core::SteadyTime at = core::next_on_grid(*next, settings_.grid);
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
