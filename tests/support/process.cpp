#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

extern char** environ;

namespace ome::test {
namespace {

using Clock = std::chrono::steady_clock;

pid_t start(const std::vector<std::string>& command, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    std::vector<std::string> copy = command;
    std::vector<char*> arguments;
    for (std::string& argument : copy) {
        arguments.push_back(argument.data());
    }
    arguments.push_back(nullptr);
    pid_t id = -1;
    const int error = posix_spawn(&id, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? id : -1;
}

int exit_code_from(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Process::Process(std::vector<std::string> command) {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) == 0) {
        pipe_ = ends[0];
        id_ = start(command, ends[1]);
        close(ends[1]);
    }
}

Process::~Process() {
    if (id_ > 0 && !exit_code_) {
        kill(id_, SIGKILL);
        waitpid(id_, nullptr, 0);
    }
    close(pipe_);
}

void Process::signal(int number) const {
    if (id_ > 0 && !exit_code_) {
        kill(id_, number);
    }
}

bool Process::read_more(Clock::time_point until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd waiting{pipe_, POLLIN, 0};
    if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0) {
        return false;
    }
    std::array<char, 4096> buffer;
    const ssize_t count = read(pipe_, buffer.data(), buffer.size());
    output_.append(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    return count > 0;
}

std::optional<std::string> Process::wait_for_line(std::string_view text,
                                                  std::chrono::milliseconds timeout) {
    const auto until = Clock::now() + timeout;
    do {
        const std::size_t at = output_.find(text);
        const std::size_t end = at == std::string::npos ? at : output_.find('\n', at);
        if (end != std::string::npos) {
            const std::size_t begin = output_.rfind('\n', at);
            const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
            return output_.substr(from, end - from);
        }
    } while (read_more(until));
    return std::nullopt;
}

std::optional<int> Process::wait_for_exit(std::chrono::milliseconds timeout) {
    const auto until = Clock::now() + timeout;
    while (!exit_code_ && id_ > 0) {
        // Output is read meanwhile: a full pipe must not keep the program from ending.
        while (read_more(Clock::now() + std::chrono::milliseconds(5))) {
        }
        int status = 0;
        if (waitpid(id_, &status, WNOHANG) == id_) {
            exit_code_ = exit_code_from(status);
        } else if (Clock::now() >= until) {
            return std::nullopt;
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    return exit_code_;
}

}  // namespace ome::test
