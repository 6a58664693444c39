#include "terminal.hpp"

#include <ome/core/deadline.hpp>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>

namespace ome::kubectl {
namespace {

volatile std::sig_atomic_t interrupts = 0;

// A second one ends the process, whatever it is doing.
void note_interrupt(int signal) {
    interrupts = 1;
    std::signal(signal, SIG_DFL);
}

class ProcessTerminal final : public Terminal {
public:
    ProcessTerminal() {
        struct sigaction action {};
        action.sa_handler = note_interrupt;  // no SA_RESTART: waits end
        ::sigaction(SIGINT, &action, nullptr);
        ::sigaction(SIGTERM, &action, nullptr);
    }

    bool out(std::string_view text) override {
        return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
               std::fflush(stdout) == 0;
    }

    void err(std::string_view text) override {
        std::fwrite(text.data(), 1, text.size(), stderr);
        std::fflush(stderr);
    }

    bool can_ask() const override { return ::isatty(STDIN_FILENO) == 1; }
    bool is_screen() const override { return ::isatty(STDOUT_FILENO) == 1; }
    bool interrupted() const override { return interrupts != 0; }

    std::size_t columns() const override {
        winsize size{};
        const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
        return known ? size.ws_col : 80;
    }

    Line read_line(std::size_t longest, core::Duration most) override {
        const auto give_up = core::later(std::chrono::steady_clock::now(), most);
        std::string text;
        for (;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(
                give_up - std::chrono::steady_clock::now());
            if (left.count() <= 0) {
                return {Line::End::TimedOut};
            }
            pollfd input{STDIN_FILENO, POLLIN, 0};
            const int ready = ::poll(&input, 1, static_cast<int>(left.count()));
            if (interrupted()) {
                return {Line::End::Interrupted};
            }
            if (ready <= 0) {
                continue;
            }
            char c = 0;
            if (::read(STDIN_FILENO, &c, 1) != 1) {
                return {Line::End::NoInput};
            }
            if (c == '\n') {
                return {Line::End::Complete, text};
            }
            if (c != '\r') {
                text += c;
            }
            if (text.size() > longest) {
                return {Line::End::TooLong};
            }
        }
    }
};

}  // namespace

std::unique_ptr<Terminal> process_terminal() {
    return std::make_unique<ProcessTerminal>();
}

}  // namespace ome::kubectl
