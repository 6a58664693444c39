// The watches that are open: how many there may be, and how they are woken. On the API thread.
#pragma once

#include <ome/core/time.hpp>
#include <ome/net/awaitable.hpp>

#include <boost/asio/basic_waitable_timer.hpp>

#include <cstddef>
#include <functional>
#include <set>
#include <utility>

namespace ome::observer {

class WatchBoard {
public:
    /// `followed` hears of the first watch that is there, and of the end of the last one.
    WatchBoard(std::size_t most, std::function<void(bool)> followed)
        : most_(most), followed_(std::move(followed)) {}

    [[nodiscard]] bool full() const { return seats_.size() >= most_; }
    [[nodiscard]] std::size_t size() const { return seats_.size(); }
    [[nodiscard]] std::size_t most() const { return most_; }

    /// There is something new to tell.
    void wake();

    /// No more of them: each says its last line.
    void close();
    [[nodiscard]] bool closed() const { return closed_; }

private:
    friend class WatchSeat;

    std::size_t most_;
    std::function<void(bool)> followed_;
    std::set<class WatchSeat*> seats_;
    bool closed_ = false;
};

/// One open watch, for as long as it lives.
class WatchSeat {
public:
    WatchSeat(WatchBoard& board, const net::Executor& executor);
    ~WatchSeat();
    WatchSeat(const WatchSeat&) = delete;
    WatchSeat& operator=(const WatchSeat&) = delete;

    /// Until the instant, or until the board wakes it if it wants to be woken.
    net::Awaitable<void> rest_until(core::SteadyTime at, bool wakeable);

    [[nodiscard]] const WatchBoard& board() const { return board_; }

private:
    friend class WatchBoard;
    using Timer = net::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                  net::asio::wait_traits<std::chrono::steady_clock>,
                                                  net::Executor>;

    WatchBoard& board_;
    Timer timer_;
    bool wakeable_ = false;
};

}  // namespace ome::observer
