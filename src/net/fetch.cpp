#include "fetch.hpp"

#include "opening.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::net {
namespace {

constexpr std::size_t kept_buffer = std::size_t{16} * 1024;
constexpr std::size_t longest_text = 1024;  // design.md D8

core::SteadyTime now() {
    return std::chrono::steady_clock::now();
}

core::WallTime wall_now() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return core::WallTime{} + std::chrono::duration_cast<core::Duration>(since);
}

class InFlight {
public:
    explicit InFlight(Client::State& state) : state_(state) { ++state_.stats.in_flight; }
    ~InFlight() {
        if (--state_.stats.in_flight == 0 && state_.stopping) {
            state_.quiet.cancel();
        }
    }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

private:
    Client::State& state_;
};

/// A buffer that one long answer made large goes back to its usual size before the next.
void shrink(std::vector<char>& buffer) {
    if (buffer.size() > kept_buffer) {
        buffer.resize(kept_buffer);
        buffer.shrink_to_fit();
    }
}

}  // namespace

Fetch::Fetch(Client::State& state,
             const PreparedRequest& request,
             FetchOptions options,
             Lane* lane,
             Operation& operation,
             FetchBuffer& buffer)
    : state_(state),
      request_(request),
      options_(options),
      lane_(lane),
      operation_(operation),
      buffer_(buffer) {}

std::shared_ptr<PooledConnection> Fetch::take_kept() {
    buffer_.body_begin_ = buffer_.body_size_ = 0;
    shrink(buffer_.bytes_);
    return may_reuse() ? state_.pool.take(*lane_) : nullptr;
}

core::AttemptOutcome Fetch::conclude(bool cancelled) {
    if (outcome_.fault == core::Fault::None && operation_.ended() != Ended::Running) {
        fail(core::Fault::Deadline, {});
    }
    if (outcome_.fault != core::Fault::None && cancelled) {
        fail(core::Fault::Cancelled, "context canceled");  // by the task's scope
    }
    outcome_.phases.total = now() - operation_.started();
    return std::move(outcome_);
}

bool Fetch::may_reuse() const {
    return lane_ != nullptr && !request_.fresh && request_.method != core::Method::Post;
}

Awaitable<std::shared_ptr<PooledConnection>> Fetch::open() {
    Opened opened = co_await open_connection(state_, request_, operation_, outcome_.phases);
    if (opened.connection == nullptr) {
        note_expiry(opened.certificate_expiry);
        if (opened.descriptor_shortage && !operation_.over()) {
            ++state_.stats.shortages;
            if (options_.facts != nullptr) {
                options_.facts->descriptor_shortage = true;
            }
            fail(core::Fault::Cancelled, "no file descriptor left");
        } else {
            fail(opened.fault, std::move(opened.problem));
        }
    }
    co_return std::move(opened.connection);
}

Exchange Fetch::exchange_on(PooledConnection& connection) {
    return {connection.connection,
            request_.bytes,
            request_.method == core::Method::Head,
            buffer_.bytes_,
            options_.max_body_bytes};
}

Exchange::Step Fetch::advance(Exchange& exchange, PooledConnection& connection) {
    Exchange::Step step = Exchange::Step::Done;
    if (!head_noted_) {
        step = exchange.advance_to_head();
        if (!exchange.has_head()) {
            return step;
        }
        note_head(exchange, connection);
    }
    while (step == Exchange::Step::Done && wants_more(exchange)) {
        step = exchange.advance_body();
    }
    return step;
}

Fetch::Round Fetch::settle(const Exchange& exchange, std::shared_ptr<PooledConnection> connection) {
    const bool kept = connection->kept;
    if (options_.facts != nullptr) {
        options_.facts->reused = kept;
    }
    if (!exchange.has_head()) {
        connection->close();
        if (kept && exchange.untouched() && operation_.ended() == Ended::Running) {
            return Round::DiedBeforeAnswer;
        }
        fail(core::Fault::Unreachable, exchange.problem());
        return Round::Done;
    }
    judge_body(exchange);
    keep_or_close(exchange, std::move(connection));
    return Round::Done;
}

// A status that decides alone leaves its body, broken or not, unread.
void Fetch::judge_body(const Exchange& exchange) {
    if (exchange.failed() && wants_body(exchange.head())) {
        fail(core::Fault::Body, exchange.problem());
    } else if (is_over_limit(exchange)) {
        fail(core::Fault::Body,
             fmt::format("response exceeds configured limit of {} bytes", options_.max_body_bytes));
    } else if (options_.body == BodyUse::Report && exchange.head().status == 200) {
        buffer_.body_begin_ = exchange.body_offset();
        buffer_.body_size_ = exchange.body().size();
    }
}

bool Fetch::wants_body(const ResponseHead& head) const {
    return options_.body == BodyUse::Discard || head.status == 200;
}

bool Fetch::is_over_limit(const Exchange& exchange) const {
    const ResponseHead& head = exchange.head();
    const bool announced = head.framing == Framing::Length && head.length > options_.max_body_bytes;
    return options_.body == BodyUse::Report && head.status == 200 &&
           (announced || exchange.body().size() > options_.max_body_bytes);
}

// What was received with the head has been decoded.
bool Fetch::wants_more(Exchange& exchange) {
    if (!wants_body(exchange.head()) || is_over_limit(exchange)) {
        return false;
    }
    const bool discard = options_.body == BodyUse::Discard;
    if (discard) {
        discarded_ += exchange.body().size();
        exchange.drop_body();
    }
    return !exchange.complete() && !(discard && discarded_ >= options_.max_body_bytes);
}

void Fetch::note_head(const Exchange& exchange, const PooledConnection& connection) {
    head_noted_ = true;
    const ResponseHead& head = exchange.head();
    outcome_.status = head.status;
    outcome_.phases.first_byte =
        exchange.first_byte_at().value_or(exchange.sent_at()) - exchange.sent_at();
    if (options_.body == BodyUse::Report && head.status == 200 && !head.content_encoding.empty()) {
        outcome_.report = fmt::format(
            "capacity response is not a valid report: content encoding \"{}\" was not asked for",
            head.content_encoding);
    }
    if (options_.facts == nullptr) {
        return;
    }
    options_.facts->server_date = head.date;
    options_.facts->answered_at = wall_now();
    note_expiry(connection.connection.certificate_expiry());
}

void Fetch::note_expiry(std::optional<std::int64_t> seconds) {
    if (seconds && options_.facts != nullptr) {
        options_.facts->certificate_expiry = core::WallTime{*seconds, 0};
    }
}

// Who ended it decides what it is: our owner, our own stall, our clock, or the peer. What is known
// to be no answer of the home's stays what it is when the deadline passes too.
void Fetch::fail(core::Fault fault, std::string text) {
    outcome_.fault = fault;
    const bool ours = fault == core::Fault::Refused || fault == core::Fault::Cancelled;
    switch (operation_.ended()) {
        case Ended::Running:
            if (state_.stopping) {  // the lookup was broken off, perhaps
                outcome_.fault = core::Fault::Cancelled;
                text = "context canceled";
            }
            break;
        case Ended::Deadline:
            text = ours ? std::move(text) : std::string(core::deadline_text);
            break;
        case Ended::Cancelled:
            outcome_.fault = core::Fault::Cancelled;
            text = "context canceled";
            break;
        case Ended::Stalled:
            outcome_.fault = core::Fault::Stalled;
            text = "this process stood still";
            break;
    }
    text.resize(std::min(text.size(), longest_text));
    outcome_.text = std::move(text);
    if (outcome_.fault != core::Fault::None) {
        outcome_.report = std::monostate();
    }
}

void Fetch::keep_or_close(const Exchange& exchange, std::shared_ptr<PooledConnection> connection) {
    if (may_reuse() && exchange.reusable() && !state_.stopping &&
        operation_.ended() == Ended::Running && connection->connection.is_quiet()) {
        state_.pool.park(std::move(connection), *lane_, exchange.head().idle_timeout);
    } else if (request_.fresh && exchange.complete()) {
        // As the checks of HAProxy do: an orderly end costs packets, and a minute of TIME_WAIT for
        // each probe, 600,000 ports of one gateway at 10,000 probes a second.
        connection->connection.close_at_once();
    } else {
        connection->close();
    }
}

Awaitable<core::AttemptOutcome> run_fetch(Client::State& state,
                                          std::shared_ptr<const PreparedRequest> request,
                                          FetchOptions options,
                                          Lane* lane,
                                          Operation& operation,
                                          FetchBuffer& buffer) {
    const InFlight in_flight(state);
    Fetch fetch(state, *request, options, lane, operation, buffer);
    std::shared_ptr<PooledConnection> connection = fetch.take_kept();
    if (connection == nullptr) {
        connection = co_await fetch.open();
    } else {
        ++state.stats.reuses;
    }
    while (connection != nullptr) {
        Exchange exchange = fetch.exchange_on(*connection);
        Exchange::Step step = fetch.advance(exchange, *connection);
        while (step == Exchange::Step::Blocked) {
            const bool ready = co_await connection->connection.wait(operation);
            step = ready ? fetch.advance(exchange, *connection) : exchange.break_off();
        }
        if (fetch.settle(exchange, std::move(connection)) == Fetch::Round::Done) {
            break;
        }
        ++state.stats.resends;
        connection = co_await fetch.open();
    }
    const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
    co_return fetch.conclude(cancellation.cancelled() != asio::cancellation_type::none);
}

}  // namespace ome::net
