// A program as a user starts it: arguments, standard output and error, signals, exit code.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ome::test {

/// Ended by its id (SIGKILL) when the object goes.
class Process {
public:
    explicit Process(std::vector<std::string> command);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] pid_t id() const { return id_; }
    void signal(int number) const;

    /// Waits until a line of the output (standard output and error together) contains `text`, and
    /// returns that line. Absent: the program ended or the time is over.
    [[nodiscard]] std::optional<std::string> wait_for_line(
        std::string_view text, std::chrono::milliseconds timeout = std::chrono::seconds(10));

    /// The exit code, or 128 + the signal. Absent: still running when the time is over.
    [[nodiscard]] std::optional<int> wait_for_exit(
        std::chrono::milliseconds timeout = std::chrono::seconds(10));

    /// Everything that it has printed and that was read so far.
    [[nodiscard]] const std::string& output() const { return output_; }

private:
    [[nodiscard]] bool read_more(std::chrono::steady_clock::time_point until);

    pid_t id_ = -1;
    int pipe_ = -1;
    std::string output_;
    std::optional<int> exit_code_;
};

}  // namespace ome::test
