// One absolute deadline and one way to cancel for everything an exchange does: lookup, connect,
// TLS, write, head and body. Whoever starts an exchange owns its Operation and looks at ended() for
// the reason; nothing throws.
//
// A reactor's Deadlines sweeps its operations at most every 10 ms. It knows how late it is itself:
// an operation whose deadline passed while the reactor stood still ends as Stalled (design.md D22),
// not as Deadline.
//
// All of this belongs to one reactor and is used only there.
#pragma once

#include <ome/core/deadline.hpp>
#include <ome/core/time.hpp>
#include <ome/net/awaitable.hpp>

#include <boost/intrusive/list.hpp>

#include <cstdint>
#include <memory>

namespace ome::net {

enum class Ended : std::uint8_t { Running, Deadline, Cancelled, Stalled };

class Operation;

/// The operations of one reactor and the one timer that ends them. Must outlive them.
class Deadlines {
public:
    explicit Deadlines(asio::io_context& io);
    ~Deadlines();  ///< no operation may be left
    Deadlines(const Deadlines&) = delete;
    Deadlines& operator=(const Deadlines&) = delete;

    /// How late the last sweep was: what the reactor's handlers, or the machine, held it up.
    [[nodiscard]] core::Duration lateness() const;

private:
    friend class Operation;
    struct State;
    std::shared_ptr<State> state_;  ///< shared with the timer's handler, which may come late
};

class Operation : public boost::intrusive::list_base_hook<> {
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

    /// What is known without a look at the clock; enough before an await, since the sweep will
    /// come.
    [[nodiscard]] bool over() const { return ended_ != Ended::Running; }

    [[nodiscard]] core::SteadyTime started() const { return started_; }
    [[nodiscard]] core::SteadyTime deadline() const { return core::later(started_, timeout_); }

    /// What to break off when the operation ends, while this object lives; the newest one counts.
    /// Breaking off must not run the awaiting code itself: it cancels, and that completes later.
    /// Nothing is broken off that begins after the end: whoever awaits asks over() first.
    class Hook {
    public:
        using Abort = void (*)(void* what);

        Hook(Operation& operation, Abort abort, void* what);
        ~Hook();
        Hook(const Hook&) = delete;
        Hook& operator=(const Hook&) = delete;

    private:
        friend class Operation;
        Operation& operation_;
        Hook* outer_;
        Abort abort_;
        void* what_;
    };

private:
    friend class Deadlines;
    void look(core::SteadyTime now);
    void end(Ended how);

    Deadlines::State* deadlines_;
    core::SteadyTime started_;
    core::Duration timeout_;
    Hook* hook_ = nullptr;
    Ended ended_ = Ended::Running;
};

/// Breaks `thing.cancel()` off when the operation ends.
template <typename Cancellable>
class CancelOnEnd : private Operation::Hook {
public:
    CancelOnEnd(Operation& operation, Cancellable& thing) : Hook(operation, &cancel, &thing) {}

private:
    static void cancel(void* thing) { static_cast<Cancellable*>(thing)->cancel(); }
};

}  // namespace ome::net
