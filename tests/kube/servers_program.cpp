// The servers of servers.hpp for scripts: prints where they are, a JSON object on a line, and then
// does what standard input says, a word a line: stop-api, start-api, start-spare PORT, stop-spare,
// restart-etcd. Answers each with `ok` or `failed`. Ends with its input, and the servers with it.
#include "kube/servers.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

namespace ome::test {
namespace {

void tell_where(const KubeServers& servers) {
    const boost::json::object where{{"api", servers.port()},
                                    {"etcd", servers.etcd_port()},
                                    {"folder", servers.folder()},
                                    {"programs", servers.programs()},
                                    {"kubeconfig", servers.kubeconfig()},
                                    {"token", KubeServers::token_of("admin")}};
    std::cout << boost::json::serialize(where) << std::endl;
}

bool obey(KubeServers& servers, const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "stop-api") {
        servers.stop_api_server();
        return true;
    }
    if (command == "start-api") {
        servers.start_api_server();
        servers.restart_controllers();
        return servers.ready();
    }
    if (std::uint16_t port = 0; command == "start-spare" && words >> port) {
        return servers.start_spare_api_server(port);
    }
    if (command == "stop-spare") {
        servers.stop_spare_api_server();
        return true;
    }
    if (command == "restart-etcd") {
        servers.restart_etcd();
        return true;
    }
    return false;
}

int serve() {
    if (kube_programs().empty()) {
        std::cerr << "no Kubernetes servers: run tools/kube-tools, or set KUBEBUILDER_ASSETS\n";
        return 77;
    }
    KubeServers servers;
    if (!servers.ready()) {
        return 1;
    }
    tell_where(servers);
    for (std::string line; std::getline(std::cin, line);) {
        std::cout << (obey(servers, line) ? "ok" : "failed") << std::endl;
    }
    return 0;
}

}  // namespace
}  // namespace ome::test

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    return ome::test::serve();
}
