// One accepted connection: reads requests, calls the handler, writes answers, one after the other.
#pragma once

#include "http_server_answer.hpp"
#include "http_server_listener.hpp"
#include "http_server_parser.hpp"
#include "http_server_target.hpp"
#include <ome/net/http_server.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <optional>
#include <string>

namespace ome::net {

using SteadyTimer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                               asio::wait_traits<std::chrono::steady_clock>,
                                               Executor>;

/// What all sessions of a server share; the server owns it and outlives them.
struct SessionShared {
    HttpServerSettings settings;
    Handler handler;
    ProblemAnswer problem_answer;
    bool stopping = false;
};

class Session : public std::enable_shared_from_this<Session> {
public:
    Session(StreamSocket socket, std::shared_ptr<const SessionShared> shared);

    /// Ends when the connection is over. Started once, by the server, which keeps `this` alive.
    Awaitable<void> run();

    /// Nobody would miss it: no request has arrived completely, or all is answered.
    [[nodiscard]] bool idle() const { return idle_; }
    /// Since when it is idle.
    [[nodiscard]] core::SteadyTime since() const { return since_; }

    /// Ends it now; run() returns soon.
    void cut();
    [[nodiscard]] asio::cancellation_slot slot() { return cancel_.slot(); }

private:
    friend class SessionBody;

    enum class Read : std::uint8_t { Bytes, Ended, TimedOut };

    void arm(core::SteadyTime deadline);
    void disarm();
    void set_idle(bool idle);

    Awaitable<bool> secure(std::shared_ptr<const ServerTls> tls);
    Awaitable<bool> serve_one();
    Awaitable<bool> read_head();
    Awaitable<Read> read_some(core::SteadyTime deadline);
    std::optional<RequestFault> judge(RequestPlace& place);
    Awaitable<ServerResponse> call_handler(RequestPlace place);
    Awaitable<std::optional<std::string>> next_body_piece();
    Awaitable<bool> drain_body();

    Awaitable<void> refuse(unsigned status, std::string message);
    Awaitable<void> send(ServerResponse response);
    Awaitable<void> send_whole(ServerResponse response);
    Awaitable<void> send_stream(ServerResponse response);
    Awaitable<void> pump(std::shared_ptr<ResponseBody> body, bool chunked);
    Awaitable<std::optional<std::string>> pull(std::shared_ptr<ResponseBody> body);
    Awaitable<void> notice_leaving();
    Awaitable<bool> write(std::string bytes);
    Awaitable<bool> write_piece(std::string piece, bool chunked);
    Awaitable<void> linger();

    [[nodiscard]] core::SteadyTime in(core::Duration duration) const;
    [[nodiscard]] AnswerShape shape(Framing framing, std::size_t length) const;
    void report_fault(const std::string& text) const;

    ByteStream stream_;
    std::shared_ptr<const SessionShared> shared_;
    SteadyTimer watchdog_;
    asio::cancellation_signal cancel_;
    std::string input_;  ///< read, not yet used up; at most max_head_bytes and one read
    std::optional<RequestParser> parser_;
    std::string local_;
    core::SteadyTime since_;
    bool idle_ = true;
    bool cut_ = false;
    bool timed_out_ = false;
    bool keep_alive_ = true;
    bool head_only_ = false;
    bool expects_continue_ = false;
    bool body_broken_ = false;
    bool body_late_ = false;     ///< broken by its slowness
    core::SteadyTime body_due_;  ///< when the body so far is too slow
    bool streamed_whole_ = false;
    bool left_ = false;  ///< noticed while an answer was streamed
};

}  // namespace ome::net
