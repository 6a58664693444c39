#include "idle_pool.hpp"

#include <ome/core/deadline.hpp>

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

}  // namespace

void PooledConnection::enter(List& idle) {
    kept = true;
    idle_in_ = &idle;
    idle.push_back(*this);
    connection.watch(this);
}

void PooledConnection::leave() {
    List* const list = std::exchange(idle_in_, nullptr);
    if (list != nullptr) {
        connection.watch(nullptr);
        list->erase(list->iterator_to(*this));
    }
}

void PooledConnection::close() {
    leave();
    connection.close();
}

// It stays in its lane, which sees that it is closed when the next attempt wants it.
void PooledConnection::on_stir() {
    if (!connection.is_quiet()) {
        close();
    }
}

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
        connection_->close();
        connection_.reset();
    }
}

IdlePool::IdlePool(asio::io_context& io, IdleLimits limits) : limits_(limits), timer_(io) {}

IdlePool::~IdlePool() {
    close_all();
}

std::shared_ptr<PooledConnection> IdlePool::take(Lane& lane) {
    std::shared_ptr<PooledConnection> connection = std::exchange(lane.connection_, nullptr);
    if (connection == nullptr || !connection->connection.is_open()) {
        return nullptr;
    }
    connection->leave();
    if (now() >= connection->usable_until) {
        connection->close();
        return nullptr;
    }
    return connection;
}

void IdlePool::park(std::shared_ptr<PooledConnection> connection,
                    Lane& lane,
                    std::optional<std::chrono::seconds> hint) {
    const core::SteadyTime at = now();
    connection->usable_until = core::later(connection->opened_at, limits_.max_age);
    if (hint) {
        connection->usable_until =
            std::min(connection->usable_until, core::later(at, *hint) - hint_margin);
    }
    lane.close();
    if (at >= connection->usable_until || limits_.most == 0) {
        connection->close();
        return;
    }
    if (idle_.size() >= limits_.most) {
        evict_oldest();
    }
    connection->enter(idle_);
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
    idle_.front().close();
    return true;
}

void IdlePool::close_all() {
    while (!idle_.empty()) {
        idle_.front().close();
    }
}

template <typename Predicate>
void IdlePool::close_where(Predicate predicate) {
    for (auto next = idle_.begin(); next != idle_.end();) {
        PooledConnection& connection = *next++;
        if (predicate(connection)) {
            connection.close();
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
