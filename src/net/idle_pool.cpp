#include "idle_pool.hpp"

#include <algorithm>
#include <utility>

namespace ome::net {
namespace {

using namespace std::chrono_literals;

constexpr core::Duration sweep_interval = 1s;

// A request needs time to get there before the peer gives the connection up.
constexpr core::Duration hint_margin = 1s;

core::SteadyTime now() {
    return std::chrono::steady_clock::now();
}

void leave_idle(PooledConnection& connection) {
    PooledConnection::List* list = std::exchange(connection.idle_in, nullptr);
    if (list != nullptr) {
        list->erase(list->iterator_to(connection));
    }
    ++connection.parked;
}

void close_idle(PooledConnection& connection) {
    leave_idle(connection);
    connection.connection.close();
}

}  // namespace

Lane::Lane() = default;
Lane::~Lane() {
    close();
}
Lane::Lane(Lane&&) noexcept = default;

Lane& Lane::operator=(Lane&& other) noexcept {
    close();
    connection_ = std::move(other.connection_);
    return *this;
}

void Lane::close() {
    if (connection_ != nullptr) {
        close_idle(*connection_);
        connection_.reset();
    }
}

IdlePool::IdlePool(asio::io_context& io, IdleLimits limits) : limits_(limits), timer_(io) {}

IdlePool::~IdlePool() {
    close_all();
}

std::shared_ptr<PooledConnection> IdlePool::take(Lane& lane) {
    const std::shared_ptr<PooledConnection> connection = std::move(lane.connection_);
    lane.connection_.reset();
    if (connection == nullptr || !connection->connection.is_open()) {
        return nullptr;
    }
    leave_idle(*connection);
    if (now() >= connection->usable_until) {
        connection->connection.close();
        return nullptr;
    }
    connection->connection.cancel();  // the watch
    return connection;
}

void IdlePool::park(std::shared_ptr<PooledConnection> connection,
                    Lane& lane,
                    std::optional<std::chrono::seconds> hint) {
    const core::SteadyTime at = now();
    connection->usable_until = connection->opened_at + limits_.max_age;
    if (hint) {
        connection->usable_until = std::min(connection->usable_until, at + *hint - hint_margin);
    }
    lane.close();
    if (at >= connection->usable_until || limits_.most == 0) {
        connection->connection.close();
        return;
    }
    if (idle_.size() >= limits_.most) {
        evict_oldest();
    }
    ++connection->parked;
    connection->idle_in = &idle_;
    idle_.push_back(*connection);
    watch(connection);
    lane.connection_ = std::move(connection);
    if (!armed_) {
        arm();
    }
}

bool IdlePool::evict_oldest() {
    if (idle_.empty()) {
        return false;
    }
    ++evictions_;
    close_idle(idle_.front());
    return true;
}

void IdlePool::close_all() {
    while (!idle_.empty()) {
        close_idle(idle_.front());
    }
}

void IdlePool::watch(const std::shared_ptr<PooledConnection>& connection) {
    connection->connection.watch(
        [this, weak = std::weak_ptr(connection), time = connection->parked](
            const boost::system::error_code& error) {
            const std::shared_ptr<PooledConnection> watched = weak.lock();
            if (watched == nullptr || watched->parked != time) {
                return;  // taken, or closed, meanwhile
            }
            if (!error && watched->connection.idle_bytes_are_harmless()) {
                watch(watched);
            } else {
                close_idle(*watched);
            }
        });
}

template <typename Predicate>
void IdlePool::close_where(Predicate predicate) {
    for (auto next = idle_.begin(); next != idle_.end();) {
        PooledConnection& connection = *next++;
        if (predicate(connection)) {
            close_idle(connection);
        }
    }
}

void IdlePool::close_secure() {
    close_where([](const PooledConnection& idle) { return idle.connection.is_tls(); });
}

void IdlePool::close_expired() {
    close_where([at = now()](const PooledConnection& idle) { return at >= idle.usable_until; });
}

void IdlePool::arm() {
    armed_ = true;
    timer_.expires_after(sweep_interval);
    timer_.async_wait([this, alive = std::weak_ptr(alive_)](boost::system::error_code) {
        if (alive.expired()) {
            return;
        }
        armed_ = false;
        close_expired();
        if (!idle_.empty()) {
            arm();
        }
    });
}

}  // namespace ome::net
