#include "redact.hpp"

#include <ome/core/endpoint.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace ome::observer {
namespace {

namespace json = boost::json;

constexpr std::string_view stars = "***";
constexpr std::string_view ends_of_a_query = " \t\n\r\"'<>\\`|,)}]";

std::size_t end_of_query(std::string_view text, std::size_t from) {
    return std::min(text.find_first_of(ends_of_a_query, from), text.size());
}

/// `a=1&b` becomes `a=***&***`: what has no name may be the secret itself.
std::string redact_query(std::string_view query) {
    std::string out;
    while (true) {
        const std::size_t end = std::min(query.find_first_of("&;#"), query.size());
        const std::string_view pair = query.substr(0, end);
        const std::size_t equals = pair.find('=');
        if (equals != std::string_view::npos) {
            out.append(pair, 0, equals + 1);
        }
        out += pair.empty() ? std::string_view() : stars;
        if (end == query.size()) {
            return out;
        }
        out += query[end];
        query.remove_prefix(end + 1);
    }
}

std::string redact_queries(std::string_view text) {
    std::string out;
    std::size_t done = 0;
    for (std::size_t mark = text.find('?'); mark != std::string_view::npos;
         mark = text.find('?', done)) {
        const std::size_t end = end_of_query(text, mark + 1);
        out.append(text, done, mark + 1 - done);
        out += redact_query(text.substr(mark + 1, end - mark - 1));
        done = end;
    }
    return out.append(text, done);
}

bool names_a_secret(std::string_view name) {
    constexpr std::array<std::string_view, 5> words{
        "token", "password", "secret", "authorization", "apikey"};
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        return lower.find(word) != std::string::npos;
    });
}

}  // namespace

std::string redact_text(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out += redact_queries(core::mask_userinfo(text.substr(0, end)));
        text.remove_prefix(end);
        if (!text.empty()) {
            out += '\n';
            text.remove_prefix(1);
        }
    }
    return out;
}

void redact(json::value& document) {
    if (json::string* text = document.if_string()) {
        *text = redact_text({text->data(), text->size()});
    } else if (json::array* items = document.if_array()) {
        for (json::value& item : *items) {
            redact(item);
        }
    } else if (json::object* object = document.if_object()) {
        for (auto& member : *object) {
            if (names_a_secret(member.key()) && member.value().is_string()) {
                member.value() = stars;
            } else {
                redact(member.value());
            }
        }
    }
}

}  // namespace ome::observer
