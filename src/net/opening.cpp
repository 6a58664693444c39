#include "opening.hpp"

#include "dial.hpp"
#include "error_text.hpp"
#include "tunnel.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ome::net {
namespace {

constexpr std::uint32_t highest_port = 65535;
constexpr std::string_view local_name = "localhost";

core::SteadyTime now() {
    return std::chrono::steady_clock::now();
}

Opened failure(core::Fault fault, std::string problem) {
    Opened opened;
    opened.fault = fault;
    opened.problem = std::move(problem);
    return opened;
}

/// Any failure may have been for want of a descriptor, where a library does not say: ask directly.
bool no_descriptor_left() {
    const int probe = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe >= 0) {
        ::close(probe);
        return false;
    }
    return errno == EMFILE || errno == ENFILE;
}

std::vector<core::IpAddress> local_addresses(bool v4_first) {
    std::vector<core::IpAddress> addresses{*core::parse_address("::1"),
                                           *core::parse_address("127.0.0.1")};
    if (v4_first) {
        std::swap(addresses.front(), addresses.back());
    }
    return addresses;
}

/// RFC 6761: `localhost` and what is below it never leave the machine.
bool is_local_name(std::string_view host) {
    if (host.ends_with('.')) {
        host.remove_suffix(1);
    }
    return host == local_name || (host.ends_with(local_name) &&
                                  host.substr(0, host.size() - local_name.size()).ends_with('.'));
}

/// Addresses of a host that needs no lookup; empty when it does.
std::vector<core::IpAddress> known_addresses(const std::string& host) {
    if (const auto literal = core::parse_address(host)) {
        return {*literal};
    }
    if (host.empty() || is_local_name(host)) {
        return local_addresses(host.empty());
    }
    return {};
}

/// One attempt to open a connection.
class Opening {
public:
    Opening(Client::State& state,
            const PreparedRequest& request,
            Operation& operation,
            core::Phases& phases)
        : state_(state),
          target_(request.target),
          proxy_(request.proxy.get()),
          cluster_(request.cluster),
          operation_(operation),
          phases_(phases),
          use_(request.fresh && !target_.https && proxy_ == nullptr ? EventSocket::Use::One
                                                                    : EventSocket::Use::Several) {}

    Awaitable<Opened> run();

private:
    // Where to dial.
    [[nodiscard]] const std::string& host() const {
        return proxy_ == nullptr ? target_.host : proxy_->host;
    }
    [[nodiscard]] std::uint16_t port() const {
        return proxy_ == nullptr ? static_cast<std::uint16_t>(target_.port) : proxy_->port;
    }
    [[nodiscard]] std::string zone() const { return proxy_ == nullptr ? target_.zone : ""; }

    Awaitable<Resolved> resolve(Families wanted);
    Awaitable<bool> try_addresses(std::vector<core::IpAddress> addresses);
    [[nodiscard]] std::vector<Endpoint> endpoints(const std::vector<core::IpAddress>& addresses);
    [[nodiscard]] bool may_be_proxied() const;
    [[nodiscard]] Opened unreachable(const std::string& problem) const;
    Awaitable<Opened> finish(std::shared_ptr<PooledConnection> connection);
    Awaitable<Opened> secure(std::shared_ptr<PooledConnection> connection);

    Client::State& state_;
    const core::RequestTarget& target_;
    const core::Proxy* proxy_;  // null: straight to the target
    const std::string& cluster_;
    Operation& operation_;
    core::Phases& phases_;
    EventSocket::Use use_;
    std::vector<core::IpAddress> tried_;
    bool refused_ = false;  // some address, by policy
    Dialled dialled_;
};

Awaitable<Opened> Opening::run() {
    if (target_.port > highest_port) {
        co_return failure(
            core::Fault::Unreachable,
            fmt::format("invalid port {}: must be at most {}", target_.port, highest_port));
    }
    if (!may_be_proxied()) {
        ++state_.stats.refused;
        co_return failure(core::Fault::Refused, std::string(core::refused_address_text));
    }
    // Our own files are at fault, not the home: nothing is sent.
    const Meeting peer = meeting(state_.settings.trust.get(), cluster_);
    if (target_.https && peer.context == nullptr) {
        co_return failure(core::Fault::Refused, peer.problem);
    }
    Resolved found;
    found.addresses = known_addresses(host());
    if (found.addresses.empty()) {
        found = co_await resolve(Families::Early);
    }
    bool connected = co_await try_addresses(found.addresses);
    while (!connected && found.more_may_come && !operation_.over() &&
           !dialled_.descriptor_shortage) {
        found = co_await resolve(Families::Both);
        connected = co_await try_addresses(found.addresses);
    }
    if (connected) {
        auto connection = std::make_shared<PooledConnection>(std::move(dialled_.socket));
        connection->opened_at = now();
        ++state_.stats.connects;
        co_return co_await finish(std::move(connection));
    }
    Opened opened;
    if (tried_.empty() && refused_) {
        ++state_.stats.refused;
        opened = failure(core::Fault::Refused, std::string(core::refused_address_text));
    } else {
        opened = unreachable(tried_.empty() && !found.problem.empty() ? found.problem
                                                                      : dialled_.problem);
    }
    opened.descriptor_shortage =
        dialled_.descriptor_shortage || (!found.problem.empty() && no_descriptor_left());
    co_return opened;
}

Awaitable<Resolved> Opening::resolve(Families wanted) {
    const core::SteadyTime begun = now();
    Resolved found = co_await state_.resolver->resolve(host(), wanted, operation_);
    phases_.dns += now() - begun;
    co_return found;
}

// True when the dial gave a socket. Idle connections give way where descriptors are short.
Awaitable<bool> Opening::try_addresses(std::vector<core::IpAddress> addresses) {
    const std::vector<Endpoint> to = endpoints(addresses);
    if (to.empty() || operation_.over()) {
        co_return false;
    }
    const core::SteadyTime begun = now();
    dialled_ = co_await dial(state_.events, to, operation_, use_);
    while (dialled_.descriptor_shortage && state_.pool.evict_oldest()) {
        dialled_ = co_await dial(state_.events, to, operation_, use_);
    }
    phases_.connect += now() - begun;
    co_return dialled_.socket != nullptr;
}

std::vector<Endpoint> Opening::endpoints(const std::vector<core::IpAddress>& addresses) {
    std::vector<Endpoint> to;
    std::vector<core::IpAddress> allowed;
    for (const core::IpAddress& address : addresses) {
        const bool is_new = std::find(tried_.begin(), tried_.end(), address) == tried_.end();
        if (proxy_ == nullptr && !state_.policy.allows(address)) {
            refused_ = true;
        } else if (is_new) {
            allowed.push_back(address);
        }
    }
    for (const core::IpAddress& address : order_for_dialling(allowed)) {
        tried_.push_back(address);
        if (const auto endpoint = endpoint_of(address, zone(), port())) {
            to.push_back(*endpoint);
        } else {
            dialled_.problem = fmt::format("no network interface {}", quoted(target_.zone));
        }
    }
    return to;
}

// Behind a proxy only the proxy knows what a name resolves to; but an address is one.
bool Opening::may_be_proxied() const {
    const auto literal = core::parse_address(target_.host);
    return proxy_ == nullptr || !literal || state_.policy.allows(*literal);
}

Opened Opening::unreachable(const std::string& problem) const {
    return failure(
        core::Fault::Unreachable,
        proxy_ == nullptr ? problem : fmt::format("proxy {}: {}", proxy_->shown(), problem));
}

Awaitable<Opened> Opening::finish(std::shared_ptr<PooledConnection> connection) {
    if (proxy_ != nullptr && target_.https) {
        const core::SteadyTime begun = now();
        const std::string problem =
            co_await open_tunnel(connection->connection, *proxy_, target_, operation_);
        phases_.connect += now() - begun;
        if (!problem.empty() || operation_.over()) {
            co_return unreachable(problem);
        }
    }
    co_return co_await secure(std::move(connection));
}

Awaitable<Opened> Opening::secure(std::shared_ptr<PooledConnection> connection) {
    Opened opened;
    if (target_.https) {
        const Meeting peer = meeting(state_.settings.trust.get(), cluster_);
        if (peer.context == nullptr) {
            co_return failure(core::Fault::Refused, peer.problem);
        }
        const core::SteadyTime begun = now();
        const bool done =
            co_await connection->connection.handshake(*peer.context, target_.host, operation_);
        phases_.tls = now() - begun;
        if (!done) {
            opened = failure(core::Fault::Unreachable, connection->connection.problem());
            opened.certificate_expiry = connection->connection.certificate_expiry();
            co_return opened;
        }
        ++state_.stats.handshakes;
    }
    opened.connection = std::move(connection);
    co_return opened;
}

}  // namespace

Awaitable<Opened> open_connection(Client::State& state,
                                  const PreparedRequest& request,
                                  Operation& operation,
                                  core::Phases& phases) {
    Opening opening(state, request, operation, phases);
    co_return co_await opening.run();
}

}  // namespace ome::net
