// Requests to one Kubernetes API server, over a few kept connections. It decides nothing and tries
// nothing again, but for one thing: an answer 401 has the credentials read anew and the request
// sent once more.
//
// One Client belongs to one io_context and is used only there.
#pragma once

#include <ome/kube/access.hpp>
#include <ome/kube/failure.hpp>
#include <ome/kube/resource.hpp>
#include <ome/net/awaitable.hpp>
#include <ome/wire/api_answer.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ome::kube {

struct ClientSettings {
    /// For a whole request that brings no deadline of its own, waiting for a connection included.
    core::Duration request_timeout = std::chrono::seconds(30);
    /// For connecting, and for each wait for bytes.
    core::Duration step_timeout = std::chrono::seconds(10);
    /// Requests beside each other; watches have connections of their own.
    std::size_t most_connections = 8;
    std::size_t largest_answer = std::size_t{16}
                                 << 20;  ///< of one object; an API server stores 3 MiB at most
    std::string user_agent = "ome-trafficmap/" OME_VERSION;
    core::Duration login_look_again = std::chrono::seconds(10);
    core::Duration exec_time_limit = std::chrono::seconds(30);
    /// Called with each answer that came, before it is handed over: what was asked, the status, and
    /// of a refusal what it says.
    std::function<void(const std::string& method,
                       const std::string& target,
                       unsigned status,
                       const Failure* refusal)>
        answered = {};
    /// Called with each request that got no answer, or one that cannot be read. Not of what
    /// a watch says once it is open.
    std::function<void(
        const std::string& method, const std::string& target, const Failure& failure)>
        unanswered = {};
    /// Told of each warning of an answered request: a field that the server dropped since its type
    /// does not have it, a type that will go. `request`: `PATCH /apis/...`.
    std::function<void(const std::string& request, const std::string& warning)> warned = {};
};

struct ApiRequest {
    std::string method = "GET";
    std::string target;        ///< path and query
    std::string content_type;  ///< empty: no body
    std::string body;
    /// The request is broken off then; absent: `request_timeout` from now.
    std::optional<core::SteadyTime> deadline = {};
};

/// Who a write is made by, and on what condition.
struct ApplyOptions {
    std::string field_manager;
    bool force = true;  ///< take over fields of other managers; else they are a conflict
};

/// A delete is refused as a conflict when the object is not this one any more; empty: not asked.
struct DeletePreconditions {
    std::string uid;
    std::string resource_version;
};

struct ClientStats {
    std::uint64_t requests = 0;   ///< answered or not; watches too
    std::uint64_t failures = 0;   ///< of those, neither answered nor with a status below 400
    std::uint64_t throttled = 0;  ///< answered 429
    std::uint64_t unauthorized = 0;
    std::uint64_t watches = 0;
};

class Watch;

class Client {
public:
    Client(net::asio::io_context& io, Access access, ClientSettings settings = {});
    ~Client();  ///< no request may be going on

    /// The document of a successful answer (2xx).
    net::Awaitable<Outcome<boost::json::value>> call(ApiRequest request);

    net::Awaitable<Outcome<boost::json::value>> get(std::string path);
    net::Awaitable<Outcome<boost::json::value>> create(std::string collection,
                                                       std::string object,
                                                       std::string field_manager);
    /// PUT: the object must carry its resourceVersion.
    net::Awaitable<Outcome<boost::json::value>> replace(std::string path,
                                                        std::string object,
                                                        std::string field_manager);
    /// Server-side apply. A resourceVersion in the object makes it conditional.
    net::Awaitable<Outcome<boost::json::value>> apply(std::string path,
                                                      std::string object,
                                                      ApplyOptions options);
    /// RFC 7386. A metadata.resourceVersion in the patch makes it conditional.
    net::Awaitable<Outcome<boost::json::value>> merge_patch(std::string path,
                                                            std::string patch,
                                                            std::string field_manager);
    net::Awaitable<Outcome<boost::json::value>> remove(std::string path,
                                                       DeletePreconditions preconditions);

    /// One page; every item is given as its text as soon as it is there, and is gone afterwards.
    net::Awaitable<Outcome<wire::ListEnd>> list_page(std::string target,
                                                     wire::ListSplitter::Take take);

    /// `target` with `watch=true`. Opens a connection of its own.
    net::Awaitable<Outcome<std::unique_ptr<Watch>>> watch(std::string target);

    /// Requests that wait for something get Stopped from now on. Those that are under way are ended
    /// by whoever made them.
    void stop();

    [[nodiscard]] const ClientStats& stats() const;
    [[nodiscard]] const Access& access() const;

    struct State;  ///< of src/kube alone

private:
    std::shared_ptr<State> state_;
};

/// An open watch. Must not outlive its Client.
class Watch {
public:
    struct State;  ///< of src/kube alone

    explicit Watch(std::unique_ptr<State> state);
    ~Watch();

    /// The next event; absent when the server has ended the watch properly. When nothing at all
    /// comes for `patience` the stream counts as dead (Failure::Kind::Silent). After a failure it
    /// is of no more use.
    net::Awaitable<Outcome<std::optional<wire::WatchEvent>>> next(core::Duration patience);

private:
    std::unique_ptr<State> state_;
};

}  // namespace ome::kube
