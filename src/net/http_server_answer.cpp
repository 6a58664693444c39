#include "http_server_answer.hpp"

#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace ome::net {
namespace {

std::string reason(unsigned status) {
    return std::string(
        boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(status)));
}

std::string clean(std::string_view value) {
    std::string out(value);
    std::replace_if(
        out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return out;
}

void add(std::string& head, std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(clean(value)).append("\r\n");
}

}  // namespace

std::string http_date(std::int64_t unix_seconds) {
    constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto at = static_cast<std::time_t>(unix_seconds);
    std::tm utc{};
    gmtime_r(&at, &utc);
    return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                       days[static_cast<std::size_t>(utc.tm_wday)],
                       utc.tm_mday,
                       months[static_cast<std::size_t>(utc.tm_mon)],
                       utc.tm_year + 1900,
                       utc.tm_hour,
                       utc.tm_min,
                       utc.tm_sec);
}

std::string answer_head(const ServerResponse& response,
                        const AnswerShape& shape,
                        std::int64_t unix_seconds) {
    std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
    add(head, "Date", http_date(unix_seconds));
    if (!response.content_type.empty()) {
        add(head, "Content-Type", response.content_type);
    }
    for (const auto& [name, value] : response.headers) {
        add(head, name, value);
    }
    if (shape.framing == Framing::Length) {
        add(head, "Content-Length", std::to_string(shape.length));
    } else if (shape.framing == Framing::Chunked) {
        add(head, "Transfer-Encoding", "chunked");
    }
    if (!shape.keep_alive) {
        add(head, "Connection", "close");
    }
    return head.append("\r\n");
}

std::string chunk_head(std::size_t bytes) {
    return fmt::format("{:x}\r\n", bytes);
}

}  // namespace ome::net
