#include "integration/observer_process.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

namespace ome::test {
namespace {

namespace json = boost::json;

constexpr const char* services_name = "services.json";

std::string program() {
    const char* path = std::getenv("OME_OBSERVER");
    return path == nullptr ? "OME_OBSERVER is not set" : path;
}

}  // namespace

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds timeout) {
    const auto until = std::chrono::steady_clock::now() + timeout;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= until) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

std::uint16_t free_port() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof where;
    (void)bind(fd, reinterpret_cast<const sockaddr*>(&where), size);
    getsockname(fd, reinterpret_cast<sockaddr*>(&where), &size);
    close(fd);
    return ntohs(where.sin_port);
}

ObserverProcess::ObserverProcess(const std::string& services,
                                 std::vector<std::string> flags,
                                 std::vector<std::string> launcher)
    : port_(free_port()) {
    std::vector<std::string> command = std::move(launcher);
    command.insert(
        command.end(),
        {program(), "serve", "--listen", "127.0.0.1:" + std::to_string(port_), "--allow-loopback"});
    if (!services.empty()) {
        command.insert(command.end(), {"--services", scratch_.write(services_name, services)});
    }
    command.insert(command.end(), flags.begin(), flags.end());
    process_ = std::make_unique<Process>(std::move(command));
    if (!eventually([this] { return call("GET", "/readyz").status == 200; })) {
        (void)process_->wait_for_line("\n", std::chrono::milliseconds(1));
        ADD_FAILURE() << "ome-observer is not ready: " << process_->output();
    }
}

void ObserverProcess::write_services(const std::string& services) const {
    scratch_.write(services_name, services);
}

HttpReply ObserverProcess::call(std::string_view method,
                                std::string_view target,
                                std::string_view body) const {
    return http_call(port_, method, target, body);
}

json::value ObserverProcess::get(const std::string& target) const {
    const HttpReply reply = call("GET", target);
    return reply.status == 200 ? json::parse(reply.body) : json::value();
}

json::value ObserverProcess::home(const std::string& service, std::string_view cluster) const {
    const json::value reading = get("/v1/services/" + service);
    if (reading.is_object()) {
        for (const json::value& home : reading.at("homes").as_array()) {
            if (home.at("cluster").as_string() ==
                json::string_view(cluster.data(), cluster.size())) {
                return home;
            }
        }
    }
    return {};
}

}  // namespace ome::test
