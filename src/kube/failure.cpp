#include <ome/core/text.hpp>
#include <ome/kube/failure.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

namespace ome::kube {
namespace {

constexpr std::size_t longest_excerpt = 256;

std::string said(const wire::ApiStatus& status, const std::string& body) {
    return core::sanitize_detail(status.message.empty() ? body : status.message,
                                 status.message.empty() ? longest_excerpt : 1024);
}

}  // namespace

void throw_exception_from_error(const Failure& failure, const boost::source_location& where) {
    core::throw_exception_from_error(core::Problem{failure.message}, where);
}

Failure refusal(const std::string& request,
                unsigned http_status,
                const std::string& body,
                std::optional<core::Duration> retry_after) {
    Failure failure;
    failure.kind = Failure::Kind::Refused;
    if (const auto document = wire::read_api_document(body)) {
        failure.status = wire::read_api_status(*document).value_or(wire::ApiStatus{});
    }
    const std::string text = said(failure.status, body);
    if (failure.status.code == 0) {
        failure.status.code = http_status;
    }
    failure.retry_after = retry_after ? retry_after : failure.status.retry_after;
    failure.message = fmt::format("{}: HTTP {}{}{}{}",
                                  request,
                                  http_status,
                                  failure.status.reason.empty() ? "" : " ",
                                  failure.status.reason,
                                  text.empty() ? "" : ": " + text);
    return failure;
}

namespace {

// Takes what is between quotes off the front, a backslash in it before what is meant as it stands.
std::optional<std::string> quoted(std::string_view& rest) {
    std::string text;
    for (std::size_t at = 1; at < rest.size(); ++at) {
        if (rest[at] == '"') {
            rest.remove_prefix(at + 1);
            return text;
        }
        if (rest[at] == '\\' && at + 1 < rest.size()) {
            ++at;
        }
        text += rest[at];
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> parse_warnings(std::string_view header) {
    std::vector<std::string> texts;
    for (std::size_t begin = header.find('"'); begin != std::string_view::npos;
         begin = header.find('"')) {
        header.remove_prefix(begin);
        auto text = quoted(header);
        if (!text) {
            break;
        }
        texts.push_back(core::sanitize_detail(*text, 1024));
        if (header.starts_with(" \"")) {  // a date
            header.remove_prefix(1);
            std::ignore = quoted(header);
        }
        header.remove_prefix(std::min(header.find(','), header.size()));
    }
    return texts;
}

std::optional<core::Duration> parse_retry_after(const std::string& text) {
    std::uint32_t seconds = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, seconds);
    if (error != std::errc{} || stop != end || text.empty()) {
        return std::nullopt;
    }
    return std::chrono::seconds(seconds);
}

}  // namespace ome::kube
