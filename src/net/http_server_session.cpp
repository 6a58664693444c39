#include "http_server_session.hpp"

#include "server_tls_state.hpp"
#include <ome/core/deadline.hpp>
#include <ome/core/text.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::net {
namespace {

constexpr std::size_t read_size = 16384;
// Most connections wait for a request: thousands of them must not hold a buffer each.
constexpr std::size_t head_read_size = 2048;
constexpr std::size_t longest_shown = 64;  // of what a client says, in what it is answered
constexpr std::string_view head_method = "HEAD ";
constexpr std::size_t drain_limit = 256 * 1024;
constexpr core::Duration drain_time = std::chrono::seconds(1);

// Each byte of a body earns its sender this much more time: a connection that drips holds its place
// for no longer than a silent one. 4 KiB a second is slower than any link to a local API.
constexpr core::Duration time_of_a_byte = std::chrono::nanoseconds(std::chrono::seconds(1)) / 4096;
constexpr std::size_t linger_limit = 4 * 1024 * 1024;
constexpr core::Duration linger_time = std::chrono::seconds(2);

// An empty line before a request is allowed (RFC 9112 2.2); some clients end a body with one.
void skip_empty_lines(std::string& input) {
    input.erase(0, std::min(input.find_first_not_of("\r\n"), input.size()));
}

bool is_cancellation(const std::exception& bug) {
    const auto* error = dynamic_cast<const boost::system::system_error*>(&bug);
    return error != nullptr && error->code() == asio::error::operation_aborted;
}

}  // namespace

class SessionBody : public RequestBody {
public:
    explicit SessionBody(Session* session) : session_(session) {}

    Awaitable<std::optional<std::string>> next() override {
        if (session_ == nullptr) {
            co_return std::nullopt;
        }
        co_return co_await session_->next_body_piece();
    }

    [[nodiscard]] bool complete() const override {
        return session_ != nullptr ? session_->parser_->done() && !session_->body_broken_
                                   : complete_;
    }

    [[nodiscard]] bool too_slow() const override {
        return session_ != nullptr ? session_->body_late_ : too_slow_;
    }

    /// The session goes on to the next request, or away.
    void detach() {
        complete_ = complete();
        too_slow_ = too_slow();
        session_ = nullptr;
    }

private:
    Session* session_;
    bool complete_ = false;
    bool too_slow_ = false;
};

namespace {

// Detaches also when the handler ends by an exception.
class BodyLease {
public:
    explicit BodyLease(Session* session) : body_(std::make_shared<SessionBody>(session)) {}
    ~BodyLease() { body_->detach(); }
    BodyLease(const BodyLease&) = delete;
    BodyLease& operator=(const BodyLease&) = delete;
    [[nodiscard]] std::shared_ptr<RequestBody> body() const { return body_; }

private:
    std::shared_ptr<SessionBody> body_;
};

}  // namespace

Session::Session(StreamSocket socket, std::shared_ptr<const SessionShared> shared)
    : stream_(std::move(socket)),
      shared_(std::move(shared)),
      watchdog_(stream_.socket().get_executor()),
      local_(local_literal(stream_.socket())),
      since_(std::chrono::steady_clock::now()) {}

Awaitable<void> Session::run() {
    bool secured = true;
    // A task that co_spawn() starts inside a handler must have waited once before anything that it
    // awaits ends at once, as a handshake with bytes that are there already can.
    co_await asio::post(stream_.socket().get_executor(), asio::use_awaitable_t<Executor>());
    if (shared_->settings.tls != nullptr) {
        secured = co_await secure(shared_->settings.tls);
    }
    if (!secured) {
        stream_.close();
        co_return;
    }
    while (co_await serve_one()) {
    }
    if (!shared_->stopping || !parser_->done()) {
        co_await linger();
    }
    disarm();
    stream_.close();
}

// A client that is slow with its handshake is like one that is slow with its first head.
Awaitable<bool> Session::secure(std::shared_ptr<const ServerTls> tls) {
    arm(in(shared_->settings.request_timeout));
    const bool done = co_await stream_.accept_tls(*tls->state().context);
    disarm();
    co_return done;
}

Awaitable<bool> Session::serve_one() {
    if (!co_await read_head()) {
        co_return false;
    }
    RequestPlace place;
    if (const auto fault = judge(place)) {
        co_await refuse(fault->status, fault->message);
        co_return false;
    }
    ServerResponse response = co_await call_handler(std::move(place));
    keep_alive_ = keep_alive_ && !shared_->stopping;
    co_await send(std::move(response));
    co_return keep_alive_ && !shared_->stopping && co_await drain_body();
}

void Session::cut() {
    cut_ = true;
    stream_.close();
    watchdog_.cancel();
    cancel_.emit(asio::cancellation_type::terminal);
}

core::SteadyTime Session::in(core::Duration duration) const {
    return core::later(std::chrono::steady_clock::now(), duration);
}

// The wait looks at the time again when it is over: a handler that was queued when the deadline
// moved must not end anything.
void Session::arm(core::SteadyTime deadline) {
    timed_out_ = false;
    watchdog_.expires_at(deadline);
    watchdog_.async_wait([self = weak_from_this()](boost::system::error_code error) {
        const auto session = self.lock();
        if (!session || error || session->watchdog_.expiry() > std::chrono::steady_clock::now()) {
            return;
        }
        session->timed_out_ = true;
        session->stream_.cancel();
    });
}

void Session::disarm() {
    watchdog_.expires_at(core::SteadyTime::max());
}

void Session::set_idle(bool idle) {
    idle_ = idle;
    since_ = std::chrono::steady_clock::now();
}

Awaitable<Session::Read> Session::read_some(core::SteadyTime deadline) {
    const std::size_t before = input_.size();
    const std::size_t wanted = idle_ ? head_read_size : read_size;
    input_.resize(before + wanted);
    arm(deadline);
    const ByteStream::Moved moved = co_await stream_.read_some(input_.data() + before, wanted);
    disarm();
    input_.resize(before + moved.bytes);
    if (moved.bytes > 0) {
        co_return Read::Bytes;
    }
    co_return timed_out_ ? Read::TimedOut : Read::Ended;
}

// A client may be silent between requests for idle_timeout; once it has begun, the whole head has
// request_timeout, so that one byte now and then holds nothing.
Awaitable<bool> Session::read_head() {
    set_idle(true);
    const auto& settings = shared_->settings;
    parser_.emplace(settings.max_head_bytes, settings.max_body_bytes);
    body_broken_ = false;
    body_late_ = false;
    body_due_ = in(shared_->settings.request_timeout);
    skip_empty_lines(input_);
    if (input_.empty()) {
        input_ = {};  // what the last request needed is given back
    }
    head_only_ = false;
    bool method_known = false;
    auto deadline = in(input_.empty() ? settings.idle_timeout : settings.request_timeout);
    for (;;) {
        const bool begun = !input_.empty();
        if (!method_known && input_.size() >= head_method.size()) {
            // A refusal of a HEAD has no body either, whatever is wrong with the rest of its head.
            head_only_ = input_.starts_with(head_method);
            method_known = true;
        }
        input_.erase(0, parser_->feed(input_));
        if (parser_->fault()) {
            const RequestFault fault = *parser_->fault();
            co_await refuse(fault.status, fault.message);
            co_return false;
        }
        if (parser_->head_complete()) {
            set_idle(false);
            co_return true;
        }
        const Read read = co_await read_some(deadline);
        if (read == Read::TimedOut && begun) {
            co_await refuse(408, "the request head did not arrive in time");
        }
        if (read != Read::Bytes) {
            co_return false;
        }
        if (!begun) {
            skip_empty_lines(input_);
            deadline = in(settings.request_timeout);
        }
    }
}

std::optional<RequestFault> Session::judge(RequestPlace& place) {
    const RequestHead& head = parser_->head();
    keep_alive_ = head.keep_alive;
    head_only_ = head.method == "HEAD";
    expects_continue_ = false;
    if (shared_->stopping) {
        return RequestFault{503, "the server is stopping"};
    }
    auto parsed = parse_target(head.target);
    if (!parsed) {
        return RequestFault{
            400, "the request target must be a path with well-formed escapes and without NUL"};
    }
    place = std::move(*parsed);
    if (head.hosts > 1 || (head.hosts == 0 && !head.http10)) {
        return RequestFault{400, "a request must have exactly one Host header"};
    }
    const auto host = head.headers.find("host");
    const std::string name = !place.authority.empty()     ? place.authority
                             : host != head.headers.end() ? host->second
                                                          : std::string();
    const bool checked = shared_->settings.check_host && !local_.empty() && head.hosts == 1;
    if (checked && !host_allowed(name, local_, shared_->settings.allowed_hosts)) {
        return RequestFault{403,
                            fmt::format("the Host header {} is neither a loopback name nor one of "
                                        "allowed-hosts",
                                        core::go_quote(core::shorten_bytes(name, longest_shown)))};
    }
    if (const auto expect = head.headers.find("expect"); expect != head.headers.end()) {
        expects_continue_ = expect->second == "100-continue" && !head.http10;
        if (!expects_continue_ && !head.http10) {
            return RequestFault{417, "only the expectation 100-continue can be met"};
        }
    }
    return std::nullopt;
}

Awaitable<ServerResponse> Session::call_handler(RequestPlace place) {
    const BodyLease lease(this);
    ServerRequest request;
    request.method = parser_->head().method;
    request.path = std::move(place.path);
    request.segments = std::move(place.segments);
    request.query = std::move(place.query);
    request.repeated = std::move(place.repeated);
    request.headers = std::move(parser_->head().headers);
    request.body = lease.body();
    std::string bug;
    try {
        co_return co_await shared_->handler(std::move(request));
    } catch (const std::exception& error) {
        if (cut_ && is_cancellation(error)) {
            throw;
        }
        bug = error.what();
    }
    report_fault(fmt::format("the handler threw: {}", bug));
    keep_alive_ = false;
    co_return shared_->problem_answer(500, "internal error");
}

void Session::report_fault(const std::string& text) const {
    if (shared_->settings.on_fault) {
        shared_->settings.on_fault(text);
    }
}

Awaitable<std::optional<std::string>> Session::next_body_piece() {
    while (!body_broken_) {
        if (!input_.empty() && !parser_->done()) {
            input_.erase(0, parser_->feed(input_));
        }
        body_broken_ = parser_->fault().has_value();
        std::string piece = parser_->take_body();
        if (!piece.empty()) {
            co_return piece;
        }
        if (parser_->done() || body_broken_) {
            break;
        }
        if (std::exchange(expects_continue_, false) && input_.empty()) {
            body_broken_ = !co_await write("HTTP/1.1 100 Continue\r\n\r\n");
        }
        const core::SteadyTime silent = in(shared_->settings.request_timeout);
        const Read read = co_await read_some(std::min(silent, body_due_));
        body_due_ += static_cast<std::int64_t>(input_.size()) * time_of_a_byte;
        body_late_ = read == Read::TimedOut;
        body_broken_ = body_broken_ || read != Read::Bytes;
    }
    co_return std::nullopt;
}

// A little left over is cheaper to read than a new connection; a client that was never told to go
// on may send its body or not, and nothing tells which.
Awaitable<bool> Session::drain_body() {
    std::size_t drained = 0;
    body_due_ = std::min(body_due_, in(drain_time));
    while (!parser_->done()) {
        if (expects_continue_ || drained > drain_limit) {
            co_return false;
        }
        const auto piece = co_await next_body_piece();
        if (!piece && !parser_->done()) {
            co_return false;
        }
        drained += piece ? piece->size() : 0;
    }
    co_return true;
}

// Closing while bytes of the client are unread resets the connection, and the reset may overtake
// the answer. So the client is given a moment to read it and leave.
Awaitable<void> Session::linger() {
    set_idle(true);
    stream_.end_writing();
    const auto deadline = in(linger_time);
    for (std::size_t read = 0; read < linger_limit; read += input_.size()) {
        input_.clear();
        if (co_await read_some(deadline) != Read::Bytes) {
            break;
        }
    }
}

}  // namespace ome::net
