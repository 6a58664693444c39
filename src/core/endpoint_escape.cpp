#include "endpoint_escape.hpp"

#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::core {
namespace {

bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// What may stand unescaped besides letters and digits.
std::string_view literal_marks(UrlPart part) {
    switch (part) {
        case UrlPart::Userinfo:
            return "-_.~$&+,;=";
        case UrlPart::Host:
        case UrlPart::Zone:
            return "-_.~!$&'()*+,;=:[]<>\"";
        case UrlPart::Path:
        case UrlPart::Fragment:
            break;
    }
    return "-_.~$&+,/:;=@";
}

bool stays_literal(char c, UrlPart part) {
    return is_alphanumeric(c) || literal_marks(part).find(c) != std::string_view::npos;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The byte that the escape at the front stands for, or -1.
int escaped_byte(std::string_view text) {
    const int high = text.size() < 3 ? -1 : hex_digit(text[1]);
    const int low = high < 0 ? -1 : hex_digit(text[2]);
    return low < 0 ? -1 : high * 16 + low;
}

// In a host only bytes above ASCII may be escaped, and the percent sign itself; in a zone also what
// could be written literally, and a space, which Windows uses.
bool escape_allowed(int byte, UrlPart part) {
    if (byte < 0 || byte == '%') {
        return byte == '%';
    }
    if (part == UrlPart::Host) {
        return byte >= 0x80;
    }
    return part != UrlPart::Zone || byte == ' ' ||
           stays_literal(static_cast<char>(byte), UrlPart::Host);
}

bool literal_allowed(char c, UrlPart part) {
    const bool in_host = part == UrlPart::Host || part == UrlPart::Zone;
    return !in_host || static_cast<unsigned char>(c) >= 0x80 || stays_literal(c, part);
}

}  // namespace

std::string quote_foreign(std::string_view text) {
    constexpr std::size_t longest = 1'600;
    constexpr std::size_t shown = 320;  // at most four bytes each in quotes
    std::string quoted = go_quote(text.substr(0, longest));
    if (text.size() > longest || quoted.size() > longest) {
        quoted = go_quote(std::string(text.substr(0, shown)) + "...");
    }
    return quoted;
}

std::string to_message(const UrlFault& fault) {
    return fmt::format(fmt::runtime(fault.text), quote_foreign(fault.piece));
}

boost::system::result<std::string, UrlFault> unescape(std::string_view text, UrlPart part) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        if (text.front() != '%') {
            if (!literal_allowed(text.front(), part)) {
                return UrlFault{"invalid character {} in host name", text.substr(0, 1)};
            }
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        const int byte = escaped_byte(text);
        if (!escape_allowed(byte, part)) {
            return UrlFault{"invalid URL escape {}", text.substr(0, 3)};
        }
        out += static_cast<char>(byte);
        text.remove_prefix(3);
    }
    return out;
}

std::string escape(std::string_view text, UrlPart part) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (stays_literal(c, part)) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return out;
}

std::string escaped_path(std::string_view path) {
    constexpr std::string_view also_valid = "!'()*[]%";
    const bool valid = std::all_of(path.begin(), path.end(), [=](char c) {
        return stays_literal(c, UrlPart::Path) || also_valid.find(c) != std::string_view::npos;
    });
    if (valid) {
        return std::string(path);
    }
    return escape(*unescape(path, UrlPart::Path), UrlPart::Path);
}

}  // namespace ome::core
