#include "connections.hpp"

#include <ome/net/clock.hpp>

#include <utility>

namespace ome::kube {

void Lent::give_back() {
    if (owner_ != nullptr) {
        std::exchange(owner_, nullptr)->take_back(std::move(connection_), identity_);
    }
}

Connections::Connections(net::asio::io_context& io, net::LocalUrl url, std::size_t most)
    : io_(io), url_(std::move(url)), most_(most), freed_(io) {}

std::unique_ptr<net::LocalConnection> Connections::open_alone(const Identity& identity) {
    return std::make_unique<net::LocalConnection>(io_, url_, identity.trust);
}

// A connection was verified, and we were, under the trust it was made with.
std::unique_ptr<net::LocalConnection> Connections::take(const Identity& identity) {
    while (!kept_.empty()) {
        Kept kept = std::move(kept_.back());
        kept_.pop_back();
        if (kept.trust == identity.trust) {
            return std::move(kept.connection);
        }
    }
    return open_alone(identity);
}

void Connections::take_back(std::unique_ptr<net::LocalConnection> connection,
                            const Identity& identity) {
    --lent_;
    kept_.push_back({std::move(connection), identity.trust});
    freed_.tell_one();
}

net::Awaitable<Lent> Connections::borrow(Identity identity, core::SteadyTime deadline) {
    while (lent_ >= most_ && !stopped_) {
        co_await freed_.wait();
        const bool over = co_await told_to_stop();
        if (over || net::read_clock().steady >= deadline) {
            // The place that was meant for us is the next one's.
            freed_.tell_one();
            co_return Lent();
        }
    }
    if (stopped_) {
        co_return Lent();
    }
    ++lent_;
    co_return Lent(*this, take(identity), std::move(identity));
}

void Connections::stop() {
    stopped_ = true;
    freed_.tell();
}

}  // namespace ome::kube
