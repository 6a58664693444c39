#include "support/source_file.hpp"
#include <ome/core/base64.hpp>
#include <ome/core/sha256.hpp>
#include <ome/page/status_page.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace ome::page {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(const net::ServerResponse& response) {
    return std::get<std::string>(response.body);
}

std::string header(const net::ServerResponse& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
        if (key == name) {
            return value;
        }
    }
    return {};
}

/// What stands in the one element of this name.
std::string element(const std::string& page, const std::string& name) {
    const std::size_t begin = page.find("<" + name + ">") + name.size() + 2;
    const std::size_t end = page.find("</" + name + ">", begin);
    EXPECT_EQ(page.find("<" + name, begin), std::string::npos) << "there is a second one";
    return page.substr(begin, end - begin);
}

/// As a browser computes it.
std::string hash_of(const std::string& text) {
    const std::string digits = core::sha256_hex(text);
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    return "'sha256-" + core::base64(bytes) + "'";
}

TEST(StatusPage, IsForThoseWhoAskForHtmlByName) {
    for (const char* accept : {"text/html",
                               "TEXT/HTML;q=0.9",
                               "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                               "application/json, text/html ; level=1"}) {
        EXPECT_TRUE(names_html(accept)) << accept;
    }
    for (const char* accept : {"",
                               "*/*",
                               "text/*",
                               "text/plain",
                               "application/json",
                               "text/html;q=0",
                               "text/html; q=0.000, */*",
                               "application/xhtml+xml",
                               "x-text/html",
                               ";text/html",
                               ",,"}) {
        EXPECT_FALSE(names_html(accept)) << accept;
    }
}

TEST(StatusPage, IsTheCommittedDocument) {
    std::ifstream file(test::source_file("web/dist/status.html"), std::ios::binary);
    const std::string committed{std::istreambuf_iterator<char>(file), {}};
    ASSERT_GT(committed.size(), 1000U);
    EXPECT_EQ(text_of(status_page(Mode::Observer)), committed);
}

TEST(StatusPage, SaysWhoseItIs) {
    const std::string mark = R"(<meta name="ome-mode" content=")";
    EXPECT_THAT(text_of(status_page(Mode::Observer)), HasSubstr(mark + "observer\">"));
    const std::string controller = text_of(status_page(Mode::Controller));
    EXPECT_THAT(controller, HasSubstr(mark + "controller\">"));
    EXPECT_THAT(controller, Not(HasSubstr(mark + "observer")));
}

TEST(StatusPage, ItsPolicyNamesTheScriptAndTheStyleThatAreInIt) {
    for (const Mode mode : {Mode::Observer, Mode::Controller}) {
        const net::ServerResponse response = status_page(mode);
        const std::string policy = header(response, "Content-Security-Policy");
        const std::string page = text_of(response);
        EXPECT_THAT(policy, HasSubstr("script-src " + hash_of(element(page, "script")) + ";"));
        EXPECT_THAT(policy, HasSubstr("style-src " + hash_of(element(page, "style")) + ";"));
    }
}

TEST(StatusPage, ItsPolicyAllowsNothingElse) {
    const net::ServerResponse response = status_page(Mode::Observer);
    const std::string policy = header(response, "Content-Security-Policy");
    for (const char* rule : {"default-src 'none';",
                             "connect-src 'self';",
                             "base-uri 'none';",
                             "form-action 'none';",
                             "frame-ancestors 'none'"}) {
        EXPECT_THAT(policy, HasSubstr(rule));
    }
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_THAT(policy, Not(HasSubstr("http")));
    EXPECT_EQ(header(response, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header(response, "X-Frame-Options"), "DENY");
    EXPECT_EQ(header(response, "Vary"), "Accept");
    EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
    EXPECT_EQ(response.status, 200U);
}

TEST(StatusPage, LoadsNothingFromElsewhere) {
    const std::string page = text_of(status_page(Mode::Observer));
    const std::string script = element(page, "script");
    EXPECT_THAT(page, Not(HasSubstr(" src=\"")));
    EXPECT_THAT(page, Not(HasSubstr("href=\"http")));
    EXPECT_THAT(element(page, "style"), Not(HasSubstr("url(")));
    // What homes say is text: nothing in the page makes elements of text.
    for (const char* sink : {"insertAdjacentHTML", "document.write", "outerHTML", "eval("}) {
        EXPECT_THAT(script, Not(HasSubstr(sink)));
    }
}

}  // namespace
}  // namespace ome::page
