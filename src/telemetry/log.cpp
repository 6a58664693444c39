#include "log_line.hpp"
#include "log_sink.hpp"
#include <ome/telemetry/log.hpp>

#include <fmt/format.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>

#include <atomic>
#include <chrono>

namespace ome::telemetry::log {
namespace {

core::WallTime wall_now() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    const auto nanoseconds = std::chrono::duration_cast<core::Duration>(since).count();
    return {nanoseconds / 1'000'000'000, static_cast<std::int32_t>(nanoseconds % 1'000'000'000)};
}

struct Output {
    Format format;
    std::shared_ptr<spdlog::logger> logger;
};

std::atomic<Level> lowest{Level::Off};
std::atomic<Output*> output{nullptr};

spdlog::level::level_enum spdlog_level(Level level) {
    switch (level) {
        case Level::Debug:
            return spdlog::level::debug;
        case Level::Info:
            return spdlog::level::info;
        case Level::Warn:
            return spdlog::level::warn;
        case Level::Error:
        case Level::Off:
            break;
    }
    return spdlog::level::err;
}

}  // namespace

struct Logging::State {
    std::shared_ptr<spdlog::details::thread_pool> pool;
    std::shared_ptr<DescriptorSink> sink;
    Output out{};
    core::Duration farewell{};
};

bool enabled(Level level) {
    return level != Level::Off && level >= lowest.load(std::memory_order_relaxed);
}

void write(Level level, std::string_view event, Fields fields) {
    if (!enabled(level)) {
        return;
    }
    if (const Output* to = output.load(std::memory_order_acquire)) {
        const std::string line = format_line(to->format, wall_now(), level, event, fields);
        to->logger->log(spdlog_level(level), spdlog::string_view_t(line));
    }
}

Logging::Logging(std::unique_ptr<State> state) : state_(std::move(state)) {}

core::Result<std::unique_ptr<Logging>> Logging::start(const Settings& settings) {
    auto state = std::make_unique<State>();
    try {
        state->pool = std::make_shared<spdlog::details::thread_pool>(settings.queue_lines, 1U);
    } catch (const std::exception& error) {
        return core::Problem{fmt::format("cannot start the log: {}", error.what())};
    }
    state->farewell = settings.farewell;
    // The pool outlives its thread, and only that thread calls this.
    auto* pool = state->pool.get();
    state->sink = std::make_shared<DescriptorSink>(
        settings.descriptor,
        [pool] { return std::uint64_t{pool->overrun_counter()}; },
        [format = settings.format](std::uint64_t lost) {
            return format_line(
                format, wall_now(), Level::Warn, "log lines dropped", {{"count", lost}});
        });
    state->out.format = settings.format;
    state->out.logger = std::make_shared<spdlog::async_logger>(
        "ome", state->sink, state->pool, spdlog::async_overflow_policy::overrun_oldest);
    state->out.logger->set_level(spdlog::level::trace);
    output.store(&state->out, std::memory_order_release);
    lowest = settings.level;
    return std::unique_ptr<Logging>(new Logging(std::move(state)));
}

// The pool's end waits for room in the queue, so the sink must begin to give up before it.
Logging::~Logging() {
    lowest = Level::Off;
    output = nullptr;
    state_->sink->hurry(state_->farewell);
    state_->out.logger.reset();
    state_->pool.reset();
}

std::uint64_t Logging::dropped() const {
    return state_->pool->overrun_counter() + state_->sink->dropped();
}

}  // namespace ome::telemetry::log
