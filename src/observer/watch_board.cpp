#include "watch_board.hpp"

#include <tuple>

namespace ome::observer {

void WatchBoard::wake() {
    for (WatchSeat* seat : seats_) {
        if (seat->wakeable_) {
            seat->timer_.cancel();
        }
    }
}

void WatchBoard::close() {
    closed_ = true;
    for (WatchSeat* seat : seats_) {
        seat->timer_.cancel();
    }
}

WatchSeat::WatchSeat(WatchBoard& board, const net::Executor& executor)
    : board_(board), timer_(executor) {
    board_.seats_.insert(this);
    if (board_.seats_.size() == 1) {
        board_.followed_(true);
    }
}

WatchSeat::~WatchSeat() {
    board_.seats_.erase(this);
    if (board_.seats_.empty()) {
        board_.followed_(false);
    }
}

net::Awaitable<void> WatchSeat::rest_until(core::SteadyTime at, bool wakeable) {
    wakeable_ = wakeable;
    timer_.expires_at(at);
    std::ignore = co_await timer_.async_wait(net::as_result);
    wakeable_ = false;
}

}  // namespace ome::observer
