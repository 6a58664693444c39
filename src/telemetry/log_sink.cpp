#include "log_sink.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <limits>
#include <string>

namespace ome::telemetry::log {
namespace {

constexpr int poll_milliseconds = 20;

std::int64_t steady_nanoseconds() {
    return core::Duration(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

DescriptorSink::DescriptorSink(int descriptor,
                               std::function<std::uint64_t()> overruns,
                               std::function<std::string(std::uint64_t)> report)
    : descriptor_(descriptor),
      overruns_(std::move(overruns)),
      report_(std::move(report)),
      give_up_at_(std::numeric_limits<std::int64_t>::max()) {}

void DescriptorSink::hurry(core::Duration patience) {
    give_up_at_ = steady_nanoseconds() + patience.count();
}

void DescriptorSink::sink_it_(const spdlog::details::log_msg& message) {
    const std::uint64_t lost = overruns_() + dropped_ - reported_;
    if (lost > 0 && write_line(report_(lost))) {
        reported_ += lost;
    }
    if (!write_line(std::string(message.payload.data(), message.payload.size()))) {
        ++dropped_;
    }
}

// A pipe that poll() calls writable takes PIPE_BUF bytes without blocking; more at once could block
// after all, and a non-blocking descriptor would be so for everyone who shares it.
bool DescriptorSink::write_line(std::string line) {
    line += '\n';
    if (torn_) {  // what fitted of an earlier line must not run into this one
        line.insert(line.begin(), '\n');
    }
    std::size_t done = 0;
    while (done < line.size() && wait_until_writable()) {
        const std::size_t piece = std::min<std::size_t>(line.size() - done, PIPE_BUF);
        const ssize_t written = ::write(descriptor_, line.data() + done, piece);
        if (written < 0 && errno != EINTR && errno != EAGAIN) {
            break;
        }
        done += written > 0 ? static_cast<std::size_t>(written) : 0;
    }
    if (done > 0) {
        torn_ = done < line.size();
    }
    return done == line.size();
}

bool DescriptorSink::wait_until_writable() {
    while (true) {
        const bool hopeless = steady_nanoseconds() >= give_up_at_;
        pollfd wanted{descriptor_, POLLOUT, 0};
        if (::poll(&wanted, 1, hopeless ? 0 : poll_milliseconds) > 0) {
            return (wanted.revents & POLLOUT) != 0;
        }
        if (hopeless) {
            return false;
        }
    }
}

}  // namespace ome::telemetry::log
