// The small HTTP/1.1 server of the local API: accepts, limits, parses, and calls one handler. It
// knows no route. Everything is bounded: connections, head bytes, body bytes, the time a client may
// take to send a request or to read an answer (design.md section 4, promise 11).
//
// One server belongs to one io_context and is used only from its thread.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/net/awaitable.hpp>
#include <ome/net/listen_address.hpp>
#include <ome/net/server_tls.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ome::net {

/// The body of a request, pulled by the handler piece by piece, so that a large one is never whole
/// in memory unless the handler wants it so. It ends when the handler returns: kept longer, it
/// gives nothing more and is not complete. A client that said `Expect: 100-continue` is told to go
/// on by the first call of next().
class RequestBody {
public:
    virtual ~RequestBody() = default;
    /// The next piece; absent at the end. `complete()` tells a full body from one cut short.
    virtual Awaitable<std::optional<std::string>> next() = 0;
    [[nodiscard]] virtual bool complete() const = 0;
    /// It is not complete, since its sender was too slow.
    [[nodiscard]] virtual bool too_slow() const { return false; }
};

/// The body of an answer, pulled by the server when the client has taken the last piece. When the
/// client leaves, a next() that is waiting is cancelled (its operation ends with
/// `operation_aborted`, and a further co_await throws it: let that pass) and the object is
/// destroyed. A client that has finished sending counts as gone here, since nothing tells the two
/// apart. An empty piece writes nothing.
class ResponseBody {
public:
    virtual ~ResponseBody() = default;
    virtual Awaitable<std::optional<std::string>> next() = 0;
};

struct ServerRequest {
    std::string method;                        ///< as sent: `GET`
    std::string path;                          ///< raw, without the query
    std::vector<std::string> segments;         ///< of the path, percent-decoded; `/a/b` is {a, b}
    std::map<std::string, std::string> query;  ///< decoded; of a name given twice the last counts
    std::string repeated;                      ///< the first name of the query that is given twice
    std::map<std::string, std::string>
        headers;                        ///< names in lower case; repeated ones joined with `, `
    std::shared_ptr<RequestBody> body;  ///< never null

    [[nodiscard]] std::string_view header(const std::string& lower_case_name) const;
};

struct ServerResponse {
    unsigned status = 200;
    std::string content_type;  ///< empty: no body, no Content-Type
    std::vector<std::pair<std::string, std::string>> headers;
    std::variant<std::string, std::shared_ptr<ResponseBody>>
        body;  ///< a ResponseBody is sent chunked
};

/// Called for each request that parsed; the answer to a HEAD is the handler's for GET, without
/// body. A handler that throws is a bug: the client gets 500, `on_fault` hears of it, and the
/// server goes on.
using Handler = std::function<Awaitable<ServerResponse>(ServerRequest)>;

/// Makes the answer for what never reaches the handler: 400, 403 (Host), 408, 413, 417, 431, 501,
/// 503 (while stopping), 505; and 500.
using ProblemAnswer = std::function<ServerResponse(unsigned status, std::string message)>;

struct HttpServerSettings {
    std::string listen;  ///< `HOST:PORT`, `[v6]:PORT` or `unix:/path` (mode 0600); port 0 picks one
    std::vector<std::string>
        allowed_hosts;  ///< besides loopback names and addresses (DNS rebinding)
    bool check_host = true;
    /// Further ones push out the connection that has been idle, or slow with its head, for longest;
    /// when all are busy they wait in the kernel's backlog.
    std::size_t max_connections = 256;
    std::size_t max_head_bytes = 16384;
    core::Duration request_timeout =
        std::chrono::seconds(10);  ///< for a head, and between pieces of a body
    core::Duration idle_timeout = std::chrono::seconds(60);   ///< between requests on a connection
    core::Duration write_timeout = std::chrono::seconds(30);  ///< for one piece of an answer
    std::uint64_t max_body_bytes = 1ULL
                                   << 30;  ///< of a request; a handler may have a smaller limit
    std::shared_ptr<const ServerTls> tls = {};  ///< null: plain HTTP
    std::function<void(std::string)> on_fault =
        {};  ///< what is our own fault, one line each, for the log
};

/// The whole body, or a Problem when it is larger than `max_bytes` (field `413`), was cut short
/// (field `400`) or did not arrive in time (field `408`).
Awaitable<core::Result<std::string>> read_all(std::shared_ptr<RequestBody> body,
                                              std::size_t max_bytes);

class HttpServer {
public:
    /// Binds at once; Problem: the address, and why it cannot be used.
    [[nodiscard]] static core::Result<std::unique_ptr<HttpServer>> create(
        asio::io_context& io,
        HttpServerSettings settings,
        Handler handler,
        ProblemAnswer problem_answer);
    ~HttpServer();

    void start();

    /// For connections from now on. A server that began without TLS stays so.
    void set_tls(std::shared_ptr<const ServerTls> tls);

    /// `127.0.0.1:7460` or `unix:/path`, with the real port.
    [[nodiscard]] std::string address() const;
    [[nodiscard]] std::size_t connections() const;

    /// Stops accepting, lets requests in progress finish until `grace` has passed, then cuts. Must
    /// be awaited before destruction unless the io_context runs no more.
    Awaitable<void> stop(core::Duration grace);

private:
    struct State;
    explicit HttpServer(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

}  // namespace ome::net
