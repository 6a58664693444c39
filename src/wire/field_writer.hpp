// Members of a document in one call each, on top of a writer (json_writer.hpp, yaml_writer.hpp).
#pragma once

#include "json_writer.hpp"
#include <ome/core/time.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

/// Adds overloads with the member's name to those of the writer without one.
template <typename Writer>
class FieldWriter : public Writer {
public:
    using Writer::flag;
    using Writer::integer;
    using Writer::text;
    using Writer::Writer;

    void text(std::string_view name, std::string_view value) {
        this->name(name);
        this->text(value);
    }
    void text_unless_empty(std::string_view name, std::string_view value) {
        if (!value.empty()) {
            text(name, value);
        }
    }

    void integer(std::string_view name, std::int64_t value) {
        this->name(name);
        this->integer(value);
    }
    void integer_unless_zero(std::string_view name, std::int64_t value) {
        if (value != 0) {
            integer(name, value);
        }
    }

    /// Absent: left out.
    void flag(std::string_view name, std::optional<bool> value) {
        if (value) {
            this->name(name);
            this->flag(*value);
        }
    }

    /// Whole seconds: `2026-09-28T10:00:00Z`.
    void seconds(std::string_view name, const std::optional<core::WallTime>& at) {
        if (at) {
            std::string quoted;
            append_json_time(quoted, {at->seconds, 0});
            constexpr std::size_t length_to_seconds = 19;
            text(name, quoted.substr(1, length_to_seconds) + "Z");
        }
    }

    void texts_unless_empty(std::string_view name, const std::vector<std::string>& values) {
        if (!values.empty()) {
            list(name, values, [this](const std::string& value) { this->text(value); });
        }
    }

    void pairs_unless_empty(std::string_view name,
                            const std::map<std::string, std::string>& values) {
        if (values.empty()) {
            return;
        }
        this->name(name);
        this->begin_object();
        for (const auto& [key, value] : values) {
            this->key(key);
            this->text(value);
        }
        this->end_object();
    }

    /// `write_item` writes one value.
    template <typename Values, typename WriteItem>
    void list(std::string_view name, const Values& values, WriteItem write_item) {
        this->name(name);
        this->begin_list();
        for (const auto& value : values) {
            write_item(value);
        }
        this->end_list();
    }
};

}  // namespace ome::wire
