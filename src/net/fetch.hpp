// One bounded fetch: a connection, one exchange, one more try where a kept connection had died, and
// what all that means as an outcome.
#pragma once

#include "client_state.hpp"
#include "exchange.hpp"
#include <ome/core/attempt.hpp>

#include <memory>

namespace ome::net {

class Fetch {
public:
    Fetch(Client::State& state,
          const PreparedRequest& request,
          FetchOptions options,
          Lane* lane,
          Operation& operation,
          FetchBuffer& buffer);

    /// The outcome; when it is there, the connection is closed or in the lane.
    Awaitable<core::AttemptOutcome> run();

private:
    enum class Round : std::uint8_t { Done, DiedBeforeAnswer };

    Awaitable<void> on_fresh_connection();
    Awaitable<Round> converse(std::shared_ptr<PooledConnection> connection);
    Awaitable<bool> read_body(Exchange& exchange);
    [[nodiscard]] bool is_over_limit(const Exchange& exchange) const;
    void settle(const Exchange& exchange, PooledConnection& connection);
    void fail(core::Fault fault, std::string text);
    void keep_or_close(const Exchange& exchange, std::shared_ptr<PooledConnection> connection);
    [[nodiscard]] bool may_reuse() const;
    [[nodiscard]] bool wants_body(const ResponseHead& head) const;

    Client::State& state_;
    const PreparedRequest& request_;
    FetchOptions options_;
    Lane* lane_;
    Operation& operation_;
    FetchBuffer& buffer_;
    core::AttemptOutcome outcome_;
};

}  // namespace ome::net
