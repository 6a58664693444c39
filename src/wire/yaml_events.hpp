// What a YAML text consists of, one piece after the other, as libyaml tells it.
#pragma once

#include <ome/core/problem.hpp>

#include <yaml.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace ome::wire {

[[nodiscard]] inline std::size_t line_of(const yaml_event_t& event) {
    return event.start_mark.line + 1;
}

class YamlEvents {
public:
    /// `text` must outlive it.
    explicit YamlEvents(std::string_view text);
    ~YamlEvents();
    YamlEvents(const YamlEvents&) = delete;
    YamlEvents& operator=(const YamlEvents&) = delete;

    /// Valid until the next call; null: the text is malformed, and so it stays. Nothing may be
    /// asked for behind the end of the stream.
    [[nodiscard]] const yaml_event_t* next();

    /// Of a malformed text; begins with its line.
    [[nodiscard]] const std::optional<core::Problem>& problem() const { return problem_; }

private:
    [[nodiscard]] core::Problem describe() const;

    std::string_view text_;
    yaml_parser_t parser_{};
    yaml_event_t event_{};
    std::optional<core::Problem> problem_;
};

}  // namespace ome::wire
