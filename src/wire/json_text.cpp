#include "json_text.hpp"

#include <ome/core/timestamp.hpp>

#include <charconv>

namespace ome::wire {
namespace {

bool needs_escape(char byte) {
    return byte == '"' || byte == '\\' || static_cast<unsigned char>(byte) < 0x20;
}

void append_escape(std::string& out, char byte) {
    switch (byte) {
        case '"': out += R"(\")"; return;
        case '\\': out += R"(\\)"; return;
        case '\b': out += R"(\b)"; return;
        case '\f': out += R"(\f)"; return;
        case '\n': out += R"(\n)"; return;
        case '\r': out += R"(\r)"; return;
        case '\t': out += R"(\t)"; return;
        default: break;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(byte);
    out += R"(\u00)";
    out += digits[value >> 4];
    out += digits[value & 15];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    std::size_t plain = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (needs_escape(text[at])) {
            out.append(text, plain, at - plain);
            append_escape(out, text[at]);
            plain = at + 1;
        }
    }
    out.append(text, plain);
    out += '"';
}

void append_json_integer(std::string& out, std::int64_t value) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(digits, end);
}

void append_json_time(std::string& out, core::WallTime at) {
    out += '"';
    out += core::format_timestamp(at);
    out += '"';
}

}  // namespace ome::wire
