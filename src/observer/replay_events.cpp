#include "replay_events.hpp"

#include "line_reader.hpp"
#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

namespace ome::observer {
namespace {

// Lines of errors; a file of another subject would bring one for each of its own.
constexpr std::size_t most_errors = 100;

// A body is at most six times as long in JSON, when every byte is an escape; beyond that there is
// room for the rest of an event.
std::size_t longest_line(std::int64_t max_response_bytes) {
    constexpr std::int64_t largest_body = std::int64_t{1} << 28;
    return static_cast<std::size_t>(6 * std::min(max_response_bytes, largest_body) + (1 << 20));
}

bool blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Tells the first ones and counts all. Those before the first event wait for it: without one the
// file is of another subject, which is one thing to say.
class LeftOut {
public:
    LeftOut(std::ostream& errors, std::string name) : errors_(errors), name_(std::move(name)) {}

    void add(std::size_t line, const core::Problem& problem) {
        if (++count_ <= most_errors) {
            say({fmt::format("line {}: {}", line, problem.message), true});
        }
    }

    void warn(std::size_t line, const std::string& sentence) {
        say({fmt::format("line {}: {}", line, sentence), false});
    }

    void an_event_was_read() {
        name_.clear();
        tell_waiting();
    }

    std::size_t end() {
        if (!name_.empty()) {
            tell({fmt::format("{}: {}; expected a recording: an event a line, as `serve --record` "
                              "writes them",
                              name_,
                              first_error()),
                  true});
            return std::max<std::size_t>(count_, 1);
        }
        if (count_ > most_errors) {
            tell({fmt::format(
                      "{} left out",
                      core::counted(count_ - most_errors, "more line was", "more lines were")),
                  true});
        }
        return count_;
    }

private:
    struct Message {
        std::string text;
        bool is_error = true;
    };

    void say(Message message) {
        if (name_.empty()) {
            tell(message);
        } else {
            waiting_.push_back(std::move(message));
        }
    }

    void tell(const Message& message) {
        errors_ << (message.is_error ? "error: " : "warning: ") << message.text << '\n';
    }

    void tell_waiting() {
        for (const Message& message : std::exchange(waiting_, {})) {
            tell(message);
        }
    }

    [[nodiscard]] std::string first_error() const {
        const auto found = std::find_if(
            waiting_.begin(), waiting_.end(), [](const Message& one) { return one.is_error; });
        return found == waiting_.end() ? "the file is empty" : found->text;
    }

    std::ostream& errors_;
    std::string name_;  ///< empty once an event was read
    std::vector<Message> waiting_;
    std::size_t count_ = 0;
};

}  // namespace

std::size_t read_events(const EventSource& source,
                        std::istream& events,
                        const ApplyEvent& apply,
                        const AfterLine& after,
                        std::ostream& errors) {
    wire::ReplayReader reader(source.max_response_bytes);
    const std::size_t longest = longest_line(source.max_response_bytes);
    LineReader lines(events, longest, wire::ReplayReader::padding);
    LeftOut left_out(errors, source.name);
    bool wanted = true;
    while (wanted) {
        const auto line = lines.next();
        if (!line) {
            break;
        }
        if (blank(*line)) {
            continue;
        }
        std::optional<core::Problem> problem;
        if (lines.cut()) {
            problem = core::Problem{fmt::format("an event must be at most {} bytes long", longest)};
        } else if (const auto event = reader.read(*line)) {
            left_out.an_event_was_read();
            problem = apply(*event);
        } else {
            problem = event.error();
        }
        for (const std::string& stranger : reader.take_strangers()) {
            left_out.warn(lines.number(), stranger);
        }
        if (problem) {
            left_out.add(lines.number(), *problem);
        }
        wanted = after(lines.would_wait());
    }
    return left_out.end();
}

}  // namespace ome::observer
