#include <ome/core/query_parameters.hpp>
#include <ome/core/text.hpp>
#include <ome/core/usage.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ome::core {
namespace {

// Foreign names and values come back in the answer; whoever sent them knows how they go on.
constexpr std::size_t most_shown = 64;

std::string quoted(std::string_view text) {
    return go_quote(shorten_bytes(text, most_shown));
}

std::string rule(const std::string& name, const std::vector<std::string>& known) {
    if (known.empty()) {
        return "this request takes none";
    }
    const auto near = nearest_word(name, known);
    return fmt::format("this request takes {}{}",
                       fmt::join(known, ", "),
                       near ? fmt::format("; did you mean {}?", *near) : std::string());
}

}  // namespace

std::optional<Problem> unknown_parameter(const std::map<std::string, std::string>& query,
                                         const std::vector<std::string>& known) {
    const auto stranger = std::find_if(query.begin(), query.end(), [&known](const auto& given) {
        return std::find(known.begin(), known.end(), given.first) == known.end();
    });
    if (stranger == query.end()) {
        return std::nullopt;
    }
    const auto& [name, value] = *stranger;
    return Problem{fmt::format("query parameter {} (with the value {}) is not known: {}",
                               quoted(name),
                               quoted(value),
                               rule(name, known)),
                   sanitize_detail(name, most_shown)};
}

}  // namespace ome::core
