#include "yaml_events.hpp"

#include "parser_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace ome::wire {

YamlEvents::YamlEvents(std::string_view text) : text_(text) {
    if (yaml_parser_initialize(&parser_) == 0) {
        throw std::bad_alloc();
    }
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    const void* const bytes = text.data();
    yaml_parser_set_input_string(&parser_, static_cast<const unsigned char*>(bytes), text.size());
}

YamlEvents::~YamlEvents() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
}

const yaml_event_t* YamlEvents::next() {
    if (problem_) {
        return nullptr;
    }
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 0) {
        problem_ = describe();
        return nullptr;
    }
    return &event_;
}

core::Problem YamlEvents::describe() const {
    if (parser_.error == YAML_MEMORY_ERROR) {
        throw std::bad_alloc();
    }
    const std::string words = yaml_fault_words(parser_.problem != nullptr ? parser_.problem : "");
    if (parser_.error == YAML_READER_ERROR) {  // of single bytes: it knows of no lines yet
        const std::string_view before = text_.substr(0, parser_.problem_offset);
        const auto newlines = std::count(before.begin(), before.end(), '\n');
        return {fmt::format("line {}: {}", newlines + 1, words)};
    }
    const yaml_mark_t& at = parser_.problem_mark;
    return {fmt::format("line {}, column {}: {}", at.line + 1, at.column + 1, words)};
}

}  // namespace ome::wire
