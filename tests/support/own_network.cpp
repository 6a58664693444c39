#include "support/own_network.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace ome::test {
namespace {

std::string trouble(const std::string& doing) {
    return doing + ": " + std::strerror(errno);
}

bool write_to(const char* path, const std::string& text) {
    std::ofstream out(path);
    out << text << std::flush;
    return out.good();
}

// Who is not root may have a network as the root of a namespace of users.
bool enter_namespaces() {
    if (unshare(CLONE_NEWNET) == 0) {
        return true;
    }
    const std::string user = std::to_string(geteuid());
    const std::string group = std::to_string(getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && write_to("/proc/self/setgroups", "deny") &&
           write_to("/proc/self/uid_map", "0 " + user + " 1") &&
           write_to("/proc/self/gid_map", "0 " + group + " 1");
}

ifreq named(const std::string& interface) {
    ifreq request{};
    interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
    return request;
}

void put_address(ifreq& request, const std::string& address) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    inet_pton(AF_INET, address.c_str(), &where.sin_addr);
    std::memcpy(&request.ifr_addr, &where, sizeof where);
}

bool begin_loopback(int fd) {
    ifreq request = named("lo");
    request.ifr_flags = IFF_UP | IFF_LOOPBACK;
    return ioctl(fd, SIOCSIFFLAGS, &request) == 0;
}

// `lo:1`, `lo:2`: further addresses of loopback's interface.
bool add_address(int fd, std::size_t number, const std::string& address) {
    ifreq request = named("lo:" + std::to_string(number));
    put_address(request, address);
    if (ioctl(fd, SIOCSIFADDR, &request) != 0) {
        return false;
    }
    put_address(request, "255.255.255.255");
    return ioctl(fd, SIOCSIFNETMASK, &request) == 0;
}

}  // namespace

std::optional<std::string> enter_own_network(const std::vector<std::string>& addresses) {
    if (!enter_namespaces()) {
        return trouble("a network namespace");
    }
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    std::optional<std::string> problem;
    if (!begin_loopback(fd)) {
        problem = trouble("loopback in a network namespace");
    }
    for (std::size_t i = 0; i < addresses.size() && !problem; ++i) {
        if (!add_address(fd, i + 1, addresses[i])) {
            problem = trouble("address " + addresses[i]);
        }
    }
    close(fd);
    return problem;
}

}  // namespace ome::test
