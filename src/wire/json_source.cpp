// Boost.JSON reads the values; a second walk over the text, which is then known to be valid, finds
// what Boost.JSON does not tell: lines, and members named twice.
#include "source.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
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
        part(line_, [] { return std::string(); });
    }

private:
    void skip_space() {
        while (at_ < text_.size() &&
               std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
            line_ += text_[at_] == '\n' ? 1U : 0U;
            ++at_;
        }
    }

    [[nodiscard]] bool at_container() const { return text_[at_] == '{' || text_[at_] == '['; }

    void value(const std::string& path) {
        switch (text_[at_]) {
            case '{':
                return object(path);
            case '[':
                return array(path);
            case '"':
                static_cast<void>(string_token());
                return;
            default:
                at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
        }
    }

    // Paths cost an allocation each, and most are wanted only with lines.
    template <typename MakePath>
    void part(std::size_t line, MakePath make_path) {
        if (!locate_ && !at_container()) {
            return value({});
        }
        const std::string path = make_path();
        if (locate_) {
            source_.lines.set(path, line);
        }
        value(path);
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

    void object(const std::string& path) {
        std::vector<std::string> names;
        ++at_;
        while (next('}')) {
            names.push_back(decoded(string_token()));
            const std::size_t line = line_;
            skip_space();
            ++at_;  // the colon
            skip_space();
            part(line, [&] { return member_path(path, names.back()); });
        }
        std::sort(names.begin(), names.end());
        for (auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end();
             twice = std::adjacent_find(twice + 1, names.end())) {
            refuse(member_path(path, *twice));
        }
    }

    void refuse(std::string member) {
        source_.duplicates.push_back({fmt::format("{} is given twice", member), std::move(member)});
    }

    void array(const std::string& path) {
        ++at_;
        for (std::size_t index = 0; next(']'); ++index) {
            part(line_, [&] { return item_path(path, index); });
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

    static std::string decoded(std::string_view token) {
        if (token.find('\\') == token.npos) {
            return std::string(token.substr(1, token.size() - 2));
        }
        json::error_code ec;
        const json::value value = json::parse(token, ec);
        return ec ? std::string(token) : std::string(std::string_view(value.get_string()));
    }

    std::string_view text_;
    bool locate_;
    Source& source_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

core::Result<json::value> parsed(std::string_view text) {
    json::parse_options options;
    options.max_depth = max_depth;
    json::parser parser({}, options);
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
    Source source;
    source.value = std::move(*value);
    Walk(text, locate, source).run();
    return source;
}

}  // namespace ome::wire
