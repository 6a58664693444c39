#include <ome/core/dns_name.hpp>

#include <algorithm>

namespace ome::core {
namespace {

constexpr std::size_t longest_label = 63;
constexpr std::size_t longest_subdomain = 253;

bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_letter_or_digit(char c) {
    return is_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

bool is_label_shaped(std::string_view text) {
    return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
           std::all_of(
               text.begin(), text.end(), [](char c) { return is_alphanumeric(c) || c == '-'; });
}

}  // namespace

bool is_dns_label(std::string_view text) {
    return text.size() <= longest_label && is_label_shaped(text);
}

bool is_dns_subdomain(std::string_view text) {
    if (text.size() > longest_subdomain) {
        return false;
    }
    for (std::size_t dot = text.find('.'); dot != text.npos; dot = text.find('.')) {
        if (!is_label_shaped(text.substr(0, dot))) {
            return false;
        }
        text.remove_prefix(dot + 1);
    }
    return is_label_shaped(text);
}

bool is_label_value(std::string_view text) {
    if (text.empty()) {
        return true;
    }
    return text.size() <= longest_label && is_letter_or_digit(text.front()) &&
           is_letter_or_digit(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
               return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
           });
}

}  // namespace ome::core
