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

Awaitable<core::AttemptOutcome> Fetch::run() {
    buffer_.body_begin_ = buffer_.body_size_ = 0;
    shrink(buffer_.bytes_);
    std::shared_ptr<PooledConnection> kept;
    if (may_reuse()) {
        kept = state_.pool.take(*lane_);
    }
    if (kept != nullptr) {
        ++state_.stats.reuses;
        if (co_await converse(std::move(kept)) == Round::DiedBeforeAnswer) {
            ++state_.stats.resends;
            co_await on_fresh_connection();
        } else if (options_.facts != nullptr) {
            options_.facts->reused = true;
        }
    } else {
        co_await on_fresh_connection();
    }
    if (outcome_.fault == core::Fault::None && operation_.ended() != Ended::Running) {
        fail(core::Fault::Deadline, {});
    }
    const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
    if (outcome_.fault != core::Fault::None &&
        cancellation.cancelled() != asio::cancellation_type::none) {
        fail(core::Fault::Cancelled, "context canceled");  // by the task's scope
    }
    outcome_.phases.total = now() - operation_.started();
    co_return std::move(outcome_);
}

bool Fetch::may_reuse() const {
    return lane_ != nullptr && !request_.fresh && request_.method != core::Method::Post;
}

Awaitable<void> Fetch::on_fresh_connection() {
    Opened opened = co_await open_connection(state_, request_, operation_, outcome_.phases);
    if (opened.connection != nullptr) {
        std::ignore = co_await converse(std::move(opened.connection));
    } else if (opened.descriptor_shortage && !operation_.over()) {
        ++state_.stats.shortages;
        if (options_.facts != nullptr) {
            options_.facts->descriptor_shortage = true;
        }
        fail(core::Fault::Cancelled, "no file descriptor left");
    } else {
        fail(opened.fault, std::move(opened.problem));
    }
}

Awaitable<Fetch::Round> Fetch::converse(std::shared_ptr<PooledConnection> connection) {
    const bool was_kept = connection->parked != 0;
    Exchange exchange(connection->connection, operation_, buffer_.bytes_, options_.max_body_bytes);
    const bool head_request = request_.method == core::Method::Head;
    if (!co_await exchange.request(request_.bytes, head_request) && !exchange.has_head()) {
        connection->connection.close();
        if (was_kept && exchange.untouched() && operation_.ended() == Ended::Running) {
            co_return Round::DiedBeforeAnswer;
        }
        fail(core::Fault::Unreachable, exchange.problem());
        co_return Round::Done;
    }
    settle(exchange, *connection);
    if (!co_await read_body(exchange)) {
        fail(core::Fault::Body, exchange.problem());
    } else if (is_over_limit(exchange)) {
        fail(core::Fault::Body,
             fmt::format("response exceeds configured limit of {} bytes", options_.max_body_bytes));
    } else if (options_.body == BodyUse::Report && exchange.head().status == 200) {
        buffer_.body_begin_ = exchange.body_offset();
        buffer_.body_size_ = exchange.body().size();
    }
    keep_or_close(exchange, std::move(connection));
    co_return Round::Done;
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

// True when there is as much as is wanted; what was received with the head has been decoded.
Awaitable<bool> Fetch::read_body(Exchange& exchange) {
    const bool discard = options_.body == BodyUse::Discard;
    std::size_t discarded = 0;
    bool going_well = !exchange.failed();
    while (going_well && wants_body(exchange.head()) && !is_over_limit(exchange)) {
        if (discard) {
            discarded += exchange.body().size();
            exchange.drop_body();
        }
        if (exchange.complete() || (discard && discarded >= options_.max_body_bytes)) {
            break;
        }
        going_well = co_await exchange.read_body();
    }
    // A status that decides alone leaves its body, broken or not, unread.
    co_return going_well || !wants_body(exchange.head());
}

void Fetch::settle(const Exchange& exchange, PooledConnection& connection) {
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
    if (const auto expiry = connection.connection.certificate_expiry()) {
        options_.facts->certificate_expiry = core::WallTime{*expiry, 0};
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
    } else {
        connection->connection.close();
    }
}

}  // namespace ome::net
