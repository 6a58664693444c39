// Boost.JSON reads the values; a second walk over the text, which is then known to be valid, finds
// what Boost.JSON does not tell: lines, and members named twice.
#include "parser_words.hpp"
#include "source.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
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

// Not by find_first_of(): that looks every character up in a set, and this walk is a third of what
// reading a manifest takes.
bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool ends_a_scalar(char c) {
    return c == ',' || c == '}' || c == ']' || is_blank(c);
}

using NameIterator = std::vector<std::string_view>::iterator;

// Objects have a handful of members: comparing each with each costs less than sorting.
bool has_repeated(NameIterator begin, NameIterator end) {
    constexpr std::ptrdiff_t few = 16;
    if (end - begin > few) {
        std::sort(begin, end);
        return std::adjacent_find(begin, end) != end;
    }
    for (auto name = begin; name != end; ++name) {
        if (std::find(name + 1, end, *name) != end) {
            return true;
        }
    }
    return false;
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
    /// From a part to one inside of it.
    struct Step {
        std::string_view name;
        std::size_t index = 0;  ///< where there is no name
        bool named = false;
    };

    // Half of what kubectl prints is indentation.
    void skip_space() {
        constexpr std::string_view indentation = "        ";
        for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) {
            line_ += text_[at_] == '\n' ? 1U : 0U;
            while (text_.size() - at_ > indentation.size() &&
                   std::memcmp(&text_[at_ + 1], indentation.data(), indentation.size()) == 0) {
                at_ += indentation.size();
            }
        }
    }

    // Most walks never need one.
    [[nodiscard]] std::string path() const {
        std::string path;
        for (const Step& step : steps_) {
            if (step.named) {
                append_member_path(path, step.name);
            } else {
                append_item_path(path, step.index);
            }
        }
        return path;
    }

    // The part at path().
    void part(std::size_t line) {
        if (locate_) {
            source_.lines.set(path(), line);
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
                while (at_ < text_.size() && !ends_a_scalar(text_[at_])) {
                    ++at_;
                }
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
        const std::size_t first_name = names_.size();
        ++at_;
        while (next('}')) {
            const std::string_view name = decoded(string_token());
            names_.push_back(name);
            const std::size_t line = line_;
            skip_space();
            ++at_;  // the colon
            skip_space();
            steps_.push_back({name, 0, true});
            part(line);
            steps_.pop_back();
        }
        const auto begin = names_.begin() + static_cast<std::ptrdiff_t>(first_name);
        if (has_repeated(begin, names_.end())) {
            refuse_repeated(begin);
        }
        names_.resize(first_name);
    }

    // Of the names from there on.
    void refuse_repeated(NameIterator begin) {
        std::sort(begin, names_.end());
        const std::string around = path();
        for (auto twice = std::adjacent_find(begin, names_.end()); twice != names_.end();
             twice = std::adjacent_find(twice + 1, names_.end())) {
            std::string member = member_path(around, *twice);
            source_.duplicates.push_back(
                {fmt::format("{} is given twice", member), std::move(member)});
        }
    }

    void array() {
        ++at_;
        for (std::size_t index = 0; next(']'); ++index) {
            steps_.push_back({{}, index, false});
            part(line_);
            steps_.pop_back();
        }
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
    std::vector<Step> steps_;              ///< to the part that is being read
    std::vector<std::string_view> names_;  ///< of the objects that are open, one behind the other
    std::deque<std::string> escaped_names_;
};

}  // namespace

core::Result<json::value> parse_json_value(std::string_view text,
                                           json::storage_ptr memory,
                                           std::size_t deepest) {
    json::parse_options options;
    options.max_depth = static_cast<unsigned char>(deepest);
    json::parser parser({}, options);
    parser.reset(std::move(memory));
    json::error_code ec;
    const std::size_t used = parser.write_some(text.data(), text.size(), ec);
    if (ec) {
        return core::Problem{
            fmt::format("{}: {}", where(text, used), json_fault_words(text, used, ec))};
    }
    const std::size_t rest = std::min(text.find_first_not_of(" \t\r\n", used), text.size());
    if (rest != text.size()) {
        return core::Problem{fmt::format("{}: text after the document", where(text, rest))};
    }
    return parser.release();
}

core::Result<Source> parse_json_source(std::string_view text, Locate locate) {
    // One piece of memory after the other, and all of it given back at once.
    core::Result<json::value> value =
        parse_json_value(text, json::make_shared_resource<json::monotonic_resource>(), max_depth);
    if (!value) {
        return value.error();
    }
    Source source{std::move(*value), {}, {}, false};  // assigning would copy out of its memory
    Walk(text, locate, source).run();
    return source;
}

}  // namespace ome::wire
