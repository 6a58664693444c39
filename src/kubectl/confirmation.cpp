#include "confirmation.hpp"

#include <algorithm>
#include <cctype>

namespace ome::kubectl {
namespace {

constexpr std::size_t longest_answer = 16;
constexpr const char* unconfirmed = "action not confirmed; noninteractive input requires --yes";

}  // namespace

std::optional<std::string> not_confirmed(Terminal& terminal,
                                         std::string_view question,
                                         core::Duration most) {
    if (!terminal.can_ask()) {
        return unconfirmed;
    }
    terminal.err(question);
    Line line = terminal.read_line(longest_answer, most);
    if (line.end == Line::End::Interrupted) {
        return "context canceled";
    }
    if (line.end == Line::End::TimedOut) {
        return "context deadline exceeded";
    }
    std::transform(line.text.begin(), line.text.end(), line.text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    const bool yes = line.end == Line::End::Complete && (line.text == "y" || line.text == "yes");
    return yes ? std::nullopt : std::optional<std::string>(unconfirmed);
}

}  // namespace ome::kubectl
