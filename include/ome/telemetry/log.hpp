// The log of a process: one line per event on standard error, key=value or JSON.
//
//     log::warn("gate closed", {{"service", key}, {"cluster", cluster}, {"failures", 3}});
//
// A call never waits: lines go through a bounded queue to a thread of their own, so a reader of
// standard error that has stopped costs lines (the oldest go; how many is logged later) and never a
// reactor's time. No control character of a value gets through.
#pragma once

#include <ome/core/duration.hpp>
#include <ome/core/problem.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace ome::telemetry::log {

enum class Level : std::uint8_t { Debug, Info, Warn, Error, Off };
enum class Format : std::uint8_t { Text, Json };

/// One `key=value`. Keys are names of ours; values may be anything. Views live until the call ends.
struct Field {
    Field(std::string_view name, std::string_view text) : key(name), value(text) {}
    Field(std::string_view name, const std::string& text)
        : key(name), value(std::string_view(text)) {}
    Field(std::string_view name, const char* text) : key(name), value(std::string_view(text)) {}
    Field(std::string_view name, bool truth) : key(name), value(truth) {}
    Field(std::string_view name, double number) : key(name), value(number) {}
    Field(std::string_view name, core::Duration duration) : key(name), value(duration) {}
    template <std::integral Integer>
    Field(std::string_view name, Integer number)
        : key(name), value(static_cast<std::int64_t>(number)) {}

    std::string_view key;
    std::variant<std::string_view, bool, double, core::Duration, std::int64_t> value;
};

using Fields = std::initializer_list<Field>;

/// Before and after the life of a Logging nothing is enabled, and a call does nothing.
[[nodiscard]] bool enabled(Level level);

void write(Level level, std::string_view event, Fields fields = {});
inline void debug(std::string_view event, Fields fields = {}) {
    write(Level::Debug, event, fields);
}
inline void info(std::string_view event, Fields fields = {}) {
    write(Level::Info, event, fields);
}
inline void warn(std::string_view event, Fields fields = {}) {
    write(Level::Warn, event, fields);
}
inline void error(std::string_view event, Fields fields = {}) {
    write(Level::Error, event, fields);
}

struct Settings {
    Format format = Format::Text;
    Level level = Level::Info;
    int descriptor = 2;              ///< not owned, never made non-blocking: others share it
    std::size_t queue_lines = 8192;  ///< further ones push out the oldest
    core::Duration farewell = std::chrono::seconds(1);  ///< how long the end may wait for a reader
};

/// Owns the queue and its thread. One at a time; it outlives every thread that logs.
class Logging {
public:
    [[nodiscard]] static core::Result<std::unique_ptr<Logging>> start(const Settings& settings);
    /// Writes what is queued, but waits no longer than `farewell` for the reader.
    ~Logging();
    Logging(const Logging&) = delete;
    Logging& operator=(const Logging&) = delete;

    /// Lines lost because nobody read.
    [[nodiscard]] std::uint64_t dropped() const;

private:
    struct State;
    explicit Logging(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace ome::telemetry::log
