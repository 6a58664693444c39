#include "endpoint_mask.hpp"

#include "endpoint_parse.hpp"
#include <ome/core/endpoint.hpp>

#include <algorithm>

namespace ome::core {
namespace {

constexpr auto npos = std::string_view::npos;

bool in_scheme(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
}

bool starts_with_http(std::string_view text) {
    constexpr std::string_view http = "http";
    return text.size() > http.size() &&
           std::equal(http.begin(), http.end(), text.begin(), [](char wanted, char c) {
               return wanted == static_cast<char>(c | 0x20);
           });
}

// Behind `http:` or `https:` and any slashes, or 0: `user:password@host` has no scheme although it
// looks like one.
std::size_t behind_http_scheme(std::string_view text) {
    const std::size_t colon = text.find(':');
    const bool http =
        starts_with_http(text) && (colon == 4 || (colon == 5 && (text[4] | 0x20) == 's'));
    const std::size_t begin = text.find_first_not_of('/', http ? colon + 1 : 0);
    return begin == npos ? text.size() : begin;
}

// Where an authority begins, if there is one.
std::size_t authority_begin(std::string_view url) {
    const std::size_t mark = url.find("://");
    if (mark == npos) {
        return behind_http_scheme(url);
    }
    std::size_t scheme = mark;
    while (scheme > 0 && in_scheme(url[scheme - 1])) {
        --scheme;
    }
    // A colon before the scheme: this may be a password with `://` in it.
    return url.substr(0, scheme).find(':') == npos ? mark + 3 : 0;
}

// A long text counts as unusable unseen: looking at each URL in it would take the square of its
// length.
bool is_usable(std::string_view url) {
    constexpr std::size_t longest = 4'096;
    if (url.size() > longest) {
        return false;
    }
    const auto parsed = parse_url(url);
    return parsed && !parsed->scheme.empty() && !parsed->host.empty() && parsed->host.is_ascii();
}

Span span_before_at(std::string_view url, bool usable) {
    const std::size_t begin = authority_begin(url);
    const std::size_t limit = usable ? url.find_first_of("/?#", begin) : npos;
    const std::size_t at = url.substr(0, limit).rfind('@');
    return at == npos || at < begin ? Span{} : Span{begin, at};
}

// A backslash hides a character that made the URL unusable before it was quoted.
Span quoted_span(std::string_view url) {
    return span_before_at(url, url.find('\\') == npos && is_usable(url));
}

// Up to the closing quote, over escaped characters.
std::size_t quoted_length(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            return i;
        }
        i += text[i] == '\\' ? 1U : 0U;
    }
    return text.size();
}

// Where the word that holds `at` begins.
std::size_t word_begin(std::string_view text, std::size_t at) {
    const std::size_t before = text.substr(0, at).find_last_of(" \t\r\n\"");
    return before == npos ? 0 : before + 1;
}

// Where the next word begins that may be a URL with userinfo: one with a colon inside.
std::size_t next_url(std::string_view text) {
    std::size_t colon = text.find(':');
    while (colon != npos && (colon + 1 == text.size() || text[colon + 1] == ' ')) {
        colon = text.find(':', colon + 1);
    }
    return colon == npos ? npos : word_begin(text, colon);
}

// How much of a text that begins with a URL without userinfo needs no second look: up to a space or
// to the scheme of another URL. Never 0 unless the text is empty.
std::size_t harmless_length(std::string_view url) {
    const std::size_t space = std::min(url.find_first_of(" \t\r\n"), url.size());
    const std::size_t first = url.find("://");
    std::size_t other = first == npos ? npos : url.find("://", first + 3);
    while (other != npos && other > first + 3 && in_scheme(url[other - 1])) {
        --other;
    }
    return std::min(space, other);
}

}  // namespace

Span userinfo_span(std::string_view url) {
    return span_before_at(url, is_usable(url));
}

std::string mask_span(std::string_view url, Span span) {
    if (span.empty()) {
        return std::string(url);
    }
    return std::string(url.substr(0, span.begin)).append("***").append(url.substr(span.end));
}

std::string mask_userinfo(std::string_view text) {
    std::string out;
    std::size_t to_look_at = text.rfind('@') + 1;  // none: npos + 1 is 0
    while (to_look_at > 0) {
        const std::size_t begin = next_url(text);
        if (begin == npos) {
            break;
        }
        const bool quoted = begin > 0 && text[begin - 1] == '"';
        const std::string_view rest = text.substr(begin);
        const std::string_view url = quoted ? rest.substr(0, quoted_length(rest)) : rest;
        const Span span = quoted ? quoted_span(url) : userinfo_span(url);
        const std::size_t masked = span.empty() ? 0 : span.end + 1;
        const std::size_t done = std::max(masked, harmless_length(url));
        out.append(text.substr(0, begin)).append(mask_span(url.substr(0, done), span));
        text.remove_prefix(begin + done);
        to_look_at -= std::min(begin + done, to_look_at);
    }
    return out.append(text);
}

}  // namespace ome::core
