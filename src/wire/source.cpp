#include "source.hpp"

#include <ome/core/text.hpp>
#include <ome/core/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool begins_like_json(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && (text[first] == '{' || text[first] == '[');
}

std::vector<Source> only(Source source) {
    std::vector<Source> sources;
    sources.push_back(std::move(source));
    return sources;
}

// Looked at only when a parser gave up: what it says of such a file helps nobody.
bool is_binary(std::string_view text) {
    while (!text.empty()) {
        const core::CodePoint next = core::first_code_point(text);
        if (!next.valid || next.value == 0) {
            return true;
        }
        text.remove_prefix(next.length);
    }
    return false;
}

core::Result<std::vector<Source>> parsed(std::string_view text, Locate json) {
    if (!begins_like_json(text)) {
        return parse_yaml_sources(text);
    }
    core::Result<Source> source = parse_json_source(text, json);
    if (!source) {
        return source.error();
    }
    return only(std::move(*source));
}

}  // namespace

std::string member_path(std::string_view base, std::string_view name) {
    std::string path;
    path.reserve(base.size() + name.size() + 1);
    path = base;
    append_member_path(path, name);
    return path;
}

void append_member_path(std::string& base, std::string_view name) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_plain)) {
        base += fmt::format("[{}]", core::go_quote(name));
        return;
    }
    if (!base.empty()) {
        base += '.';
    }
    base += name;
}

std::string item_path(std::string_view base, std::size_t index) {
    std::string path;
    path.reserve(base.size() + 8);
    path = base;
    append_item_path(path, index);
    return path;
}

void append_item_path(std::string& base, std::size_t index) {
    base += '[';
    base += std::to_string(index);
    base += ']';
}

std::string joined_path(std::string_view base, std::string_view path) {
    const char* const between = base.empty() || path.empty() || path.starts_with('[') ? "" : ".";
    return fmt::format("{}{}{}", base, between, path);
}

bool lies_within(std::string_view path, std::string_view base) {
    return base.empty() ||
           (path.starts_with(base) &&
            (path.size() == base.size() || path[base.size()] == '.' || path[base.size()] == '['));
}

std::size_t Lines::of(std::string_view from_base) const {
    std::string path = joined_path(base_, from_base);
    for (;;) {
        if (const auto found = by_path_.find(path); found != by_path_.end()) {
            return found->second;
        }
        const std::size_t cut = path.find_last_of(".[");
        if (cut == path.npos) {
            break;
        }
        path.resize(cut);
    }
    const auto whole = by_path_.find("");
    return whole == by_path_.end() ? 0 : whole->second;
}

core::Result<std::vector<Source>> parse_sources(std::string_view text, Locate json) {
    if (text.starts_with(byte_order_mark)) {  // of an editor; JSON has none
        text.remove_prefix(byte_order_mark.size());
    }
    core::Result<std::vector<Source>> sources = parsed(text, json);
    if (!sources && is_binary(text)) {
        return core::Problem{"this is no text in UTF-8, expected JSON or YAML"};
    }
    return sources;
}

}  // namespace ome::wire
