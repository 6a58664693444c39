#include "names.hpp"

#include <ome/core/text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace ome::kubectl {
namespace {

bool is_small_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_dns_word(std::string_view text) {
    return !text.empty() && is_small_or_digit(text.front()) && is_small_or_digit(text.back()) &&
           std::all_of(
               text.begin(), text.end(), [](char c) { return is_small_or_digit(c) || c == '-'; });
}

bool is_token_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

std::size_t token_length(std::string_view text) {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_token_character) -
                                    text.begin());
}

// `eyJ...` and two more parts: a JSON Web Token.
bool is_web_token(std::string_view text) {
    for (int part = 0; part < 3; ++part) {
        const std::size_t length = token_length(text);
        const bool last = part == 2;
        if (length < (last ? 1U : 4U) || (!last && text.substr(length, 1) != ".")) {
            return false;
        }
        text.remove_prefix(length + (last ? 0 : 1));
    }
    return true;
}

struct KeyShape {
    std::string_view prefix;
    std::size_t least;  ///< characters that follow
};

bool begins_a_key(std::string_view text) {
    constexpr std::array<KeyShape, 12> shapes{{{"sk-", 8},
                                               {"sk_", 8},
                                               {"ghp_", 16},
                                               {"gho_", 16},
                                               {"ghs_", 16},
                                               {"github_pat_", 16},
                                               {"glpat-", 16},
                                               {"xoxb-", 8},
                                               {"xoxp-", 8},
                                               {"AKIA", 16},
                                               {"AIza", 20},
                                               {"hf_", 16}}};
    return std::any_of(shapes.begin(), shapes.end(), [text](const KeyShape& shape) {
        return text.starts_with(shape.prefix) &&
               token_length(text.substr(shape.prefix.size())) >= shape.least;
    });
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return out;
}

// `password=...`, `Authorization: Bearer ...`, a PEM block.
bool names_a_secret(std::string_view text) {
    const std::string small = lower(text);
    for (const std::string_view name :
         {"password", "passwd", "secret", "token", "api_key", "api-key", "apikey"}) {
        for (std::size_t at = small.find(name); at != std::string::npos;
             at = small.find(name, at + 1)) {
            std::size_t next = at + name.size();
            next = small.find_first_not_of(' ', next);
            if (next == std::string::npos || (small[next] != '=' && small[next] != ':')) {
                continue;
            }
            if (small.find_first_not_of(' ', next + 1) != std::string::npos) {
                return true;
            }
        }
    }
    const std::size_t bearer = small.find("bearer ");
    return (bearer != std::string::npos &&
            token_length(std::string_view(small).substr(bearer + 7)) >= 8) ||
           small.find("-----begin ") != std::string::npos;
}

}  // namespace

bool is_label(std::string_view text) {
    return text.size() <= 63 && is_dns_word(text);
}

bool is_subdomain(std::string_view text) {
    if (text.empty() || text.size() > 253) {
        return false;
    }
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('.', begin), text.size());
        if (!is_dns_word(text.substr(begin, end - begin))) {
            return false;
        }
        begin = end + 1;
    }
    return true;
}

bool looks_like_credential(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins_word = i == 0 || !is_token_character(text[i - 1]);
        const std::string_view rest = text.substr(i);
        if (begins_word &&
            (begins_a_key(rest) || (rest.starts_with("eyJ") && is_web_token(rest)))) {
            return true;
        }
    }
    return names_a_secret(text);
}

bool is_printable(std::string_view text) {
    const std::string quoted = core::go_quote(text);
    // Only quotes and backslashes of the text itself may have been escaped.
    const auto escaped =
        std::count_if(text.begin(), text.end(), [](char c) { return c == '"' || c == '\\'; });
    return quoted.size() == text.size() + 2 + static_cast<std::size_t>(escaped);
}

bool is_trimmed(std::string_view text) {
    const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    return text.empty() || (!is_space(text.front()) && !is_space(text.back()));
}

}  // namespace ome::kubectl
