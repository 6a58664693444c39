#include "page_content.hpp"
#include <ome/page/status_page.hpp>

#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace ome::page {
namespace {

constexpr std::string_view observer_mark = R"(name="ome-mode" content="observer")";
constexpr std::string_view controller_mark = R"(name="ome-mode" content="controller")";

std::string_view cut(std::string_view& text, char at) {
    const std::size_t end = std::min(text.find(at), text.size());
    const std::string_view piece = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return piece;
}

std::string trimmed(std::string_view text) {
    return boost::algorithm::trim_copy(std::string(text));
}

// `q=0`, `q=0.000`: anything but this.
bool refuses(const std::string& parameter) {
    return boost::algorithm::istarts_with(parameter, "q=0") &&
           parameter.find_first_not_of("0.", 2) == std::string::npos;
}

bool is_html(std::string_view range) {
    if (!boost::algorithm::iequals(trimmed(cut(range, ';')), "text/html")) {
        return false;
    }
    while (!range.empty()) {
        if (refuses(trimmed(cut(range, ';')))) {
            return false;
        }
    }
    return true;
}

std::string document(Mode mode) {
    std::string text(content());
    const std::size_t at = text.find(observer_mark);
    if (mode == Mode::Controller && at != std::string::npos) {
        text.replace(at, observer_mark.size(), controller_mark);
    }
    return text;
}

// Nothing but the script and the style that are in the document, and requests to where it came
// from: what a home says cannot become code, and the page cannot tell anybody else.
std::string security_policy() {
    return fmt::format(
        "default-src 'none'; script-src {}; style-src {}; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        script_hash(),
        style_hash());
}

}  // namespace

bool names_html(std::string_view accept) {
    while (!accept.empty()) {
        if (is_html(cut(accept, ','))) {
            return true;
        }
    }
    return false;
}

net::ServerResponse status_page(Mode mode) {
    net::ServerResponse response;
    response.content_type = "text/html; charset=utf-8";
    response.headers = {{"Content-Security-Policy", security_policy()},
                        {"X-Content-Type-Options", "nosniff"},
                        {"X-Frame-Options", "DENY"},
                        {"Referrer-Policy", "no-referrer"},
                        {"Cross-Origin-Opener-Policy", "same-origin"},
                        {"Cache-Control", "no-cache"},
                        {"Vary", "Accept"}};
    response.body = document(mode);
    return response;
}

}  // namespace ome::page
