#include "yaml_writer.hpp"

#include <ome/core/utf8.hpp>
#include <ome/wire/json_text.hpp>

#include <algorithm>
#include <array>

namespace ome::wire {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Inside a plain text. A colon or a blank only with something behind it that cannot end the text,
// begin a comment or a value.
bool may_follow(std::string_view text, std::size_t at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (c == ':' || c == ' ') {
        return next != ' ' && next != '#' && next != ':';
    }
    return is_letter(c) || is_digit(c) ||
           std::string_view("_-./()+,;=%*?&@$<>|~").find(c) != std::string_view::npos;
}

// Words that are no texts in YAML 1.1, which kubectl and its kin read.
bool is_word_of_yaml(std::string_view text) {
    constexpr std::array<std::string_view, 9> words{
        "y", "n", "yes", "no", "on", "off", "true", "false", "null"};
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return std::find(words.begin(), words.end(), lower) != words.end();
}

// `2 home(s) serving`: neither a number nor a date of any YAML.
bool begins_a_sentence(std::string_view text) {
    const std::size_t blank = text.find(' ');
    return is_digit(text.front()) && blank != text.npos &&
           std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(blank), is_digit) &&
           is_letter(text[blank + 1]);
}

bool may_stand_plain(std::string_view text) {
    if (text.empty() || text.back() == ' ') {
        return false;
    }
    const bool begins_well =
        is_letter(text.front()) || text.front() == '/' || begins_a_sentence(text);
    if (!begins_well || is_word_of_yaml(text)) {
        return false;
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!may_follow(text, at)) {
            return false;
        }
    }
    return true;
}

// Characters that YAML does not take as they are, besides those that no JSON of ours has: the byte
// order mark and the noncharacters. Zero: none.
std::size_t special_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const bool mark = byte(0) == 0xEFU && byte(1) == 0xBBU && byte(2) == 0xBFU;
    const bool no_character = byte(0) == 0xEFU && byte(1) == 0xBFU && byte(2) >= 0xBEU;
    return mark || no_character ? 3 : 0;
}

// A JSON string is one of YAML, save for some characters.
void append_quoted(std::string& out, std::string_view text) {
    std::string quoted;
    append_json_string(quoted, text);
    for (std::size_t at = 0; at < quoted.size();) {
        if (const std::size_t length = special_at(quoted, at)) {
            append_unicode_escape(
                out, core::first_code_point(std::string_view(quoted).substr(at)).value);
            at += length;
        } else {
            out += quoted[at++];
        }
    }
}

}  // namespace

void append_yaml_text(std::string& out, std::string_view text) {
    if (may_stand_plain(text)) {
        out += text;
    } else {
        append_quoted(out, text);
    }
}

// The first member of an object that is an item stands on the line of the dash.
void YamlWriter::begin(bool list) {
    std::size_t indent = 0;
    if (!levels_.empty()) {
        if (levels_.back().list) {
            begin_item();
        }
        const Level& around = levels_.back();
        indent = list && !around.list ? around.indent : around.indent + 2;
    }
    levels_.push_back({list, true, indent});
}

void YamlWriter::end(std::string_view if_empty) {
    const bool empty = levels_.back().empty;
    levels_.pop_back();
    if (empty) {
        if (before_ == Before::Name) {
            out_ += ' ';
        }
        out_ += if_empty;
        out_ += '\n';
    }
    before_ = Before::Nothing;
}

void YamlWriter::value_of_member() {
    if (before_ == Before::Name) {
        out_ += '\n';
        before_ = Before::Nothing;
    }
}

void YamlWriter::begin_item() {
    Level& list = levels_.back();
    if (list.empty) {
        value_of_member();
    }
    list.empty = false;
    if (before_ != Before::Dash) {
        out_.append(list.indent, ' ');
    }
    out_ += "- ";
    before_ = Before::Dash;
}

void YamlWriter::begin_member() {
    Level& object = levels_.back();
    if (object.empty) {
        value_of_member();
    }
    object.empty = false;
    if (before_ != Before::Dash) {
        out_.append(object.indent, ' ');
    }
}

void YamlWriter::name(std::string_view name) {
    begin_member();
    out_ += name;
    out_ += ':';
    before_ = Before::Name;
}

void YamlWriter::key(std::string_view key) {
    begin_member();
    append_yaml_text(out_, key);
    out_ += ':';
    before_ = Before::Name;
}

void YamlWriter::scalar() {
    if (!levels_.empty() && levels_.back().list) {
        begin_item();
    } else if (before_ == Before::Name) {
        out_ += ' ';
    }
    before_ = Before::Nothing;
}

void YamlWriter::text(std::string_view text) {
    scalar();
    append_yaml_text(out_, text);
    end_scalar();
}

void YamlWriter::integer(std::int64_t value) {
    scalar();
    append_json_integer(out_, value);
    end_scalar();
}

void YamlWriter::flag(bool value) {
    literal(value ? "true" : "false");
}

void YamlWriter::literal(std::string_view spelled) {
    scalar();
    out_ += spelled;
    end_scalar();
}

}  // namespace ome::wire
