// A kept connection to an API that a program talks to all the time, the local one or a Kubernetes
// API server: requests one after the other, answers whole or piece by piece, everything under a
// deadline. Like local_client.hpp it is not for observations: no address policy, no budget.
//
// Belongs to one io_context and is used by one coroutine at a time.
#pragma once

#include <ome/net/awaitable.hpp>
#include <ome/net/local_client.hpp>
#include <ome/net/trust.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ome::net {

struct LocalRequest {
    std::string method = "GET";
    std::string target;        ///< path and query, already escaped
    std::string content_type;  ///< empty: no body
    std::string body;
    /// In place of `body`: the next piece of it, sent chunked; an empty one is the end. Called
    /// again from the start when the request has to be sent again.
    std::function<std::function<std::string()>()> pieces = {};
    /// Further lines of the head, name and value; neither holds a line end.
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// When the whole exchange ends, whatever progress it makes; absent: never.
    std::optional<core::SteadyTime> deadline = {};
};

struct LocalAnswer {
    unsigned status = 0;
    /// Names in lower case. One that came several times has its values after each other, behind
    /// commas, as HTTP reads it.
    std::map<std::string, std::string> headers;
    std::string body;  ///< of call() alone
};

class LocalConnection {
public:
    /// `trust`: of an https URL; null otherwise.
    LocalConnection(asio::io_context& io, LocalUrl url, std::shared_ptr<const Trust> trust);
    ~LocalConnection();
    LocalConnection(const LocalConnection&) = delete;
    LocalConnection& operator=(const LocalConnection&) = delete;

    /// The whole answer. `limits.timeout` is for each of: connecting, every write, and every wait
    /// for bytes of the answer; so a peer that makes progress is not cut off. Problem: that it
    /// cannot be reached or understood, with the URL and the reason; an HTTP error is an answer.
    /// After a problem the next request begins on a new connection.
    Awaitable<core::Result<LocalAnswer>> call(LocalRequest request, LocalLimits limits);

    /// The answer's head; its body follows by read().
    Awaitable<core::Result<LocalAnswer>> open(LocalRequest request, core::Duration timeout);

    /// The next bytes of the body; absent at its proper end.
    Awaitable<core::Result<std::optional<std::string>>> read(core::Duration timeout);

    /// Not while a call is waiting: that is broken off with cancel(), and closes by itself.
    void close();
    void cancel();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::net
