#include "engine.hpp"

#include "notice_log.hpp"
#include <ome/net/clock.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;
namespace log = telemetry::log;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

// Passes between two looks at the sockets.
constexpr std::size_t passes_a_turn = 64;

// Bounds the memory of what is shown; everything is in the log.
constexpr std::size_t most_complaints = 1000;

}  // namespace

struct Engine::State {
    State(asio::io_context& context,
          ReconcilerSettings reconciling,
          routing::PublicationSettings publication,
          LinkSettings linking,
          std::unique_ptr<Store> chosen)
        : io(context),
          store(std::move(chosen)),
          dry_run(reconciling.dry_run),
          reconciler(std::move(reconciling), net::read_clock()),
          publisher(std::move(publication),
                    [this](const core::ServiceKey& key) { return why_frozen(key); }),
          link(
              io,
              std::move(linking),
              reconciler,
              [] { return net::read_clock(); },
              [this] { turn_soon(); }),
          alarm(io) {}

    void take_lead(bool now);
    void hear_state(StoreState now);
    void hear(const std::vector<StoreNews>& all);
    void hear_complaint(const StoreNews& one);
    void hear_doubt(const news::Doubtful& doubt);
    void hear(const std::vector<StoreResult>& results);
    void hear(const std::vector<PublicationResult>& results);
    [[nodiscard]] std::string why_frozen(const core::ServiceKey& key) const;
    void turn_soon();
    void turn();
    bool obey(Work work);
    void set_alarm();

    asio::io_context& io;
    std::unique_ptr<Store> store;
    bool dry_run;
    Reconciler reconciler;
    Publisher publisher;
    ObserverLink link;
    Timer alarm;
    bool leading = false;
    bool lead_known = false;
    bool turning = false;
    bool stopped = false;
    StoreState seen;
    std::map<std::string, Complaint> complaints;
    telemetry::Histogram turn_seconds{telemetry::latency_bounds()};
};

void Engine::State::hear_doubt(const news::Doubtful& doubt) {
    log::warn(doubt.key ? "a service has something that nobody reads, or that can hardly be meant"
                        : "a file has something that nobody reads, or that can hardly be meant",
              {{"at", doubt.place}, {"problem", doubt.problem.message}});
    if (doubt.key) {
        store->submit({EventRecord{.key = *doubt.key,
                                   .service_uid = doubt.service_uid,
                                   .warning = true,
                                   .reason = "Doubtful",
                                   .message = doubt.problem.message,
                                   .at = net::read_clock().wall}});
    }
}

void Engine::State::hear_complaint(const StoreNews& one) {
    if (const auto* usable = std::get_if<news::UsableAgain>(&one)) {
        complaints.erase(usable->file);
        log::info("file is usable again, or gone", {{"file", usable->file}});
        return;
    }
    if (const auto* doubtful = std::get_if<news::Doubtful>(&one)) {
        hear_doubt(*doubtful);
        return;
    }
    if (!std::holds_alternative<news::Unusable>(one)) {
        return;
    }
    const auto& unusable = std::get<news::Unusable>(one);
    log::error("file cannot be used, what was in force stays",
               {{"at", unusable.place},
                {"field", unusable.problem.field},
                {"problem", unusable.problem.message}});
    if (complaints.size() < most_complaints) {
        complaints[file_of_place(unusable.place)] = {unusable.place, unusable.problem};
    }
    if (unusable.key) {
        store->submit(
            {EventRecord{.key = *unusable.key,
                         .service_uid = unusable.service_uid,
                         .warning = true,
                         .reason = "Unusable",
                         .message = fmt::format("{}: {}", unusable.place, unusable.problem.message),
                         .at = net::read_clock().wall}});
    }
}

// What is on its way from an old lead finds nothing that it could change.
void Engine::State::take_lead(bool now) {
    const bool first = !std::exchange(lead_known, true);
    const bool before = std::exchange(leading, now);
    log::info(now      ? dry_run ? "dry run: maps are computed and compared, nothing is written"
                                 : "leading"
              : before ? "the lead is lost; waiting"
                       : "another controller holds the store; waiting");
    if (before && !now) {
        reconciler.start_over(net::read_clock());
        publisher.start_over();
        complaints.clear();
        alarm.cancel();
    }
    // What was declared before a restart of the routing part is not wanted any more either.
    if (!now && (before || first)) {
        link.let_go();
    }
}

// Pauses between attempts grow to a quarter of an hour: what waits for a right must not.
void Engine::State::hear_state(StoreState now) {
    const auto& rights = now.missing_rights;
    const auto& before = seen.missing_rights;
    const bool given = std::any_of(before.begin(), before.end(), [&rights](const auto& one) {
        return std::find(rights.begin(), rights.end(), one) == rights.end();
    });
    seen = std::move(now);
    if (given && leading) {
        reconciler.retry(net::read_clock());
        publisher.retry();
        turn_soon();
    }
}

void Engine::State::hear(const std::vector<StoreNews>& all) {
    if (!leading) {
        return;
    }
    const core::Now now = net::read_clock();
    for (const StoreNews& one : all) {
        hear_complaint(one);
        reconciler.hear(one, now);
        publisher.hear(one, now);
        if (std::holds_alternative<news::Listed>(one)) {
            log::info("the store has been read",
                      {{"services", reconciler.counts(now).services},
                       {"maps", reconciler.counts(now).maps}});
        }
    }
    turn_soon();
}

// What one of the two writes the other learns as if somebody had told it.
void Engine::State::hear(const std::vector<StoreResult>& results) {
    if (!leading) {
        return;
    }
    const core::Now now = net::read_clock();
    for (const StoreResult& result : results) {
        reconciler.hear(result, now);
        if (result.outcome == StoreResult::Outcome::Done) {
            publisher.hear_map(result.key, result.map, now);
        }
    }
    turn_soon();
}

void Engine::State::hear(const std::vector<PublicationResult>& results) {
    if (!leading) {
        return;
    }
    const core::Now now = net::read_clock();
    for (const PublicationResult& result : results) {
        publisher.hear(result, now);
        if (result.object || result.outcome != StoreResult::Outcome::Done) {
            continue;
        }
        if (result.map != nullptr) {
            reconciler.hear(StoreNews(news::MapIs{result.map}), now);
        } else {
            reconciler.hear(StoreNews(news::MapGone{result.source}), now);
        }
    }
    turn_soon();
}

// The publisher asks in each of its passes over a map that is stale.
std::string Engine::State::why_frozen(const core::ServiceKey& key) const {
    const auto explanation = reconciler.explain(key, net::read_clock());
    return explanation ? explanation->frozen : std::string();
}

void Engine::State::turn_soon() {
    if (!std::exchange(turning, true)) {
        asio::post(io, [this] { turn(); });
    }
}

// Whether there is more of the kind.
bool Engine::State::obey(Work work) {
    for (const Notice& notice : work.notices) {
        write_notice(notice);
    }
    store->submit(std::move(work.store));
    return work.more;
}

void Engine::State::turn() {
    turning = false;
    if (stopped || !leading) {
        return;
    }
    const core::Now now = net::read_clock();
    bool more = obey(reconciler.work(now, passes_a_turn));
    more = obey(publisher.work(now, passes_a_turn)) || more;
    link.wake();
    turn_seconds.add(std::chrono::duration<double>(net::read_clock().steady - now.steady).count());
    if (more) {
        turn_soon();
    } else {
        set_alarm();
    }
}

void Engine::State::set_alarm() {
    auto at = reconciler.next_wakeup();
    if (const auto publication = publisher.next_wakeup()) {
        at = at ? std::min(*at, *publication) : publication;
    }
    if (!at) {
        return;
    }
    alarm.expires_at(*at);
    alarm.async_wait([this](const boost::system::error_code& error) {
        if (!error) {
            turn_soon();
        }
    });
}

Engine::Engine(asio::io_context& io,
               ReconcilerSettings reconciler,
               routing::PublicationSettings publication,
               LinkSettings link,
               std::unique_ptr<Store> store)
    : state_(std::make_unique<State>(
          io, std::move(reconciler), std::move(publication), std::move(link), std::move(store))) {}

Engine::~Engine() = default;

void Engine::count_on(const EngineCounters& before) {
    state_->reconciler.count_on(before.reconciler, before.write_seconds);
    state_->publisher.count_on(before.publisher);
    state_->link.count_on(before.link);
    state_->turn_seconds = before.turn_seconds;
}

EngineCounters Engine::counters() const {
    return {.reconciler = state_->reconciler.totals(),
            .write_seconds = state_->reconciler.write_seconds(),
            .publisher = state_->publisher.totals(),
            .link = state_->link.status(),
            .turn_seconds = state_->turn_seconds};
}

void Engine::start() {
    State& state = *state_;
    Store::Listener listener;
    listener.news = [&state](const std::vector<StoreNews>& news) { state.hear(news); };
    listener.results = [&state](const std::vector<StoreResult>& results) { state.hear(results); };
    listener.published = [&state](const std::vector<PublicationResult>& results) {
        state.hear(results);
    };
    listener.leading = [&state](bool now) { state.take_lead(now); };
    listener.state = [&state](StoreState now) { state.hear_state(std::move(now)); };
    state.store->start(std::move(listener));
    state.link.start();
}

void Engine::complain(const std::string& file, std::optional<core::Problem> problem) {
    if (problem) {
        state_->complaints[file] = {file, *std::move(problem)};
    } else {
        state_->complaints.erase(file);
    }
}

void Engine::remark(EventRecord event) {
    if (state_->leading && !state_->stopped) {
        state_->store->submit({std::move(event)});
    }
}

net::Awaitable<void> Engine::stop() {
    state_->stopped = true;
    state_->alarm.cancel();
    co_await state_->link.stop();
    state_->store->stop();
}

const Reconciler& Engine::reconciler() const {
    return state_->reconciler;
}

const Publisher& Engine::publisher() const {
    return state_->publisher;
}

const LinkStatus& Engine::link() const {
    return state_->link.status();
}

bool Engine::leading() const {
    return state_->leading;
}

bool Engine::dry_run() const {
    return state_->dry_run;
}

bool Engine::lead_known() const {
    return state_->lead_known;
}

bool Engine::ready() const {
    return state_->reconciler.knows_everything();
}

const std::map<std::string, Complaint>& Engine::complaints() const {
    return state_->complaints;
}

const StoreState& Engine::store_state() const {
    return state_->seen;
}

const telemetry::Histogram& Engine::turn_seconds() const {
    return state_->turn_seconds;
}

}  // namespace ome::controller
