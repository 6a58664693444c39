#include <ome/wire/problem_line.hpp>

#include <charconv>
#include <system_error>

namespace ome::wire {

LineAndMessage split_line(std::string_view message) {
    constexpr std::string_view word = "line ";
    if (!message.starts_with(word)) {
        return {0, message};
    }
    std::string_view rest = message.substr(word.size());
    std::size_t line = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), line);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const bool placed = error == std::errc() && (rest.starts_with(": ") || rest.starts_with(", "));
    return placed ? LineAndMessage{line, rest.substr(2)} : LineAndMessage{0, message};
}

std::string on_one_line(std::string_view messages) {
    std::string text;
    for (const char c : messages) {
        text += c == '\n' ? std::string_view("; ") : std::string_view(&c, 1);
    }
    return text;
}

}  // namespace ome::wire
