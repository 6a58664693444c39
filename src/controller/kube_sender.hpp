// What all requests about writes to an API server share: the lease, the deadline, and a pause when
// the server asks for one.
#pragma once

#include <ome/kube/client.hpp>
#include <ome/net/awaitable.hpp>

#include <boost/json/value.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ome::controller {

/// Promise 7 of design.md section 8: the lease is looked at before each request, and the request
/// ends with it. Where a server asks to be left alone (429, `Retry-After`) all requests wait.
class KubeSender {
public:
    /// Until when a write may last; absent: we do not lead.
    using LeadsUntil = std::function<std::optional<core::SteadyTime>()>;

    KubeSender(net::asio::io_context& io, kube::Client& client, LeadsUntil leads_until);

    /// Stopped: we do not lead.
    net::Awaitable<kube::Outcome<boost::json::value>> send(kube::ApiRequest request);
    /// A look at what a write is about, under the same rules.
    net::Awaitable<kube::Outcome<boost::json::value>> get(std::string path);

private:
    net::Awaitable<void> wait_for_the_server();

    net::asio::io_context& io_;
    kube::Client& client_;
    LeadsUntil leads_until_;
    std::optional<core::SteadyTime> leave_alone_until_;
};

// Requests; `manager`: whose fields they are.

[[nodiscard]] kube::ApiRequest create_request(std::string_view collection,
                                              std::string_view manager,
                                              std::string object);
/// The object must carry its resourceVersion.
[[nodiscard]] kube::ApiRequest replace_request(std::string_view path,
                                               std::string_view manager,
                                               std::string object);
[[nodiscard]] kube::ApiRequest merge_request(std::string_view path,
                                             std::string_view manager,
                                             std::string patch);
/// A JSON patch (RFC 6902).
[[nodiscard]] kube::ApiRequest json_patch_request(std::string_view path,
                                                  std::string_view manager,
                                                  std::string patch);
/// A server-side apply that takes over what other managers hold of these fields.
[[nodiscard]] kube::ApiRequest apply_request(std::string_view path,
                                             std::string_view manager,
                                             std::string object);
/// Refused as a conflict when the object is not this one any more.
[[nodiscard]] kube::ApiRequest delete_request(std::string_view path,
                                              std::string_view uid,
                                              std::string_view resource_version);

}  // namespace ome::controller
