#include "parser_words.hpp"

#include "json_expectation.hpp"
#include <ome/core/text.hpp>
#include <ome/core/utf8.hpp>

#include <boost/json/error.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ome::wire {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> yaml_words = {{
    {"end of map flow not found", "the text ends inside braces: a `}` is missing"},
    {"end of sequence flow not found", "the text ends inside brackets: a `]` is missing"},
    {"end of map not found",
     "a mapping ends here in the middle: check the indentation and the `:` before it"},
    {"end of sequence not found",
     "a list ends here in the middle: check the indentation and the `-` before it"},
    {"illegal EOF in scalar", "the text ends inside quotes: a closing quote is missing"},
    {"illegal map value", "a `: ` where no value may begin: check the line before it, or quote"},
    {"illegal block entry", "a `- ` where no list may begin: check the indentation"},
    {"illegal flow end", "a closing brace or bracket that nothing opened"},
    {"illegal document indicator in scalar",
     "a document ends (`---` or `...`) inside quotes: a closing quote is missing"},
    {"illegal tab when looking for indentation", "a tab in the indentation: YAML takes blanks"},
    {"the referenced anchor is not defined", "an alias (`*name`) of an anchor that is not there"},
}};

}  // namespace

std::string json_fault_words(std::string_view text,
                             std::size_t at,
                             const boost::system::error_code& error) {
    const std::string_view rest = text.substr(std::min(at, text.size()));
    if (error == boost::json::error::incomplete || rest.empty()) {
        return "the JSON text ends before it is complete: a quote, brace or bracket is not closed";
    }
    if (error == boost::json::error::syntax) {
        const core::CodePoint next = core::first_code_point(rest);
        const std::string expected = expected_in_json(text, at);
        return fmt::format("{} is not what JSON has here{}{}",
                           core::go_quote(rest.substr(0, next.length)),
                           expected.empty() ? "" : ": expected ",
                           expected);
    }
    return error.message();
}

std::string yaml_fault_words(std::string_view message) {
    const auto found = std::find_if(yaml_words.begin(),
                                    yaml_words.end(),
                                    [message](const auto& one) { return one.first == message; });
    return found == yaml_words.end() ? core::sanitize_detail(message) : std::string(found->second);
}

}  // namespace ome::wire
