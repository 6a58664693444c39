#include "http_request.hpp"

#include <strings.h>

#include <charconv>
#include <cstdint>

namespace ome::homesim {
namespace {

bool same_name(std::string_view a, std::string_view b) {
    return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
        text.remove_suffix(1);
    }
    return text;
}

/// Cuts `text` at the first `mark`; without one it is taken whole.
std::string_view take_until(std::string_view& text, char mark) {
    const std::size_t at = text.find(mark);
    const std::string_view taken = text.substr(0, at);
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
    return taken;
}

bool read_request_line(std::string_view line, Request& request) {
    line = trim(line);
    request.method = take_until(line, ' ');
    std::string_view target = take_until(line, ' ');
    request.path = take_until(target, '?');
    request.query = target;
    request.close = line == "HTTP/1.0";
    return !request.method.empty() && request.path.starts_with('/') && line.starts_with("HTTP/1.");
}

/// False for a header that we do not understand and that changes where the request ends.
bool read_header(std::string_view line, Request& request, std::size_t& body_size) {
    const std::string_view name = take_until(line, ':');
    const std::string_view value = trim(line);
    if (same_name(name, "connection")) {
        request.close = request.close || same_name(value, "close");
    } else if (same_name(name, "content-length")) {
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), body_size);
        return error == std::errc{} && end == value.data() + value.size() &&
               body_size <= most_body_bytes;
    }
    return !same_name(name, "transfer-encoding");
}

}  // namespace

Parse parse_request(std::string_view bytes, Request& request) {
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos) {
        return bytes.size() > most_head_bytes ? Parse::Malformed : Parse::Incomplete;
    }
    std::string_view head = bytes.substr(0, end + 2);
    std::size_t body_size = 0;
    if (!read_request_line(take_until(head, '\n'), request)) {
        return Parse::Malformed;
    }
    while (!head.empty()) {
        if (!read_header(take_until(head, '\n'), request, body_size)) {
            return Parse::Malformed;
        }
    }
    request.bytes = end + 4 + body_size;
    if (bytes.size() < request.bytes) {
        return Parse::Incomplete;
    }
    request.body = bytes.substr(end + 4, body_size);
    return Parse::Complete;
}

bool split_home_path(std::string_view path, std::string_view& home, std::string_view& rest) {
    if (!path.starts_with("/h/")) {
        return false;
    }
    path.remove_prefix(3);
    const std::size_t slash = path.find('/');
    home = path.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view() : path.substr(slash);
    return !home.empty();
}

std::string percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        const char* const digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
            out.push_back(static_cast<char>(code));
            i += 2;
        } else {
            out.push_back(text[i]);
        }
    }
    return out;
}

std::vector<Parameter> query_parameters(std::string_view query) {
    std::vector<Parameter> parameters;
    while (!query.empty()) {
        std::string_view pair = take_until(query, '&');
        if (!pair.empty()) {
            const std::string_view name = take_until(pair, '=');
            parameters.push_back({percent_decoded(name), percent_decoded(pair)});
        }
    }
    return parameters;
}

}  // namespace ome::homesim
