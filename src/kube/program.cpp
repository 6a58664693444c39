#include "program.hpp"

#include <ome/core/deadline.hpp>
#include <ome/core/duration.hpp>
#include <ome/core/text.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the caller

namespace ome::kube {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kept_errors = 512;

class Pipe {
public:
    Pipe() { open_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
    ~Pipe() {
        close_writer();
        if (open_) {
            ::close(ends_[0]);
        }
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] bool is_open() const { return open_; }
    [[nodiscard]] int reader() const { return ends_[0]; }
    [[nodiscard]] int writer() const { return ends_[1]; }
    void close_writer() {
        if (open_ && ends_[1] >= 0) {
            ::close(ends_[1]);
            ends_[1] = -1;
        }
    }

private:
    std::array<int, 2> ends_{-1, -1};
    bool open_ = false;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) {
        list.push_back(text.data());
    }
    list.push_back(nullptr);
    return list;
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        bool replaced = false;
        for (const auto& [name, value] : more) {
            replaced = replaced || text.starts_with(name + "=");
        }
        if (!replaced) {
            all.push_back(text);
        }
    }
    for (const auto& [name, value] : more) {
        all.push_back(fmt::format("{}={}", name, value));
    }
    return all;
}

// The number of an error, or 0.
int start(const ProgramRun& run, Pipe& output, Pipe& errors, pid_t& id) {
    std::vector<std::string> words{run.command};
    words.insert(words.end(), run.args.begin(), run.args.end());
    std::vector<std::string> variables = environment_with(run.env);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output.writer(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.writer(), STDERR_FILENO);
    // It must not be broken by what we ignore, and is no part of our own process group's signals.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t held;  // of what we hold back: nothing
    sigemptyset(&held);
    posix_spawnattr_setsigmask(&attributes, &held);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    const int error = ::posix_spawnp(&id,
                                     run.command.c_str(),
                                     &actions,
                                     &attributes,
                                     pointers(words).data(),
                                     pointers(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int milliseconds_left(Clock::time_point until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    return left.count() <= 0 ? 0 : static_cast<int>(std::min<std::int64_t>(left.count(), 60'000));
}

// False: the stream has ended.
bool take(int from, std::string& into) {
    std::array<char, 4096> piece;
    const ssize_t count = ::read(from, piece.data(), piece.size());
    if (count <= 0) {
        return count < 0 && errno == EINTR;
    }
    into.append(piece.data(), static_cast<std::size_t>(count));
    return true;
}

struct Printed {
    std::string output;
    std::string errors;
    bool in_time = true;
    bool too_much = false;
};

Printed read_all(int output, int errors, Clock::time_point until, std::size_t most) {
    Printed printed;
    std::array<pollfd, 2> watched{pollfd{output, POLLIN, 0}, pollfd{errors, POLLIN, 0}};
    while (watched[0].fd >= 0 || watched[1].fd >= 0) {
        const int ready = ::poll(watched.data(), watched.size(), milliseconds_left(until));
        if (ready == 0 || (ready < 0 && errno != EINTR)) {
            printed.in_time = false;
            return printed;
        }
        if (watched[0].revents != 0 && !take(output, printed.output)) {
            watched[0].fd = -1;
        }
        if (watched[1].revents != 0 && !take(errors, printed.errors)) {
            watched[1].fd = -1;
        }
        if (printed.output.size() > most) {
            printed.too_much = true;
            return printed;
        }
        if (printed.errors.size() > 2 * kept_errors) {
            printed.errors.erase(0, printed.errors.size() - kept_errors);
        }
    }
    return printed;
}

// Absent: it did not end by itself in time, and is ended.
std::optional<int> reap(pid_t id, bool by_force, Clock::time_point until) {
    int status = 0;
    while (!by_force && ::waitpid(id, &status, WNOHANG) == 0) {
        by_force = Clock::now() >= until;
        ::poll(nullptr, 0, 5);
    }
    if (by_force) {
        ::kill(-id, SIGKILL);
        while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
        }
        return std::nullopt;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

core::Problem problem(const ProgramRun& run, const std::string& what, const std::string& errors) {
    const std::string detail = core::sanitize_detail(errors, kept_errors);
    return {fmt::format(
                "{} {}{}{}", core::go_quote(run.command), what, detail.empty() ? "" : ": ", detail),
            "exec"};
}

}  // namespace

core::Result<std::string> run_program(const ProgramRun& run) {
    Pipe output;
    Pipe errors;
    pid_t id = -1;
    const bool piped = output.is_open() && errors.is_open();
    const int error = piped ? start(run, output, errors, id) : errno;
    if (error != 0) {
        return problem(
            run, "cannot be run: " + std::generic_category().message(error), std::string());
    }
    output.close_writer();
    errors.close_writer();
    const auto until = core::later(Clock::now(), run.time_limit);
    Printed printed = read_all(output.reader(), errors.reader(), until, run.most_output);
    const auto code = reap(id, !printed.in_time || printed.too_much, until);
    if (printed.too_much) {
        return problem(run, fmt::format("printed more than {} bytes", run.most_output), "");
    }
    if (!code) {
        return problem(
            run, "did not end within " + core::format_duration(run.time_limit), printed.errors);
    }
    if (*code != 0) {
        return problem(run, fmt::format("exited with {}", *code), printed.errors);
    }
    return core::Result<std::string>(boost::system::in_place_value, std::move(printed.output));
}

}  // namespace ome::kube
