// Connections that wait in their lanes for the next attempt: watched for their end, at most so old,
// at most so many. The lanes own them; the pool closes them.
#pragma once

#include "connection.hpp"
#include "timer.hpp"
#include <ome/core/time.hpp>
#include <ome/net/client.hpp>

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace ome::net {

class PooledConnection final : public boost::intrusive::list_base_hook<>,
                               private EventSocket::Watcher {
public:
    using List = boost::intrusive::list<PooledConnection>;

    explicit PooledConnection(std::unique_ptr<EventSocket> socket)
        : connection(std::move(socket)) {}

    void enter(List& idle);
    void leave();  ///< the list it is in, if any
    void close();

    Connection connection;
    core::SteadyTime opened_at{};
    core::SteadyTime usable_until{};
    bool kept = false;  ///< it has been idle before

private:
    void on_stir() override;

    List* idle_in_ = nullptr;  // exactly while it is idle
};

struct IdleLimits {
    std::size_t most = 0;
    core::Duration max_age{};  ///< since the connection was opened
};

class IdlePool {
public:
    IdlePool(asio::io_context& io, IdleLimits limits);
    ~IdlePool();

    /// What waits in the lane, if it can still be used. It is nobody's then but the caller's.
    [[nodiscard]] std::shared_ptr<PooledConnection> take(Lane& lane);

    /// Gives a connection to the lane, or closes it: too old, or the peer's `hint` of how long it
    /// keeps idle connections leaves too little time.
    void park(std::shared_ptr<PooledConnection> connection,
              Lane& lane,
              std::optional<std::chrono::seconds> hint);

    /// Closes the one that has been idle longest; false: there is none.
    bool evict_oldest();
    void close_all();
    void close_secure();  ///< those with TLS

    [[nodiscard]] std::size_t size() const { return idle_.size(); }
    [[nodiscard]] std::uint64_t evictions() const { return evictions_; }

private:
    template <typename Predicate>
    void close_where(Predicate predicate);
    void close_expired();
    void arm();

    IdleLimits limits_;
    Timer timer_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    PooledConnection::List idle_;  // the one that was parked first comes first
    std::uint64_t evictions_ = 0;
    bool armed_ = false;
};

}  // namespace ome::net
