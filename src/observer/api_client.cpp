#include "api_client.hpp"

#include <ome/core/text.hpp>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <cctype>
#include <utility>

namespace ome::observer {
namespace {

namespace json = boost::json;

constexpr std::size_t max_pages = 10'000;

core::Problem bad_answer(const net::LocalUrl& url,
                         const std::string& target,
                         std::string_view what) {
    return {fmt::format("{} {}: {}", url.text, target, what)};
}

// With the server's own words, where it is an observer that refuses.
std::string refusal(const net::LocalReply& reply) {
    std::string told = fmt::format("HTTP {}", reply.status);
    json::error_code error;
    const json::value document = json::parse(reply.body, error);
    const json::value* message = nullptr;
    if (!error) {
        message = document.find_pointer("/error/message", error);
    }
    if (message != nullptr && message->is_string()) {
        const json::string& words = message->get_string();
        told += ": " + core::sanitize_detail(std::string_view(words.data(), words.size()));
    }
    return told;
}

std::string take_page(json::object& page, json::array& services) {
    for (json::value& row : page.at("services").get_array()) {
        services.push_back(std::move(row));
    }
    const json::value* token = page.if_contains("continue");
    return token != nullptr && token->is_string() ? std::string(token->get_string())
                                                  : std::string();
}

}  // namespace

core::Result<json::value> get_json(const net::LocalUrl& url, const std::string& target) {
    auto reply = net::get_locally(url, target);
    if (!reply) {
        return reply.error();
    }
    if (reply->status != 200) {
        return bad_answer(url, target, refusal(*reply));
    }
    json::error_code error;
    json::value document = json::parse(reply->body, error);
    if (error || !document.is_object()) {
        return bad_answer(url, target, "the answer is not a JSON object; is this an ome-observer?");
    }
    const json::value* instance = document.get_object().if_contains("instance");
    if (instance == nullptr || !instance->is_string()) {
        return bad_answer(url, target, "the answer names no instance; is this an ome-observer?");
    }
    return core::Result<json::value>(boost::system::in_place_value, std::move(document));
}

core::Result<json::array> list_services(const net::LocalUrl& url) {
    json::array services;
    std::string token;
    for (std::size_t pages = 0; pages < max_pages; ++pages) {
        const std::string more = token.empty() ? "" : "&continue=" + escape_for_url(token);
        auto page = get_json(url, "/v1/services?limit=500" + more);
        if (!page) {
            return page.error();
        }
        if (const json::value* rows = page->get_object().if_contains("services");
            rows == nullptr || !rows->is_array()) {
            return bad_answer(url, "/v1/services", "the answer has no list of services");
        }
        token = take_page(page->get_object(), services);
        if (token.empty()) {
            break;
        }
    }
    return core::Result<json::array>(boost::system::in_place_value, std::move(services));
}

std::string escape_for_url(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool plain =
            std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

}  // namespace ome::observer
