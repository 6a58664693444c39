// Writes lines to a descriptor that may be stuck. Runs on the log's own thread only.
#pragma once

#include <ome/core/time.hpp>

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

namespace ome::telemetry::log {

class DescriptorSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
    /// `overruns` counts lines that the queue has dropped so far; `report` makes the line that says
    /// how many more they became, those among them that the descriptor did not take.
    DescriptorSink(int descriptor,
                   std::function<std::uint64_t()> overruns,
                   std::function<std::string(std::uint64_t)> report);

    /// From any thread: after `patience` what cannot be written is dropped.
    void hurry(core::Duration patience);
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
    void sink_it_(const spdlog::details::log_msg& message) override;
    void flush_() override {}
    bool write_line(std::string line);
    bool wait_until_writable();

    int descriptor_;
    std::function<std::uint64_t()> overruns_;
    std::function<std::string(std::uint64_t)> report_;
    std::uint64_t reported_ = 0;
    bool torn_ = false;  ///< the last line that got anywhere was not written whole
    std::atomic<std::uint64_t> dropped_ = 0;
    std::atomic<std::int64_t> give_up_at_;  ///< steady clock, nanoseconds
};

}  // namespace ome::telemetry::log
