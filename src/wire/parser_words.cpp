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

// libyaml's, which are those of Go's YAML as well.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> yaml_words = {{
    {"did not find expected ',' or '}'", "inside braces a `,` or the closing `}` is missing"},
    {"did not find expected ',' or ']'", "inside brackets a `,` or the closing `]` is missing"},
    {"did not find expected key",
     "a mapping ends here in the middle: check the indentation and the `:` before it"},
    {"did not find expected '-' indicator",
     "a list ends here in the middle: check the indentation and the `-` before it"},
    {"found unexpected end of stream", "the text ends inside quotes: a closing quote is missing"},
    {"mapping values are not allowed in this context",
     "a `: ` where no value may begin: check the line before it, or quote"},
    {"block sequence entries are not allowed in this context",
     "a `- ` where no list may begin: check the indentation"},
    {"did not find expected node content",
     "a value is missing here, or nothing opened this brace or bracket"},
    {"found unexpected document indicator",
     "a document ends (`---` or `...`) inside quotes: a closing quote is missing"},
    {"found a tab character that violates indentation",
     "a tab in the indentation: YAML takes blanks"},
    {"found character that cannot start any token",
     "a character that begins nothing in YAML (`@`, `%`, a backtick, a tab): quote it"},
    {"could not find expected ':'", "a `:` is missing: check the indentation, or quote"},
    {"did not find expected <document start>", "text after the document, and no `---` before it"},
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
