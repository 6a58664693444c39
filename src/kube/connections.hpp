// The kept connections of a client: each is lent to one request at a time.
#pragma once

#include "login.hpp"
#include "timer.hpp"
#include <ome/net/local_connection.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace ome::kube {

class Connections;

/// A connection that is lent; goes back by itself.
class Lent {
public:
    Lent() = default;
    Lent(Connections& owner, std::unique_ptr<net::LocalConnection> connection, Identity identity)
        : owner_(&owner), connection_(std::move(connection)), identity_(std::move(identity)) {}
    ~Lent() { give_back(); }
    Lent(Lent&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          connection_(std::move(other.connection_)),
          identity_(std::move(other.identity_)) {}
    Lent& operator=(Lent&& other) noexcept {
        give_back();
        owner_ = std::exchange(other.owner_, nullptr);
        connection_ = std::move(other.connection_);
        identity_ = std::move(other.identity_);
        return *this;
    }

    [[nodiscard]] explicit operator bool() const { return connection_ != nullptr; }
    net::LocalConnection* operator->() const { return connection_.get(); }
    [[nodiscard]] const Identity& identity() const { return identity_; }

private:
    void give_back();

    Connections* owner_ = nullptr;
    std::unique_ptr<net::LocalConnection> connection_;
    Identity identity_;
};

class Connections {
public:
    Connections(net::asio::io_context& io, net::LocalUrl url, std::size_t most);

    /// Empty: none came free before the deadline, or we are asked to stop.
    net::Awaitable<Lent> borrow(Identity identity, core::SteadyTime deadline);
    /// Not one of the kept ones, and without a limit on their number.
    [[nodiscard]] std::unique_ptr<net::LocalConnection> open_alone(const Identity& identity);

    void stop();

private:
    friend class Lent;
    struct Kept {
        std::unique_ptr<net::LocalConnection> connection;
        std::shared_ptr<const net::Trust> trust;
    };
    [[nodiscard]] std::unique_ptr<net::LocalConnection> take(const Identity& identity);
    void take_back(std::unique_ptr<net::LocalConnection> connection, const Identity& identity);

    net::asio::io_context& io_;
    net::LocalUrl url_;
    std::size_t most_;
    std::size_t lent_ = 0;
    std::vector<Kept> kept_;
    Signal freed_;
    bool stopped_ = false;
};

}  // namespace ome::kube
