#include "byte_stream.hpp"
#include "reply_input.hpp"
#include "trust_state.hpp"
#include <ome/core/endpoint.hpp>
#include <ome/net/awaitable.hpp>
#include <ome/net/listen_address.hpp>
#include <ome/net/local_client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <memory>
#include <vector>

namespace ome::net {
namespace {

using boost::system::error_code;
using Endpoint = StreamProtocol::endpoint;
using Parser = ReplyParser;

constexpr std::string_view http_scheme = "http://";
constexpr std::string_view https_scheme = "https://";

core::Problem bad_url(std::string_view text) {
    return {fmt::format("url \"{}\" must be http://HOST:PORT, https://HOST:PORT or unix:/path",
                        core::mask_userinfo(text)),
            "url"};
}

core::Problem unreachable(const LocalUrl& url, std::string_view why) {
    return {fmt::format("cannot reach {}: {}", url.text, why), "url"};
}

core::Result<std::vector<Endpoint>> look_up(asio::io_context& io, const LocalUrl& url) {
    if (!url.unix_path.empty()) {
        return std::vector<Endpoint>{asio::local::stream_protocol::endpoint(url.unix_path)};
    }
    asio::ip::tcp::resolver resolver(io);
    error_code error;
    const auto found = resolver.resolve(url.host, std::to_string(url.port), error);
    if (error) {
        return unreachable(url, error.message());
    }
    std::vector<Endpoint> endpoints;
    for (const auto& entry : found) {
        endpoints.emplace_back(entry.endpoint());
    }
    return endpoints;
}

struct Exchange {
    Exchange(asio::io_context& io,
             std::vector<Endpoint> found,
             std::string bytes,
             std::size_t max_body)
        : stream(StreamSocket(io)), endpoints(std::move(found)), request(std::move(bytes)) {
        parser.body_limit(max_body);
    }

    ByteStream stream;
    std::vector<Endpoint> endpoints;
    std::string request;
    std::shared_ptr<const Trust> trust;  ///< null: no TLS
    std::string host;                    ///< of the certificate
    std::string input;
    Parser parser;
    error_code error = asio::error::timed_out;  ///< until it is over

    [[nodiscard]] std::string problem() const {
        return stream.problem().empty() ? error.message() : stream.problem();
    }
};

Awaitable<error_code> connect(std::shared_ptr<Exchange> exchange) {
    error_code last = asio::error::host_not_found;
    for (const Endpoint& endpoint : exchange->endpoints) {
        error_code ignored;
        exchange->stream.socket().close(ignored);
        std::tie(last) = co_await exchange->stream.socket().async_connect(endpoint, as_result);
        if (!last) {
            break;
        }
    }
    co_return last;
}

// The request asks for a close, so the end of the stream may be the end of the body.
Awaitable<error_code> read_reply(std::shared_ptr<Exchange> exchange) {
    auto& input = exchange->input;
    while (!exchange->parser.is_done()) {
        const std::size_t before = input.size();
        input.resize(before + 65536);
        const auto [error, count] =
            co_await exchange->stream.read_some(input.data() + before, input.size() - before);
        input.resize(before + count);
        error_code parse_error;
        if (error == asio::error::eof && exchange->parser.got_some()) {
            exchange->parser.put_eof(parse_error);
            co_return parse_error;
        }
        if (error) {
            co_return error;
        }
        parse_error = take_reply(exchange->parser, input);
        if (parse_error) {
            co_return parse_error;
        }
    }
    co_return error_code();
}

Awaitable<void> run(std::shared_ptr<Exchange> exchange) {
    const error_code refused = co_await connect(exchange);
    if (refused) {
        exchange->error = refused;
        co_return;
    }
    if (exchange->trust != nullptr) {
        SSL_CTX& trust = *exchange->trust->state().common;
        const bool secured = co_await exchange->stream.connect_tls(trust, exchange->host);
        if (!secured) {
            exchange->error = asio::error::connection_aborted;
            co_return;
        }
    }
    const ByteStream::Moved sent = co_await exchange->stream.write(exchange->request);
    if (sent.error) {
        exchange->error = sent.error;
        co_return;
    }
    const error_code broken = co_await read_reply(exchange);
    exchange->error = broken;
}

std::string request_for(const LocalUrl& url, const std::string& target) {
    const std::string& token = url.access.token;
    ListenAddress host;
    host.host = url.host;
    host.port = url.port;
    return fmt::format(
        "GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: ome-observer/{}\r\nAccept: application/json\r\n"
        "Connection: close\r\n{}\r\n",
        target,
        url.unix_path.empty() ? to_string(host) : "localhost",
        OME_VERSION,
        token.empty() ? "" : "Authorization: Bearer " + token + "\r\n");
}

core::Result<LocalUrl> parse_unix_url(std::string_view text) {
    const auto address = parse_listen_address(text);
    if (!address) {
        return bad_url(text);
    }
    LocalUrl url;
    url.text = text;
    url.unix_path = address->unix_path;
    return url;
}

std::string_view without_brackets(std::string_view host) {
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    return bracketed ? host.substr(1, host.size() - 2) : host;
}

bool is_host(std::string_view host) {
    return !host.empty() && host.find_first_of("/?#@ \t\r\n\"") == std::string_view::npos;
}

}  // namespace

core::Result<LocalUrl> parse_local_url(std::string_view text) {
    if (text.starts_with("unix:")) {
        return parse_unix_url(text);
    }
    std::string_view rest = text;
    const bool https = rest.starts_with(https_scheme);
    if (!https && !rest.starts_with(http_scheme)) {
        return bad_url(text);
    }
    rest.remove_prefix(https ? https_scheme.size() : http_scheme.size());
    if (rest.ends_with('/')) {
        rest.remove_suffix(1);
    }
    const std::size_t colon = rest.rfind(':');
    if (colon == std::string_view::npos) {
        return bad_url(text);
    }
    LocalUrl url;
    const char* const end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data() + colon + 1, end, url.port);
    url.host = without_brackets(rest.substr(0, colon));
    if (error != std::errc{} || stop != end || url.port == 0 || !is_host(url.host)) {
        return bad_url(text);
    }
    url.text = text;
    url.https = https;
    return url;
}

core::Result<LocalReply> get_locally(const LocalUrl& url,
                                     const std::string& target,
                                     const LocalLimits& limits) {
    asio::io_context io(1);
    auto endpoints = look_up(io, url);
    if (!endpoints) {
        return endpoints.error();
    }
    const auto exchange = std::make_shared<Exchange>(
        io, std::move(*endpoints), request_for(url, target), limits.max_body_bytes);
    if (url.https) {
        auto trust = Trust::load(url.access.ca_files);
        if (!trust) {
            return trust.error();
        }
        exchange->trust = *std::move(trust);
        exchange->host = url.host;
    }
    asio::co_spawn(io, run(exchange), [](std::exception_ptr bug) {
        if (bug) {
            std::rethrow_exception(bug);
        }
    });
    io.run_for(limits.timeout);
    if (exchange->error) {
        return unreachable(url, exchange->problem());
    }
    LocalReply reply;
    reply.status = exchange->parser.get().result_int();
    reply.body = std::move(exchange->parser.get().body());
    return reply;
}

}  // namespace ome::net
