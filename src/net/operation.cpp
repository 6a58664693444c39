#include "timer.hpp"
#include <ome/core/deadline.hpp>
#include <ome/core/stall.hpp>
#include <ome/net/operation.hpp>

#include <cassert>

namespace ome::net {
namespace {

constexpr core::Duration sweep_interval = std::chrono::milliseconds(10);

core::SteadyTime now() {
    return std::chrono::steady_clock::now();
}

}  // namespace

struct Deadlines::State : std::enable_shared_from_this<Deadlines::State> {
    explicit State(asio::io_context& io) : timer(io) {}

    void add(Operation& operation) {
        active.push_back(operation);
        if (!armed) {
            arm(operation.started());
        }
    }

    void arm(core::SteadyTime at) {
        armed = true;
        due = core::later(at, sweep_interval);
        timer.expires_at(due);
        timer.async_wait([weak = weak_from_this()](boost::system::error_code) {
            if (const auto self = weak.lock()) {
                self->sweep(now());
            }
        });
    }

    void sweep(core::SteadyTime at) {
        lateness = at - due;
        // Ending one only cancels what it waits for, so the list stays as it is meanwhile.
        for (Operation& operation : active) {
            operation.look(at);
        }
        armed = false;
        if (!active.empty()) {
            arm(at);
        }
    }

    Timer timer;
    boost::intrusive::list<Operation> active;
    core::SteadyTime due;
    core::Duration lateness{};
    bool armed = false;
};

Deadlines::Deadlines(asio::io_context& io) : state_(std::make_shared<State>(io)) {}

Deadlines::~Deadlines() {
    assert(state_->active.empty());
}

core::Duration Deadlines::lateness() const {
    return state_->lateness;
}

Operation::Operation(Deadlines& deadlines, core::Duration timeout)
    : deadlines_(deadlines.state_.get()), started_(now()), timeout_(timeout) {
    deadlines_->add(*this);
}

Operation::~Operation() {
    deadlines_->active.erase(deadlines_->active.iterator_to(*this));
}

void Operation::cancel() {
    if (!over()) {
        end(Ended::Cancelled);
    }
}

Ended Operation::ended() {
    if (!over()) {
        look(now());
    }
    return ended_;
}

void Operation::look(core::SteadyTime at) {
    if (over() || at < deadline()) {
        return;
    }
    end(core::stood_still(timeout_, deadlines_->due, at) ? Ended::Stalled : Ended::Deadline);
}

void Operation::end(Ended how) {
    ended_ = how;
    if (hook_ != nullptr) {
        hook_->abort_(hook_->what_);
    }
}

Operation::Hook::Hook(Operation& operation, Abort abort, void* what)
    : operation_(operation), outer_(operation.hook_), abort_(abort), what_(what) {
    operation.hook_ = this;
}

Operation::Hook::~Hook() {
    assert(operation_.hook_ == this);
    operation_.hook_ = outer_;
}

}  // namespace ome::net
