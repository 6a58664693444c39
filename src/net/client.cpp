#include "client_state.hpp"
#include "fetch.hpp"
#include "tunnel.hpp"
#include <ome/net/client.hpp>

#include <fmt/format.h>

#include <cassert>
#include <utility>

namespace ome::net {
namespace {

Awaitable<core::AttemptOutcome> cancelled() {
    core::AttemptOutcome outcome;
    outcome.fault = core::Fault::Cancelled;
    outcome.text = "context canceled";
    co_return outcome;
}

}  // namespace

PreparedRequest prepare(core::RequestTarget target,
                        core::Method method,
                        bool fresh,
                        std::shared_ptr<const core::Proxy> proxy) {
    PreparedRequest request;
    const bool through_proxy = proxy != nullptr && !target.https;
    request.fresh = fresh || method == core::Method::Post;
    request.method = method;
    request.bytes =
        fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: ome-observer/" OME_VERSION
                    "\r\nAccept-Encoding: identity\r\n{}{}{}\r\n",
                    core::to_string(method),
                    through_proxy ? "http://" + target.host_header : "",
                    target.target,
                    target.host_header,
                    through_proxy ? authorization_line(*proxy) : "",
                    method == core::Method::Post ? "Content-Length: 0\r\n" : "",
                    request.fresh ? "Connection: close\r\n" : "");
    request.target = std::move(target);
    request.proxy = std::move(proxy);
    return request;
}

PreparedRequest Client::prepare(core::RequestTarget target,
                                core::Method method,
                                bool fresh,
                                const std::string& cluster) const {
    auto proxy = state_->settings.proxies.proxy_for(target);
    const bool https = target.https;
    PreparedRequest request = net::prepare(std::move(target), method, fresh, std::move(proxy));
    if (https) {
        request.cluster = cluster;
    }
    return request;
}

std::string_view FetchBuffer::body() const {
    return {bytes_.data() + body_begin_, body_size_};
}

std::vector<std::string> default_deny_addresses() {
    return {
        "169.254.0.0/16", "fe80::/10", "fd00:ec2::/32", "100.100.100.200/32", "168.63.129.16/32"};
}

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}

Client::~Client() {
    assert(state_->stats.in_flight == 0);
}

core::Result<std::unique_ptr<Client>> Client::create(asio::io_context& io,
                                                     const ClientSettings& settings) {
    const IdleLimits limits{settings.max_idle_connections, settings.connection_max_age};
    auto state = std::make_unique<State>(io, settings, limits);
    auto policy = core::AddressPolicy::create(settings.deny_addresses, settings.allow_loopback);
    if (!policy) {
        return policy.error();
    }
    state->policy = *std::move(policy);
    auto resolver = Resolver::create(io, {settings.dns_servers, settings.resolv_conf});
    if (!resolver) {
        return resolver.error();
    }
    state->resolver = *std::move(resolver);
    return std::unique_ptr<Client>(new Client(std::move(state)));
}

Awaitable<core::AttemptOutcome> Client::fetch(std::shared_ptr<const PreparedRequest> request,
                                              FetchOptions options,
                                              Lane* lane,
                                              Operation* operation,
                                              FetchBuffer* buffer) {
    if (state_->stopping || operation->over()) {
        return cancelled();
    }
    return run_fetch(*state_, std::move(request), options, lane, *operation, *buffer);
}

void Client::set_trust(std::shared_ptr<const Trust> trust) {
    state_->settings.trust = std::move(trust);
    state_->pool.close_secure();
}

ClientStats Client::stats() const {
    ClientStats stats = state_->stats;
    stats.lookups = state_->resolver->lookups();
    stats.evictions = state_->pool.evictions();
    stats.idle_connections = state_->pool.size();
    return stats;
}

Awaitable<void> Client::stop() {
    state_->stopping = true;
    state_->resolver->stop();
    while (state_->stats.in_flight != 0) {
        state_->quiet.expires_at(Timer::time_point::max());
        std::ignore = co_await state_->quiet.async_wait(as_result);
    }
    state_->pool.close_all();
    state_->events.stop();
}

}  // namespace ome::net
