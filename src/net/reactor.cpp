#include <ome/net/reactor.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <ctime>
#include <optional>
#include <thread>

namespace ome::net {
namespace {

constexpr std::size_t longest_thread_name = 15;

std::optional<core::Duration> cpu_time(clockid_t clock) {
    timespec used{};
    if (clock_gettime(clock, &used) != 0) {
        return std::nullopt;
    }
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace

struct Reactor::State {
    explicit State(std::string thread_name)
        : name(thread_name.substr(0, longest_thread_name)), work(io.get_executor()) {}

    void run() {
        pthread_setname_np(pthread_self(), name.c_str());
        pthread_getcpuclockid(pthread_self(), &clock);
        running.store(true, std::memory_order_release);
        io.run();
        const core::Duration used = cpu_time(CLOCK_THREAD_CPUTIME_ID).value_or(core::Duration{});
        final_busy.store(used.count(), std::memory_order_relaxed);
        running.store(false, std::memory_order_release);
    }

    std::string name;
    asio::io_context io{1};
    asio::executor_work_guard<Executor> work;
    std::thread thread;
    clockid_t clock{};
    std::atomic<bool> running{false};
    std::atomic<core::Duration::rep> final_busy{0};
};

Reactor::Reactor(std::string name) : state_(std::make_unique<State>(std::move(name))) {}

Reactor::~Reactor() {
    stop();
    join();
}

asio::io_context& Reactor::io() {
    return state_->io;
}

void Reactor::start() {
    assert(!state_->thread.joinable());
    state_->thread = std::thread([state = state_.get()] { state->run(); });
}

// On its own thread, so that stop() may be called from any.
void Reactor::stop() {
    post([state = state_.get()] { state->work.reset(); });
}

void Reactor::join() {
    if (state_->thread.joinable()) {
        state_->thread.join();
    }
}

// A thread's CPU clock can be read until it is joined; its own last word covers the time after.
core::Duration Reactor::busy() const {
    const core::Duration last_word(state_->final_busy.load(std::memory_order_relaxed));
    if (!state_->running.load(std::memory_order_acquire)) {
        return last_word;
    }
    return cpu_time(state_->clock).value_or(last_word);
}

}  // namespace ome::net
