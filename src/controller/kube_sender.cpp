#include "kube_sender.hpp"

#include <ome/core/deadline.hpp>
#include <ome/net/clock.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;
namespace json = boost::json;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

constexpr core::Duration longest_request = std::chrono::seconds(10);
constexpr core::Duration longest_pause = std::chrono::seconds(30);

kube::ApiRequest request_of(const char* method,
                            std::string target,
                            const char* type,
                            std::string body) {
    kube::ApiRequest request;
    request.method = method;
    request.target = std::move(target);
    request.content_type = type;
    request.body = std::move(body);
    return request;
}

std::string managed(std::string_view path, std::string_view manager) {
    return manager.empty() ? std::string(path) : fmt::format("{}?fieldManager={}", path, manager);
}

}  // namespace

KubeSender::KubeSender(asio::io_context& io, kube::Client& client, LeadsUntil leads_until)
    : io_(io), client_(client), leads_until_(std::move(leads_until)) {}

net::Awaitable<void> KubeSender::wait_for_the_server() {
    const core::SteadyTime now = net::read_clock().steady;
    if (leave_alone_until_ && *leave_alone_until_ > now) {
        Timer timer(io_.get_executor());
        timer.expires_after(*leave_alone_until_ - now);
        std::ignore = co_await timer.async_wait(net::as_result);
    }
}

net::Awaitable<kube::Outcome<json::value>> KubeSender::send(kube::ApiRequest request) {
    co_await wait_for_the_server();
    const auto until = leads_until_();
    if (!until) {
        co_return kube::Failure{kube::Failure::Kind::Stopped, "this controller does not lead"};
    }
    const core::SteadyTime now = net::read_clock().steady;
    request.deadline = std::min(*until, core::later(now, longest_request));
    auto answer = co_await client_.call(std::move(request));
    if (!answer && answer.error().retry_after) {
        leave_alone_until_ = core::later(net::read_clock().steady,
                                         std::min(*answer.error().retry_after, longest_pause));
    }
    co_return answer;
}

net::Awaitable<kube::Outcome<json::value>> KubeSender::get(std::string path) {
    kube::ApiRequest request;
    request.target = std::move(path);
    co_return co_await send(std::move(request));
}

kube::ApiRequest create_request(std::string_view collection,
                                std::string_view manager,
                                std::string object) {
    return request_of("POST", managed(collection, manager), "application/json", std::move(object));
}

kube::ApiRequest replace_request(std::string_view path,
                                 std::string_view manager,
                                 std::string object) {
    return request_of("PUT", managed(path, manager), "application/json", std::move(object));
}

kube::ApiRequest merge_request(std::string_view path, std::string_view manager, std::string patch) {
    return request_of(
        "PATCH", managed(path, manager), "application/merge-patch+json", std::move(patch));
}

kube::ApiRequest json_patch_request(std::string_view path,
                                    std::string_view manager,
                                    std::string patch) {
    return request_of(
        "PATCH", managed(path, manager), "application/json-patch+json", std::move(patch));
}

// JSON is YAML; there is no media type for an apply in JSON.
kube::ApiRequest apply_request(std::string_view path,
                               std::string_view manager,
                               std::string object) {
    return request_of("PATCH",
                      managed(path, manager) + "&force=true",
                      "application/apply-patch+yaml",
                      std::move(object));
}

kube::ApiRequest delete_request(std::string_view path,
                                std::string_view uid,
                                std::string_view resource_version) {
    const json::object options{
        {"apiVersion", "v1"},
        {"kind", "DeleteOptions"},
        {"propagationPolicy", "Background"},
        {"preconditions", {{"uid", uid}, {"resourceVersion", resource_version}}}};
    return request_of("DELETE", std::string(path), "application/json", json::serialize(options));
}

}  // namespace ome::controller
