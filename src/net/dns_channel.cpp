#include "dns_channel.hpp"

#include <ome/core/text.hpp>
#include <ome/net/text_file.hpp>

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>

namespace ome::net {
namespace {

// Two tries of 2 s on average: c-ares doubles its patience with the second. Within 4 s a lookup is
// over, so that a later answer is not taken for one that came in time.
constexpr int try_timeout_ms = 1300;
constexpr int tries = 2;

bool is_port(std::string_view text) {
    unsigned port = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, port);
    return error == std::errc() && stopped == end && port >= 1 && port <= 65535;
}

/// `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` or `[2001:db8::1]:53`.
bool is_name_server(std::string_view text) {
    if (text.starts_with('[')) {
        const std::size_t close = text.find("]:");
        return close != std::string_view::npos && is_port(text.substr(close + 2)) &&
               core::parse_address(text.substr(1, close - 1)).has_value();
    }
    const std::size_t colon = text.find(':');
    const bool with_port = colon != std::string_view::npos && colon == text.rfind(':');
    return core::parse_address(with_port ? text.substr(0, colon) : text).has_value() &&
           (!with_port || is_port(text.substr(colon + 1)));
}

core::IpAddress address_of(const ares_addrinfo_node& node) {
    core::IpAddress address;
    if (node.ai_family == AF_INET6) {
        sockaddr_in6 from{};
        std::memcpy(&from, node.ai_addr, sizeof from);
        address.v6 = true;
        std::memcpy(address.bytes.data(), &from.sin6_addr, 16);
    } else {
        sockaddr_in from{};
        std::memcpy(&from, node.ai_addr, sizeof from);
        std::memcpy(address.bytes.data(), &from.sin_addr, 4);
    }
    return address;
}

DnsAnswer answer_of(int status, const ares_addrinfo* found) {
    DnsAnswer answer{.status = status};
    if (status != ARES_SUCCESS || found == nullptr) {
        return answer;
    }
    int ttl = std::numeric_limits<int>::max();
    for (const ares_addrinfo_node* node = found->nodes; node != nullptr; node = node->ai_next) {
        answer.addresses.push_back(address_of(*node));
        ttl = std::min(ttl, node->ai_ttl);
    }
    if (answer.addresses.empty()) {
        answer.status = ARES_ENODATA;
    } else {
        answer.ttl = std::chrono::seconds(std::max(ttl, 0));
    }
    return answer;
}

// c-ares would open a pipe and wait for a writer, and a reactor with it.
std::optional<core::Problem> other_than_file(const DnsSettings& settings) {
    auto problem = refuse_other_than_file(settings.resolv_conf);
    if (problem) {
        *problem = {"resolv-conf: " + problem->message, "resolv-conf"};
    }
    return problem;
}

}  // namespace

struct DnsChannel::Query {
    DnsChannel* channel;
    Done done;
};

// c-ares closes its sockets itself, so the descriptor is given back before it goes.
struct DnsChannel::Watched {
    Watched(asio::io_context& io, ares_socket_t socket, std::uint64_t number)
        : descriptor(io), id(number) {
        boost::system::error_code error;
        descriptor.assign(socket, error);
    }
    ~Watched() {
        if (descriptor.is_open()) {
            descriptor.release();
        }
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    asio::posix::basic_stream_descriptor<Executor> descriptor;
    std::uint64_t id;  // a late handler must not take a new socket of the same number for its own
    bool wants[2] = {false, false};  // read, write
    bool waiting[2] = {false, false};
};

std::optional<core::Problem> check(const DnsSettings& settings) {
    std::string_view rest = settings.servers;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view server = rest.substr(0, comma);
        if (!is_name_server(server)) {
            return core::Problem{
                fmt::format("dns-servers: {} must be an IP address, with or without a port",
                            core::go_quote(server)),
                "dns-servers"};
        }
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    if (!settings.resolv_conf.empty() && access(settings.resolv_conf.c_str(), R_OK) != 0) {
        return core::Problem{fmt::format("resolv-conf: \"{}\" cannot be read: {}",
                                         settings.resolv_conf,
                                         std::strerror(errno)),
                             "resolv-conf"};
    }
    return other_than_file(settings);
}

DnsChannel::DnsChannel(asio::io_context& io) : io_(io), timer_(io) {}

core::Result<std::shared_ptr<DnsChannel>> DnsChannel::create(asio::io_context& io,
                                                             const DnsSettings& settings) {
    static const int library = ares_library_init(ARES_LIB_INIT_ALL);
    if (auto problem = other_than_file(settings)) {  // also one that has become so
        return *std::move(problem);
    }
    // Not make_shared: the constructor is private.
    std::shared_ptr<DnsChannel> channel(new DnsChannel(io));
    const int status = library == ARES_SUCCESS ? channel->start(settings) : library;
    if (status != ARES_SUCCESS) {
        return core::Problem{fmt::format("resolver cannot start: {}", ares_strerror(status)),
                             "dns-servers"};
    }
    return channel;
}

int DnsChannel::start(const DnsSettings& settings) {
    std::string lookups = "fb";
    std::string resolv_conf = settings.resolv_conf;
    ares_options options{};
    options.sock_state_cb = &DnsChannel::on_socket;
    options.sock_state_cb_data = this;
    options.timeout = try_timeout_ms;
    options.tries = tries;
    options.lookups = lookups.data();
    options.resolvconf_path = resolv_conf.data();
    const int file = resolv_conf.empty() ? 0 : ARES_OPT_RESOLVCONF;
    read_search_list(options, file);
    // Searching is the resolver's: c-ares searches for each family on its own, and would give the
    // IPv6 addresses of another name to one that has only IPv4 addresses. No domains, no search.
    const int mask = file | ARES_OPT_SOCK_STATE_CB | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
                     ARES_OPT_LOOKUPS | ARES_OPT_DOMAINS | ARES_OPT_NDOTS;
    const int status = ares_init_options(&channel_, &options, mask);
    if (status != ARES_SUCCESS || settings.servers.empty()) {
        return status;
    }
    return ares_set_servers_ports_csv(channel_, settings.servers.c_str());
}

void DnsChannel::read_search_list(ares_options options, int mask) {
    ares_channel reader = nullptr;
    if (ares_init_options(&reader, &options, mask) != ARES_SUCCESS) {
        return;
    }
    ares_options found{};
    int found_mask = 0;
    if (ares_save_options(reader, &found, &found_mask) == ARES_SUCCESS) {
        search_list_.assign(found.domains, found.domains + std::max(found.ndomains, 0));
        ares_destroy_options(&found);
    }
    ares_destroy(reader);
}

DnsChannel::~DnsChannel() {
    if (channel_ != nullptr) {
        ares_destroy(channel_);
    }
}

void DnsChannel::query(const std::string& host, int family, Done done) {
    ares_addrinfo_hints hints{};
    hints.ai_family = family;
    hints.ai_flags = ARES_AI_NOSORT;  // the order of the servers spreads load; families are ours
    ++pending_;
    auto query = std::make_unique<Query>(Query{this, std::move(done)});
    ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, &on_answer, query.release());
    arm_timer();
}

void DnsChannel::on_answer(void* argument, int status, int /*timeouts*/, ares_addrinfo* found) {
    const std::unique_ptr<Query> query(static_cast<Query*>(argument));
    --query->channel->pending_;
    DnsAnswer answer = answer_of(status, found);
    if (found != nullptr) {
        ares_freeaddrinfo(found);
    }
    query->done(std::move(answer));
}

void DnsChannel::on_socket(void* self, ares_socket_t socket, int readable, int writable) {
    static_cast<DnsChannel*>(self)->watch(socket, readable != 0, writable != 0);
}

void DnsChannel::watch(ares_socket_t socket, bool read, bool write) {
    if (!read && !write) {
        watched_.erase(socket);
        return;
    }
    std::unique_ptr<Watched>& watched = watched_[socket];
    if (watched == nullptr) {
        watched = std::make_unique<Watched>(io_, socket, ++next_id_);
    }
    watched->wants[0] = read;
    watched->wants[1] = write;
    wait(*watched, false);
    wait(*watched, true);
}

void DnsChannel::wait(Watched& watched, bool write) {
    if (!watched.wants[write] || watched.waiting[write] || !watched.descriptor.is_open()) {
        return;
    }
    watched.waiting[write] = true;
    const auto what =
        write ? asio::posix::descriptor_base::wait_write : asio::posix::descriptor_base::wait_read;
    const ares_socket_t socket = watched.descriptor.native_handle();
    watched.descriptor.async_wait(
        what,
        [weak = weak_from_this(), socket, id = watched.id, write](boost::system::error_code error) {
            const auto self = weak.lock();
            if (self && !error) {
                self->ready(socket, id, write);
            }
        });
}

void DnsChannel::ready(ares_socket_t socket, std::uint64_t id, bool write) {
    const auto mine = [&] {
        const auto at = watched_.find(socket);
        return at != watched_.end() && at->second->id == id ? at->second.get() : nullptr;
    };
    if (Watched* watched = mine()) {
        watched->waiting[write] = false;
        ares_process_fd(
            channel_, write ? ARES_SOCKET_BAD : socket, write ? socket : ARES_SOCKET_BAD);
        arm_timer();
    }
    if (Watched* watched = mine()) {  // c-ares may have closed it, or opened another of its number
        wait(*watched, write);
    }
}

void DnsChannel::arm_timer() {
    timeval left{};
    if (ares_timeout(channel_, nullptr, &left) == nullptr) {
        timer_.cancel();
        return;
    }
    // One tick more, so that c-ares, which compares in microseconds, finds it really past.
    timer_.expires_after(std::chrono::seconds(left.tv_sec) +
                         std::chrono::microseconds(left.tv_usec) + std::chrono::milliseconds(1));
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
        const auto self = weak.lock();
        if (self && !error) {
            ares_process_fd(self->channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
            self->arm_timer();
        }
    });
}

}  // namespace ome::net
