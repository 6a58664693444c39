// One absolute deadline and one way to cancel for everything an exchange does: lookup, connect,
// TLS, write, head and body. Whoever starts an exchange owns its Operation and looks at ended() for
// the reason; nothing throws.
//
// A reactor's Deadlines sweeps its operations at most every 10 ms. It knows how late it is itself:
// an operation whose deadline passed while the reactor stood still ends as Stalled (design.md D22),
// not as Deadline.
#pragma once

#include <ome/core/time.hpp>
#include <ome/net/awaitable.hpp>

#include <cstdint>
#include <memory>

namespace ome::net {

enum class Ended : std::uint8_t { Running, Deadline, Cancelled, Stalled };

class Operation;

class Deadlines {
public:
    explicit Deadlines(asio::io_context& io);
    ~Deadlines();  ///< no operation may be left
    Deadlines(const Deadlines&) = delete;
    Deadlines& operator=(const Deadlines&) = delete;

private:
    friend class Operation;
    struct State;
    std::unique_ptr<State> state_;
};

class Operation {
public:
    /// The clock starts here: construct it when the permit is granted.
    Operation(Deadlines& deadlines, core::Duration timeout);
    ~Operation();
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    /// Ends it as Cancelled, unless it has ended already.
    void cancel();

    /// Reads the clock: an operation past its deadline has ended even if the sweep has not come by.
    [[nodiscard]] Ended ended();

    [[nodiscard]] core::SteadyTime started() const;
    [[nodiscard]] core::SteadyTime deadline() const;

private:
    friend class Deadlines;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::net
