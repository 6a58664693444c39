// Where a document is written to, member by member: the same calls make JSON (this file) or YAML
// (yaml_writer.hpp). Names are literals that need no quotes.
#pragma once

#include <ome/wire/json_text.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ome::wire {

/// Compact.
class JsonWriter {
public:
    explicit JsonWriter(std::string& out) : out_(out) {}

    void begin_object() { open('{'); }
    void end_object() { close('}'); }
    void begin_list() { open('['); }
    void end_list() { close(']'); }

    void name(std::string_view name) {
        separate();
        out_ += '"';
        out_ += name;
        out_ += "\":";
        fresh_ = true;  // the value follows its name without a comma
    }
    /// A name that is no literal.
    void key(std::string_view key) {
        separate();
        append_json_string(out_, key);
        out_ += ':';
        fresh_ = true;
    }

    void text(std::string_view text) {
        separate();
        append_json_string(out_, text);
    }
    void integer(std::int64_t value) {
        separate();
        append_json_integer(out_, value);
    }
    void time(core::WallTime at) {
        separate();
        append_json_time(out_, at);
    }
    void flag(bool value) {
        separate();
        out_ += value ? "true" : "false";
    }

private:
    void separate() {
        if (!fresh_) {
            out_ += ',';
        }
        fresh_ = false;
    }
    void open(char bracket) {
        separate();
        out_ += bracket;
        fresh_ = true;
    }
    void close(char bracket) {
        out_ += bracket;
        fresh_ = false;
    }

    std::string& out_;
    bool fresh_ = true;  ///< nothing stands before the next value
};

}  // namespace ome::wire
