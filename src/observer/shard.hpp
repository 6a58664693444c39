// One reactor's share of the observer: asks its core::Fleet what is due, runs it within its
// allowance of the budget, and reports back. Everything here happens on the reactor's thread; other
// threads post.
//
// Attempts are run by worker coroutines, as many as there were ever permits at once; a worker that
// finishes takes the next waiting attempt itself, so a saturated reactor never goes through its
// queue.
#pragma once

#include "expiry_notices.hpp"
#include "recent.hpp"
#include "recorder.hpp"
#include "shard_news.hpp"
#include "shard_stats.hpp"
#include <ome/core/fleet.hpp>
#include <ome/core/permits.hpp>
#include <ome/net/client.hpp>
#include <ome/net/operation.hpp>
#include <ome/net/task_scope.hpp>

#include <boost/asio/basic_waitable_timer.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ome::observer {

struct ShardSettings {
    std::size_t index = 0;
    core::Duration min_period{};
    core::Duration grid = std::chrono::milliseconds(1);  ///< due homes are gathered on this
    std::size_t max_response_bytes = 65536;
    bool fresh_probes = true;
    bool alone = true;             ///< the only reactor: the budget need not be asked for
    Recorder* recorder = nullptr;  ///< of `--record`; outlives the shard
};

class Shard {
public:
    /// Both are called on the reactor's thread.
    using Announce = std::function<void(ShardNews)>;
    using ReportPermits = std::function<void(const core::PermitReport&)>;

    Shard(net::asio::io_context& io,
          net::Client& client,
          const ShardSettings& settings,
          Announce announce,
          ReportPermits report_permits);
    ~Shard();
    Shard(const Shard&) = delete;
    Shard& operator=(const Shard&) = delete;

    void declare(const core::ServiceDeclaration& declaration);
    void forget(const core::ServiceKey& service);
    [[nodiscard]] std::optional<core::ServiceReading> read(const core::ServiceKey& service);
    /// The same with the homes of these clusters only.
    [[nodiscard]] std::optional<core::ServiceReading> read(
        const core::ServiceKey& service, const std::vector<std::string>& clusters);
    [[nodiscard]] std::optional<core::ExtraAttempts> request_attempts(
        const core::ServiceKey& service);
    [[nodiscard]] std::optional<std::vector<core::HomeHistory>> history(
        const core::ServiceKey& service, const core::HistoryPart& part) const;

    /// Whether anybody follows the changes; nobody at first.
    void set_followed(bool followed);
    void allow(const core::Allowance& allowance);
    void set_limits(core::Duration min_period, std::size_t max_response_bytes);
    [[nodiscard]] ShardStats stats();

    /// Cancels what is in flight and returns when every worker has ended. No result is recorded.
    net::Awaitable<void> stop();

private:
    using Timer = net::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                  net::asio::wait_traits<std::chrono::steady_clock>,
                                                  net::Executor>;
    struct Worker;
    struct SlotState;

    net::Awaitable<void> work(Worker* worker);
    [[nodiscard]] net::FetchOptions fetch_options(const core::Attempt& attempt,
                                                  Worker& worker) const;
    void complete(const core::Attempt& attempt,
                  core::AttemptOutcome& outcome,
                  const Worker& worker);
    void finish(const core::Attempt& attempt, core::AttemptOutcome outcome, const Worker& worker);
    [[nodiscard]] std::optional<core::Attempt> next_attempt();
    SlotState& prepare_slot(const core::Attempt& attempt);
    void note_start(const core::Attempt& attempt, core::SteadyTime now);
    void pause_for_descriptors();
    void warn_of_expiry(const core::Attempt& attempt,
                        const core::AttemptOutcome& outcome,
                        const core::Now& now);
    void record(const core::Attempt& attempt, const core::AttemptOutcome& outcome);
    void finish_recorded(const core::Attempt& attempt,
                         core::AttemptOutcome outcome,
                         const Worker& worker,
                         const core::Now& now);

    void pump();
    void pump(const core::Now& now);
    void wake_worker();
    void drop(const core::Dropped& dropped);
    void announce_changes();
    void announce_when_due(const core::Now& now);
    void tell(ShardNews news);
    void arm();
    void ask_for_permits(core::SteadyTime now);

    net::asio::io_context& io_;
    net::Client& client_;
    ShardSettings settings_;
    Announce announce_;
    ReportPermits report_permits_;

    core::Fleet fleet_;
    net::Deadlines deadlines_;
    net::TaskScope tasks_;
    Timer timer_;
    std::optional<core::SteadyTime> armed_;

    std::deque<SlotState> slots_;  ///< by core::Slot; addresses are stable
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Worker*> idle_;
    bool stopping_ = false;

    core::SteadyTime next_news_;  ///< changes wait until then, to be told together
    core::Allowance allowance_;
    std::int64_t in_use_ = 0;
    std::int64_t started_ = 0;
    core::PermitReport said_;
    core::SteadyTime said_at_;
    ExpiryNotices expiry_notices_;
    core::SteadyTime next_shortage_warning_;
    core::SteadyTime hold_until_;  ///< no new attempts before: this process is short of descriptors

    ShardStats stats_;
    double load_ = 0;               ///< the sum of what is known of slots
    std::size_t loaded_slots_ = 0;  ///< of how many it is known
    Recent recent_lateness_;
    Recent recent_starts_;
};

}  // namespace ome::observer
