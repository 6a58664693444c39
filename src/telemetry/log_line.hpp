// How an event reads. Pure.
#pragma once

#include <ome/core/time.hpp>
#include <ome/telemetry/log.hpp>

#include <string>

namespace ome::telemetry::log {

/// Without the line break. Text: `2026-11-30T10:00:00.123Z INFO  gate closed cluster=worker-b`, a
/// value in quotes when it is empty or has anything but plain characters. JSON: one object with
/// `time`, `level`, `event` and the fields.
[[nodiscard]] std::string format_line(
    Format format, core::WallTime at, Level level, std::string_view event, Fields fields);

}  // namespace ome::telemetry::log
