#include "reply.hpp"

#include "broken_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

namespace ome::homesim {
namespace {

std::string stamp(core::WallTime at) {
    const std::time_t seconds = at.seconds;
    std::tm civil{};
    gmtime_r(&seconds, &civil);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
                       civil.tm_year + 1900,
                       civil.tm_mon + 1,
                       civil.tm_mday,
                       civil.tm_hour,
                       civil.tm_min,
                       civil.tm_sec,
                       at.nanoseconds / 1000);
}

std::string body_of(const Step& step, core::WallTime now) {
    if (!step.report) {
        return step.body;
    }
    return fmt::format(R"({{"servable":{},"observedAt":"{}"}})",
                       *step.report,
                       stamp(now + step.skew.value_or(core::Duration{}) + -step.age));
}

std::string_view reason(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 204:
            return "No Content";
        case 400:
            return "Bad Request";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 422:
            return "Unprocessable Entity";
        case 500:
            return "Internal Server Error";
        case 502:
            return "Bad Gateway";
        case 503:
            return "Service Unavailable";
        case 504:
            return "Gateway Timeout";
        default:
            return "Simulated";
    }
}

/// As RFC 9110 5.6.7 writes it, whatever the locale.
std::string http_date(core::WallTime at) {
    constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::time_t seconds = at.seconds;
    std::tm civil{};
    gmtime_r(&seconds, &civil);
    return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                       days[static_cast<std::size_t>(civil.tm_wday)],
                       civil.tm_mday,
                       months[static_cast<std::size_t>(civil.tm_mon)],
                       civil.tm_year + 1900,
                       civil.tm_hour,
                       civil.tm_min,
                       civil.tm_sec);
}

std::string head_of(const Step& step, bool close, std::uint64_t body_size, core::WallTime now) {
    std::string head = fmt::format("HTTP/1.1 {} {}\r\n", step.status, reason(step.status));
    if (step.skew) {
        head += fmt::format("Date: {}\r\n", http_date(now + *step.skew));
    }
    if (has_body(step.status)) {
        head +=
            fmt::format("Content-Type: {}\r\n", step.report ? "application/json" : "text/plain");
        if (step.framing == Framing::Length) {
            head += fmt::format("Content-Length: {}\r\n", body_size);
        } else if (step.framing == Framing::Chunked) {
            head += "Transfer-Encoding: chunked\r\n";
        }
    }
    return head + (close ? "Connection: close\r\n\r\n" : "\r\n");
}

void add_body(Reply& reply, const Step& step, std::string body) {
    reply.fill = step.oversize;
    const std::uint64_t size = body.size() + step.oversize;
    const bool chunked = step.framing == Framing::Chunked;
    if (chunked && size > 0) {
        reply.bytes += fmt::format("{:x}\r\n", size);
    }
    reply.bytes += body;
    if (chunked) {
        reply.tail = size > 0 ? "\r\n0\r\n\r\n" : "0\r\n\r\n";
    }
    if (reply.fill == 0) {
        reply.bytes += std::exchange(reply.tail, {});
    }
}

/// Keeps `keep` bytes and never finishes.
void stall_after(Reply& reply, std::size_t keep) {
    reply.bytes.resize(std::min(keep, reply.bytes.size()));
    reply.fill = 0;
    reply.tail.clear();
    reply.stall = true;
}

void stall(Reply& reply, Stall where, std::size_t head_size) {
    switch (where) {
        case Stall::None:
            return;
        case Stall::BeforeHead:
            return stall_after(reply, 0);
        case Stall::InHead:
            return stall_after(reply, head_size / 2);
        case Stall::AfterHead:
            return stall_after(reply, head_size);
        case Stall::InBody:
            return stall_after(reply, (head_size + reply.bytes.size()) / 2);
    }
}

void cut(Reply& reply, const Step& step, std::size_t head_size) {
    if (step.ending != Ending::Answer) {
        stall(reply, step.cut, head_size);
        reply.stall = false;
        reply.ending = step.ending;
    }
}

Reply broken_reply(const Step& step, std::string body) {
    Reply reply;
    reply.bytes = step.broken->bytes(step.status, body);
    reply.steady = step.drip.count() > 0 ? 0 : reply.bytes.size();
    reply.close = true;
    return reply;
}

}  // namespace

Reply make_reply(const Step& step, const Asked& asked, core::WallTime now) {
    std::string body = body_of(step, now);
    if (step.broken != nullptr) {
        return broken_reply(step, std::move(body));
    }
    Reply reply;
    reply.close = asked.close || !step.keep_alive || step.framing == Framing::Close;
    reply.bytes = head_of(step, reply.close, body.size() + step.oversize, now);
    const std::size_t head_size = reply.bytes.size();
    if (!asked.head_only && has_body(step.status)) {
        add_body(reply, step, std::move(body));
    }
    reply.steady = step.drip.count() <= 0 ? reply.bytes.size() : step.drip_head ? 0 : head_size;
    stall(reply, step.stall, head_size);
    cut(reply, step, head_size);
    return reply;
}

Reply plain_reply(int status, const std::string& content_type, std::string body, bool close) {
    Reply reply;
    reply.bytes =
        fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n{}",
                    status,
                    reason(status),
                    content_type,
                    body.size(),
                    close ? "Connection: close\r\n" : "",
                    body);
    reply.steady = reply.bytes.size();
    reply.close = close;
    return reply;
}

}  // namespace ome::homesim
