// A TCP socket of the client: what it can do without waiting, and a wait for when it cannot.
#pragma once

#include "socket_events.hpp"
#include <ome/net/operation.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ome::net {

using Endpoint = asio::ip::tcp::endpoint;

/// What a call gave: bytes; or nothing, because it would have to wait; or an error.
struct Moved {
    std::size_t bytes = 0;
    bool blocked = false;
    boost::system::error_code error = {};  ///< `eof`: the peer has ended the stream
};

class EventSocket final : private SocketEvents::Listener {
public:
    /// Hears of what happens while nobody waits.
    class Watcher {
    public:
        virtual void on_stir() = 0;

    protected:
        ~Watcher() = default;
    };

    /// For what a connection is opened.
    enum class Use : std::uint8_t {
        Several,  ///< several writes may follow each other: without Nagle's delay
        One,      ///< one write and its answer, which needs no prompt acknowledgement
    };

    explicit EventSocket(SocketEvents& events, Use use = Use::Several);
    ~EventSocket();
    EventSocket(const EventSocket&) = delete;
    EventSocket& operator=(const EventSocket&) = delete;

    /// Begins to connect; no error: wait for Wanted::Write, then look at connect_error().
    [[nodiscard]] boost::system::error_code connect(const Endpoint& to);
    [[nodiscard]] boost::system::error_code connect_error() const;
    /// Takes a connected, non-blocking socket.
    [[nodiscard]] boost::system::error_code adopt(int socket);

    /// No system call is made where the answer is known. A peer that is faster than we are is
    /// heard for so many bytes in one turn of the loop; then a call is blocked as well, and a wait
    /// gives others their turn.
    static constexpr std::size_t most_bytes_a_turn = 65536;
    [[nodiscard]] Moved receive(char* into, std::size_t size);
    [[nodiscard]] Moved send(std::string_view bytes);
    /// Something is there to be received: bytes, the end or an error.
    [[nodiscard]] bool has_news();

    enum class Wanted : std::uint8_t { Read, Write };

    /// After a call that was blocked. False: the operation ended, or cancel(). One at a time.
    /// With bytes left from this turn the clock is looked at, too.
    Awaitable<bool> wait(Wanted what, Operation& operation);
    /// Breaks a wait off; it completes later.
    void cancel();

    /// Null: nobody.
    void watch(Watcher* watcher) { watcher_ = watcher; }

    void close();
    /// Closes at once what has nothing left to say: with RST, and nothing stays in TIME_WAIT.
    void close_at_once();
    [[nodiscard]] bool is_open() const { return socket_ >= 0; }
    [[nodiscard]] int native_handle() const { return socket_; }

private:
    using Handler = asio::async_result<asio::use_awaitable_t<Executor>, void(bool)>::handler_type;

    struct Waiting {
        Waiting(Handler&& resume, EventSocket& socket, Wanted wanted, Operation& operation)
            : handler(std::move(resume)), what(wanted), hook(operation, socket) {}

        Handler handler;
        Wanted what;
        CancelOnEnd<EventSocket> hook;
    };

    void begin_wait(Handler&& handler, Wanted what, Operation& operation);
    [[nodiscard]] Handler end_wait();
    void on_events(std::uint32_t events) override;

    SocketEvents& events_;
    Use use_;
    Watcher* watcher_ = nullptr;
    int socket_ = -1;
    std::size_t turn_bytes_ = 0;  // received in this turn
    bool readable_ = false;
    bool writable_ = true;
    bool ended_ = false;   // the end or an error is told once, and stays
    bool failed_ = false;  // of those, an error
    std::optional<Waiting> waiting_;
};

}  // namespace ome::net
