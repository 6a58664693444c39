// `serve --record`: attempts and changes on their way to a file, for `replay`. Reactors offer, a
// thread of its own writes; a slow or full disk costs lines, which are counted, and never a
// reactor's time.
#pragma once

#include "record_file.hpp"
#include "record_line.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ome::observer {

/// Lines.
struct RecorderStats {
    std::uint64_t written = 0;
    std::uint64_t lost = 0;
};

class Recorder {
public:
    [[nodiscard]] static core::Result<std::unique_ptr<Recorder>> start(std::string path,
                                                                       std::uint64_t most_bytes);
    /// Writes what is queued.
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// From any thread; waits for nobody but another that offers.
    void offer(Recorded record);

    [[nodiscard]] RecorderStats stats() const { return {written_, lost_}; }

private:
    explicit Recorder(RecordFile file);

    void run();
    [[nodiscard]] std::vector<Recorded> take();
    void write(const std::vector<Recorded>& records);
    void flush(std::string& lines, std::uint64_t& count);

    RecordFile file_;
    std::mutex mutex_;  ///< of the two below
    std::vector<Recorded> queue_;
    bool stopping_ = false;
    std::condition_variable wake_;
    std::atomic<std::uint64_t> written_ = 0;
    std::atomic<std::uint64_t> lost_ = 0;
    std::uint64_t lost_to_the_file_ = 0;
    bool failing_ = false;    ///< told, and not over
    bool slow_told_ = false;  ///< once is enough: the metric goes on
    std::thread thread_;      ///< last: it uses all of the above
};

}  // namespace ome::observer
