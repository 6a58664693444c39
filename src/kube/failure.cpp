#include <ome/core/text.hpp>
#include <ome/kube/failure.hpp>

#include <fmt/format.h>

#include <charconv>
#include <string_view>

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
