#include "../../src/net/http_server_parser.hpp"
#include "../../src/net/http_server_target.hpp"
#include "require.hpp"
#include "targets.hpp"

#include <map>
#include <string>

namespace ome::fuzz {
namespace {

constexpr std::size_t most_head = 1024;
constexpr std::uint64_t most_body = 512;

struct Parsed {
    unsigned fault = 0;
    bool done = false;
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;
    std::string body;

    friend bool operator==(const Parsed&, const Parsed&) = default;
};

/// As a session feeds it: what is not used up comes again, with `piece` bytes more behind it.
Parsed parse(std::string_view input, std::size_t piece) {
    net::RequestParser parser(most_head, most_body);
    Parsed parsed;
    std::string unused;
    std::size_t given = 0;
    while (!parser.done() && !parser.fault()) {
        const std::size_t used = parser.feed(unused);
        require(used <= unused.size(), "a parser uses what it was given");
        unused.erase(0, used);
        parsed.body += parser.take_body();
        require(parsed.body.size() <= most_body, "a body keeps its limit");
        if (used == 0) {
            if (given == input.size()) {
                break;
            }
            const std::string_view next = input.substr(given, piece);
            unused.append(next);
            given += next.size();
        }
    }
    parsed.done = parser.done();
    if (parser.fault()) {
        parsed.fault = parser.fault()->status;
        require_readable(parser.fault()->message);
    }
    if (parser.head_complete()) {
        parsed.method = parser.head().method;
        parsed.target = parser.head().target;
        parsed.headers = parser.head().headers;
    }
    return parsed;
}

void check_place(const std::string& target) {
    const std::optional<net::RequestPlace> place = net::parse_target(target);
    if (!place) {
        return;
    }
    require(place->path.size() <= target.size(), "a path is part of its target");
    for (const std::string& segment : place->segments) {
        require(segment.find('\0') == std::string::npos, "no NUL is decoded");
    }
}

void check_host(const Parsed& parsed) {
    const auto host = parsed.headers.find("host");
    if (host == parsed.headers.end()) {
        return;
    }
    const bool allowed = net::host_allowed(host->second, "127.0.0.1", {});
    require(!allowed || host->second.find("evil") == std::string::npos,
            "a foreign name is refused");
}

}  // namespace

void check_request(std::string_view input) {
    const Parsed whole = parse(input, input.size());
    // Longer ones may meet the limit of a chunk's extension in one way of cutting only, and what is
    // wrong may be seen before the end has come.
    if (whole.done && input.size() < most_head) {
        require(parse(input, 1) == whole, "where a request is cut does not matter");
        require(parse(input, 5) == whole, "where a request is cut does not matter");
    }
    check_place(whole.target);
    check_place(std::string(input.substr(0, 200)));
    check_host(whole);
}

}  // namespace ome::fuzz
