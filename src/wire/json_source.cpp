// Boost.JSON reads the values; a second walk over the text, which is then known to be valid, finds
// what Boost.JSON does not tell: lines, and members named twice.
#include "source.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace ome::wire {
namespace {

constexpr std::size_t max_depth = 64;

std::string where(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto newlines = std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return fmt::format("line {}, column {}", newlines + 1, before.size() - line_start + 1);
}

class Walk {
public:
    Walk(std::string_view text, Locate locate, Source& source)
        : text_(text), locate_(locate == Locate::Yes), source_(source) {}

    void run() {
        skip_space();
        part(line_);
    }

private:
    void skip_space() {
        while (at_ < text_.size() &&
               std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
            line_ += text_[at_] == '\n' ? 1U : 0U;
            ++at_;
        }
    }

    // The part at path_.
    void part(std::size_t line) {
        if (locate_) {
            source_.lines.set(path_, line);
        }
        switch (text_[at_]) {
            case '{':
                return object();
            case '[':
                return array();
            case '"':
                static_cast<void>(string_token());
                return;
            default:
                at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
        }
    }

    // True while members or items follow; leaves the closing bracket behind.
    bool next(char close) {
        skip_space();
        if (text_[at_] == ',') {
            ++at_;
            skip_space();
        }
        if (text_[at_] != close) {
            return true;
        }
        ++at_;
        return false;
    }

    void object() {
        const std::size_t around = path_.size();
        const std::size_t first_name = names_.size();
        ++at_;
        while (next('}')) {
            const std::string_view name = decoded(string_token());
            names_.push_back(name);
            const std::size_t line = line_;
            skip_space();
            ++at_;  // the colon
            skip_space();
            append_member(name);
            part(line);
            path_.resize(around);
        }
        refuse_repeated(first_name);
        names_.resize(first_name);
    }

    // Of the names from there on.
    void refuse_repeated(std::size_t first_name) {
        const auto begin = names_.begin() + static_cast<std::ptrdiff_t>(first_name);
        std::sort(begin, names_.end());
        for (auto twice = std::adjacent_find(begin, names_.end()); twice != names_.end();
             twice = std::adjacent_find(twice + 1, names_.end())) {
            std::string member = member_path(path_, *twice);
            source_.duplicates.push_back(
                {fmt::format("{} is given twice", member), std::move(member)});
        }
    }

    void array() {
        const std::size_t around = path_.size();
        ++at_;
        for (std::size_t index = 0; next(']'); ++index) {
            append_item(index);
            part(line_);
            path_.resize(around);
        }
    }

    // One text for the whole walk: a text for each part would cost more than reading it.
    void append_member(std::string_view name) { append_member_path(path_, name); }

    void append_item(std::size_t index) {
        path_ += '[';
        path_ += std::to_string(index);
        path_ += ']';
    }

    // With its quotes.
    std::string_view string_token() {
        const std::size_t begin = at_++;
        while (text_[at_] != '"') {
            at_ += text_[at_] == '\\' ? 2U : 1U;
        }
        return text_.substr(begin, ++at_ - begin);
    }

    // Valid for the walk.
    std::string_view decoded(std::string_view token) {
        if (token.find('\\') == token.npos) {
            return token.substr(1, token.size() - 2);
        }
        json::error_code ec;
        const json::value value = json::parse(token, ec);
        if (ec) {
            return token;
        }
        return escaped_names_.emplace_back(std::string_view(value.get_string()));
    }

    std::string_view text_;
    bool locate_;
    Source& source_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::string path_;
    std::vector<std::string_view> names_;  ///< of the objects that are open, one behind the other
    std::deque<std::string> escaped_names_;
};

core::Result<json::value> parsed(std::string_view text) {
    json::parse_options options;
    options.max_depth = max_depth;
    json::parser parser({}, options);
    // One piece of memory after the other, and all of it given back at once.
    parser.reset(json::make_shared_resource<json::monotonic_resource>());
    json::error_code ec;
    const std::size_t used = parser.write_some(text.data(), text.size(), ec);
    if (ec) {
        return core::Problem{fmt::format("{}: {}", where(text, used), ec.message())};
    }
    const std::size_t rest = std::min(text.find_first_not_of(" \t\r\n", used), text.size());
    if (rest != text.size()) {
        return core::Problem{fmt::format("{}: text after the document", where(text, rest))};
    }
    return parser.release();
}

}  // namespace

core::Result<Source> parse_json_source(std::string_view text, Locate locate) {
    core::Result<json::value> value = parsed(text);
    if (!value) {
        return value.error();
    }
    Source source{std::move(*value), {}, {}, false};  // assigning would copy out of its memory
    Walk(text, locate, source).run();
    return source;
}

}  // namespace ome::wire
