// YAML in block style, by the calls of json_writer.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

/// A text as it can stand on a line of YAML: plain where every reader of YAML 1.1 and 1.2 takes it
/// for the same text, otherwise in double quotes.
void append_yaml_text(std::string& out, std::string_view text);

/// Two blanks a level; the items of a list stand below its name without being indented, as kubectl
/// prints them. An empty object is `{}`, an empty list `[]`.
class YamlWriter {
public:
    explicit YamlWriter(std::string& out) : out_(out) {}

    void begin_object() { begin(false); }
    void end_object() { end("{}"); }
    void begin_list() { begin(true); }
    void end_list() { end("[]"); }

    void name(std::string_view name);
    void key(std::string_view key);
    void text(std::string_view text);
    void integer(std::int64_t value);
    void flag(bool value);
    /// A scalar that is spelled alike in JSON and YAML: a number, true, false, null.
    void literal(std::string_view spelled);

private:
    /// What stands on the line already, before the next thing.
    enum class Before : std::uint8_t { Nothing, Name, Dash };

    struct Level {
        bool list = false;
        bool empty = true;
        std::size_t indent = 0;
    };

    void begin(bool list);
    void end(std::string_view if_empty);
    void begin_item();
    void begin_member();
    void value_of_member();
    void scalar();
    void end_scalar() { out_ += '\n'; }

    std::string& out_;
    std::vector<Level> levels_;
    Before before_ = Before::Nothing;
};

}  // namespace ome::wire
