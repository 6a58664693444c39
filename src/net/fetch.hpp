// One bounded fetch: a connection, one exchange, one more try where a kept connection had died, and
// what all that means as an outcome.
#pragma once

#include "client_state.hpp"
#include "exchange.hpp"
#include <ome/core/attempt.hpp>

#include <cstdint>
#include <memory>
#include <optional>

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
    [[nodiscard]] core::AttemptOutcome conclude(bool cancelled);

    /// What waits in the lane, if the request may use it.
    [[nodiscard]] std::shared_ptr<PooledConnection> take_kept();
    /// Null: the outcome says why.
    Awaitable<std::shared_ptr<PooledConnection>> open();

    [[nodiscard]] Exchange exchange_on(PooledConnection& connection);
    /// As far as it gets without waiting. Blocked: wait for the connection, and call again.
    [[nodiscard]] Exchange::Step advance(Exchange& exchange, PooledConnection& connection);

    enum class Round : std::uint8_t { Done, DiedBeforeAnswer };
    /// After the last step.
    [[nodiscard]] Round settle(const Exchange& exchange,
                               std::shared_ptr<PooledConnection> connection);

private:
    void note_head(const Exchange& exchange, const PooledConnection& connection);
    void note_expiry(std::optional<std::int64_t> seconds);
    [[nodiscard]] bool wants_more(Exchange& exchange);
    [[nodiscard]] bool is_over_limit(const Exchange& exchange) const;
    void judge_body(const Exchange& exchange);
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
    std::size_t discarded_ = 0;
    bool head_noted_ = false;
};

/// See Client::fetch(). One coroutine for all of it: with one for each layer a kept-alive poll made
/// 11 frames, nine of them from the heap.
Awaitable<core::AttemptOutcome> run_fetch(Client::State& state,
                                          std::shared_ptr<const PreparedRequest> request,
                                          FetchOptions options,
                                          Lane* lane,
                                          Operation& operation,
                                          FetchBuffer& buffer);

}  // namespace ome::net
