#include "../../src/observer/ndjson_lines.hpp"
#include "require.hpp"
#include "targets.hpp"
#include <ome/wire/replay_document.hpp>

#include <string>
#include <vector>

namespace ome::fuzz {
namespace {

constexpr std::int64_t largest_body = 256;
constexpr std::size_t longest_line = 300;

struct Read {
    bool accepted = false;
    std::string told;  ///< a problem, or what the event says

    friend bool operator==(const Read&, const Read&) = default;
};

std::string outcome_text(const core::AttemptOutcome& outcome) {
    std::string text = std::string(to_string(outcome.fault)) + "|" + outcome.text + "|" +
                       std::to_string(outcome.status.value_or(-1));
    if (const auto* report = std::get_if<core::CapacityReport>(&outcome.report)) {
        text += "|" + std::to_string(report->servable);
    } else if (const auto* reason = std::get_if<std::string>(&outcome.report)) {
        text += "|" + *reason;
    }
    return text;
}

Read read(wire::ReplayReader& reader, std::string_view line, char behind) {
    std::string padded(line);
    padded.append(wire::ReplayReader::padding, behind);
    const auto event = reader.read({padded.data(), line.size()});
    if (!event) {
        require_readable(event.error().message);
        return {false, event.error().message};
    }
    const bool about_all = event->action == wire::ReplayAction::Policy ||
                           event->action == wire::ReplayAction::Declared ||
                           event->action == wire::ReplayAction::Forgotten;
    require(about_all || !event->home.empty(), "an event is about a home");
    return {true,
            std::string(event->home) + "|" + std::string(event->service) + "|" +
                std::string(event->endpoint) + "|" + event->policies + "|" + event->declaration +
                "|" + outcome_text(event->outcome)};
}

void check_event(std::string_view line) {
    wire::ReplayReader reader(largest_body);
    const Read first = read(reader, line, '}');
    require(read(reader, line, '"') == first, "what is behind a line does not matter");
    wire::ReplayReader other(largest_body);
    std::ignore = read(other, R"({"at":"2026-09-28T10:00:00Z","home":"a","read":true})", ' ');
    require(read(other, line, '\0') == first, "what was read before does not matter");
    for (const std::string& stranger : reader.take_strangers()) {
        require_readable(stranger);
    }
}

void check_texts(std::string_view input) {
    if (const auto policies = wire::read_replay_policies(input); !policies) {
        require_readable(policies.error().message);
    }
    if (const auto declared = wire::read_replay_declaration(input); !declared) {
        require_readable(declared.error().message);
    }
}

std::vector<std::string> lines_of(std::string_view input, std::size_t piece) {
    observer::NdjsonLines lines(longest_line);
    std::vector<std::string> found;
    const auto take = [&] {
        while (const auto line = lines.next()) {
            require(line->text.size() <= longest_line, "a line keeps the limit");
            require(!line->too_long || line->text.empty(), "what is too long is not kept");
            found.push_back(std::to_string(line->number) + (line->too_long ? "!" : ":") +
                            line->text);
        }
    };
    for (std::size_t at = 0; at < input.size(); at += piece) {
        lines.feed(input.substr(at, piece));
        take();
    }
    lines.end();
    take();
    return found;
}

}  // namespace

// Recordings, and bodies of lines as they arrive.
void check_replay(std::string_view input) {
    check_event(input.substr(0, input.find('\n')));
    check_texts(input);
    const std::vector<std::string> whole = lines_of(input, input.size() + 1);
    require(lines_of(input, 1) == whole, "where lines are cut does not matter");
    require(lines_of(input, 7) == whole, "where lines are cut does not matter");
}

}  // namespace ome::fuzz
