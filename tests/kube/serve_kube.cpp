// The servers of these tests for a script: they run until its standard input ends. When all is
// ready, one line of JSON says where everything is. Exit 77: there are no programs to start.
#include "kube/gateway_api.hpp"
#include "kube/servers.hpp"
#include "support/source_file.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <limits>

namespace ome::test {
namespace {

constexpr int skipped = 77;

bool failed() {
    return testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed();
}

void apply(const std::vector<std::string>& arguments) {
    const CommandResult result = kube_servers().kubectl(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.output;
}

void install() {
    apply({"apply", "-f", source_file("deploy/crds")});
    apply({"wait",
           "--for=condition=Established",
           "--timeout=120s",
           "crd/trafficmaps.ome.io",
           "crd/inferenceservices.ome.io"});
    install_gateway_api();
    for (const char* file : {"00-namespace.yaml", "10-rbac.yaml", "11-rbac-publisher.yaml"}) {
        apply({"apply", "-f", source_file(fmt::format("deploy/examples/kubernetes/{}", file))});
    }
}

std::string description() {
    const KubeServers& servers = kube_servers();
    return boost::json::serialize(boost::json::object{
        {"port", servers.port()},
        {"token", KubeServers::token_of("admin")},
        {"admin", servers.kubeconfig("admin")},
        {"controller", servers.kubeconfig("controller")},
        {"folder", std::filesystem::path(servers.authority_file()).parent_path().string()},
        {"programs", kube_programs()}});
}

int serve() {
    if (kube_programs().empty()) {
        return skipped;
    }
    if (!kube_servers().ready()) {
        return 1;
    }
    install();
    if (failed()) {
        return 1;
    }
    std::cout << description() << std::endl;
    std::cin.ignore(std::numeric_limits<std::streamsize>::max(), std::char_traits<char>::eof());
    return 0;
}

}  // namespace
}  // namespace ome::test

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    return ome::test::serve();
}
