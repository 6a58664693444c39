#include "broken_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ome::homesim {
namespace {

// Above what clients of observations take for a head (128 KiB here).
constexpr std::size_t too_long_a_head = 200'000;

std::string answer(int status, const std::string& headers, const std::string& body) {
    return fmt::format("HTTP/1.1 {} Simulated\r\n{}\r\n{}", status, headers, body);
}

std::string length(std::size_t size) {
    return fmt::format("Content-Length: {}\r\n", size);
}

std::string chunked(int status, const std::string& chunks) {
    return answer(status, "Transfer-Encoding: chunked\r\n", chunks);
}

std::string chunk(const std::string& body) {
    return fmt::format("{:x}\r\n{}", body.size(), body);
}

using Text = const std::string&;

constexpr std::array table{
    BrokenAnswer{"length-short",
                 "Content-Length promises 10 bytes more than come",
                 [](int s, Text b) { return answer(s, length(b.size() + 10), b); }},
    BrokenAnswer{"length-long",
                 "4 bytes come behind what Content-Length promises",
                 [](int s, Text b) { return answer(s, length(b.size()), b + "more"); }},
    BrokenAnswer{
        "length-twice",
        "two Content-Length headers that differ",
        [](int s, Text b) { return answer(s, length(b.size()) + length(b.size() + 1), b); }},
    BrokenAnswer{"length-garbage",
                 "Content-Length: 5x",
                 [](int s, Text b) { return answer(s, "Content-Length: 5x\r\n", b); }},
    BrokenAnswer{"length-negative",
                 "Content-Length: -1",
                 [](int s, Text b) { return answer(s, "Content-Length: -1\r\n", b); }},
    BrokenAnswer{
        "length-huge",
        "a Content-Length that fits no 64 bits",
        [](int s, Text b) { return answer(s, "Content-Length: 99999999999999999999\r\n", b); }},
    BrokenAnswer{"length-and-chunks",
                 "Content-Length besides Transfer-Encoding: chunked",
                 [](int s, Text b) {
                     return answer(s,
                                   length(b.size()) + "Transfer-Encoding: chunked\r\n",
                                   chunk(b) + "\r\n0\r\n\r\n");
                 }},
    BrokenAnswer{"chunk-garbage",
                 "a chunk's size is no number",
                 [](int s, Text b) { return chunked(s, "xyz\r\n" + b + "\r\n0\r\n\r\n"); }},
    BrokenAnswer{"chunk-huge",
                 "a chunk's size fits no 64 bits",
                 [](int s, Text b) { return chunked(s, "fffffffffffffffff\r\n" + b); }},
    BrokenAnswer{"chunk-unended",
                 "a chunk lacks its line end",
                 [](int s, Text b) { return chunked(s, chunk(b) + "0\r\n\r\n"); }},
    BrokenAnswer{"chunks-unended",
                 "the last chunk never comes",
                 [](int s, Text b) { return chunked(s, chunk(b) + "\r\n"); }},
    BrokenAnswer{"coding-unknown",
                 "Transfer-Encoding: gzip, of a body that is none",
                 [](int s, Text b) { return answer(s, "Transfer-Encoding: gzip\r\n", b); }},
    BrokenAnswer{"gzip",
                 "Content-Encoding: gzip, which nobody asked for",
                 [](int s, Text b) {
                     return answer(s, length(b.size()) + "Content-Encoding: gzip\r\n", b);
                 }},
    BrokenAnswer{"header-garbage",
                 "a header line without a colon",
                 [](int s, Text b) { return answer(s, "no header\r\n" + length(b.size()), b); }},
    BrokenAnswer{"header-nul",
                 "a header with a NUL byte",
                 [](int s, Text b) {
                     return answer(s, std::string("X: a\0b\r\n", 8) + length(b.size()), b);
                 }},
    BrokenAnswer{
        "head-huge",
        "a head of 200,000 bytes",
        [](int s, Text b) {
            return answer(
                s, "X: " + std::string(too_long_a_head, 'x') + "\r\n" + length(b.size()), b);
        }},
    BrokenAnswer{"head-unended",
                 "the connection closes before the blank line",
                 [](int s, Text) { return fmt::format("HTTP/1.1 {} Simulated\r\nX: y\r\n", s); }},
    BrokenAnswer{"interim-many",
                 "100 times 100 Continue before the answer",
                 [](int s, Text b) {
                     std::string text;
                     for (int i = 0; i < 100; ++i) {
                         text += "HTTP/1.1 100 Continue\r\n\r\n";
                     }
                     return text + answer(s, length(b.size()), b);
                 }},
    BrokenAnswer{"status-garbage",
                 "a status line without a number",
                 [](int, Text b) { return "HTTP/1.1 OK\r\n" + length(b.size()) + "\r\n" + b; }},
    BrokenAnswer{"not-http",
                 "the greeting of an SSH server",
                 [](int, Text) { return std::string("SSH-2.0-OpenSSH_9.2\r\n"); }},
    BrokenAnswer{"bare-lf",
                 "lines end with LF alone",
                 [](int s, Text b) {
                     return fmt::format(
                         "HTTP/1.1 {} Simulated\nContent-Length: {}\n\n{}", s, b.size(), b);
                 }},
};

}  // namespace

std::span<const BrokenAnswer> broken_answers() {
    return table;
}

const BrokenAnswer* find_broken(std::string_view name) {
    const auto* const found = std::find_if(
        table.begin(), table.end(), [&](const BrokenAnswer& one) { return one.name == name; });
    return found == table.end() ? nullptr : found;
}

std::string names_of_broken() {
    std::string names;
    for (const BrokenAnswer& one : table) {
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    return names;
}

}  // namespace ome::homesim
