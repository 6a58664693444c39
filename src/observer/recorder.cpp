#include "recorder.hpp"

#include <ome/telemetry/log.hpp>

#include <utility>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;
namespace log = telemetry::log;

// Half a second of 16,000 attempts a second; each is at most a few kilobytes.
constexpr std::size_t most_queued = 8192;

// A change is rarer than an attempt, and without it the attempts behind it read wrongly: all of a
// large fleet may be declared at once.
constexpr std::size_t most_queued_with_changes = 32 * most_queued;

// Waking the writer for every attempt would cost a reactor a system call each.
constexpr auto write_interval = 50ms;

constexpr std::size_t piece = std::size_t{64} * 1024;

}  // namespace

core::Result<std::unique_ptr<Recorder>> Recorder::start(std::string path,
                                                        std::uint64_t most_bytes) {
    core::Result<RecordFile> file = RecordFile::open(std::move(path), most_bytes);
    if (!file) {
        return file.error();
    }
    return std::unique_ptr<Recorder>(new Recorder(std::move(*file)));
}

Recorder::Recorder(RecordFile file) : file_(std::move(file)), thread_([this] { run(); }) {}

Recorder::~Recorder() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Recorder::offer(Recorded record) {
    const bool change = !std::holds_alternative<RecordedAttempt>(record);
    bool half_full = false;
    {
        const std::lock_guard lock(mutex_);
        if (queue_.size() >= (change ? most_queued_with_changes : most_queued)) {
            ++lost_;
            return;
        }
        queue_.push_back(std::move(record));
        half_full = queue_.size() == most_queued / 2;
    }
    if (half_full) {
        wake_.notify_one();
    }
}

std::vector<Recorded> Recorder::take() {
    std::unique_lock lock(mutex_);
    wake_.wait_for(
        lock, write_interval, [this] { return stopping_ || queue_.size() >= most_queued / 2; });
    return std::exchange(queue_, {});
}

void Recorder::run() {
    while (true) {
        const std::vector<Recorded> records = take();
        write(records);
        const std::lock_guard lock(mutex_);
        if (stopping_ && queue_.empty()) {
            return;
        }
    }
}

void Recorder::write(const std::vector<Recorded>& records) {
    std::string lines;
    std::uint64_t count = 0;
    for (const Recorded& record : records) {
        lines += std::visit([](const auto& one) { return record_line(one); }, record);
        ++count;
        if (lines.size() >= piece) {
            flush(lines, count);
        }
    }
    if (count > 0) {
        flush(lines, count);
    }
    if (lost_ > lost_to_the_file_ && !std::exchange(slow_told_, true)) {
        log::error("recording loses lines", {{"reason", "the disk is too slow"}});
    }
}

void Recorder::flush(std::string& lines, std::uint64_t& count) {
    if (const auto problem = file_.append(lines)) {
        lost_ += count;
        lost_to_the_file_ += count;
        if (!std::exchange(failing_, true)) {
            log::error("recording loses lines", {{"reason", *problem}});
        }
    } else {
        written_ += count;
        if (std::exchange(failing_, false)) {
            log::info("recording goes on", {{"lost", lost_.load()}});
        }
    }
    lines.clear();
    count = 0;
}

}  // namespace ome::observer
