#include "support/scripted_dns.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace ome::test {
namespace {

constexpr std::size_t header_size = 12;

std::string number16(unsigned value) {
    return {static_cast<char>(value >> 8), static_cast<char>(value & 0xff)};
}

std::string number32(std::uint32_t value) {
    return number16(value >> 16) + number16(value & 0xffff);
}

struct Question {
    std::string name;
    bool v6 = false;
    std::size_t end = 0;
};

Question question_of(const std::string& query) {
    Question question;
    std::size_t at = header_size;
    while (query[at] != 0) {
        const auto size = static_cast<unsigned char>(query[at]);
        question.name += (question.name.empty() ? "" : ".") + query.substr(at + 1, size);
        at += size + 1U;
    }
    question.v6 = query[at + 2] == 28;
    question.end = at + 5;
    return question;
}

std::string record(const std::string& text, bool v6, std::uint32_t ttl) {
    std::array<char, 16> bytes{};
    inet_pton(v6 ? AF_INET6 : AF_INET, text.c_str(), bytes.data());
    const std::size_t size = v6 ? 16 : 4;
    return number16(0xc00c) + number16(v6 ? 28 : 1) + number16(1) + number32(ttl) +
           number16(static_cast<unsigned>(size)) + std::string(bytes.data(), size);
}

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// Port 0 picks one and says which. Negative: it is taken.
int bind_to(int type, std::uint16_t& port) {
    const int socket = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(port);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket, generic, size) != 0 || getsockname(socket, generic, &size) != 0) {
        ::close(socket);
        return -1;
    }
    port = ntohs(address.sin_port);
    return socket;
}

}  // namespace

ScriptedDns::ScriptedDns(Zone zone) : zone_(std::move(zone)) {
    // One number for both protocols: what UDP picked may be taken in TCP.
    while (tcp_ < 0) {
        ::close(udp_);
        port_ = 0;
        udp_ = bind_to(SOCK_DGRAM, port_);
        tcp_ = bind_to(SOCK_STREAM, port_);
    }
    listen(tcp_, 16);
    udp_thread_ = std::thread([this] { serve_udp(); });
    tcp_thread_ = std::thread([this] { serve_tcp(); });
}

ScriptedDns::~ScriptedDns() {
    // Neither shutdown nor close wakes a thread that waits on a UDP socket; a datagram does.
    const sockaddr_in self = loopback(port_);
    const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sendto(socket, "", 0, 0, reinterpret_cast<const sockaddr*>(&self), sizeof self);
    ::close(socket);
    udp_thread_.join();
    shutdown(tcp_, SHUT_RDWR);
    tcp_thread_.join();
    ::close(udp_);
    ::close(tcp_);
}

std::string ScriptedDns::address() const {
    return "127.0.0.1:" + std::to_string(port_);
}

std::vector<std::string> ScriptedDns::queries() const {
    const std::lock_guard lock(mutex_);
    return queries_;
}

void ScriptedDns::serve_udp() {
    std::array<char, 1500> buffer;
    for (;;) {
        sockaddr_storage from{};
        socklen_t size = sizeof from;
        auto* sender = reinterpret_cast<sockaddr*>(&from);
        const auto bytes = recvfrom(udp_, buffer.data(), buffer.size(), 0, sender, &size);
        if (bytes <= 0) {
            return;
        }
        const std::string reply =
            reply_to(std::string(buffer.data(), static_cast<std::size_t>(bytes)), true);
        if (!reply.empty()) {
            sendto(udp_, reply.data(), reply.size(), 0, sender, size);
        }
    }
}

void ScriptedDns::serve_tcp() {
    for (;;) {
        const int socket = accept4(tcp_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) {
            return;
        }
        std::array<char, 1500> buffer;
        const auto bytes = recv(socket, buffer.data(), buffer.size(), 0);
        if (bytes > 2) {
            const std::string reply = reply_to(
                std::string(buffer.data() + 2, static_cast<std::size_t>(bytes) - 2), false);
            const std::string framed = number16(static_cast<unsigned>(reply.size())) + reply;
            send(socket, framed.data(), framed.size(), MSG_NOSIGNAL);
        }
        ::close(socket);
    }
}

std::string ScriptedDns::reply_to(const std::string& query, bool udp) {
    if (query.size() <= header_size) {
        return {};
    }
    const Question question = question_of(query);
    {
        const std::lock_guard lock(mutex_);
        queries_.push_back(question.name + (question.v6 ? " AAAA" : " A"));
    }
    const DnsReply reply = zone_(question.name, question.v6);
    std::this_thread::sleep_for(reply.delay);
    if (reply.silent) {
        return {};
    }
    const bool cut = reply.truncated && udp;
    const std::size_t answers = cut ? 0 : reply.addresses.size();
    std::string bytes = query.substr(0, 2) + number16(cut ? 0x8780U : 0x8580U | reply.rcode) +
                        number16(1) + number16(static_cast<unsigned>(answers)) + number32(0) +
                        query.substr(header_size, question.end - header_size);
    for (std::size_t index = 0; index < answers; ++index) {
        bytes += record(reply.addresses[index], question.v6, reply.ttl);
    }
    return bytes;
}

}  // namespace ome::test
