#include "kube/gateway_api.hpp"

#include "kube/servers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace ome::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kinds[] = {"httproutes", "backendtlspolicies", "gateways", "referencegrants"};

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

// Where `go mod download` puts the module; empty: nowhere.
std::string downloaded_crds() {
    const std::string path = variable("GOPATH");
    const std::string home = path.empty() ? variable("HOME") + "/go" : path;
    const std::string cache = variable("GOMODCACHE");
    const std::string folder = (cache.empty() ? home + "/pkg/mod" : cache) +
                               "/sigs.k8s.io/gateway-api@" OME_GATEWAY_API_VERSION
                               "/config/crd/standard";
    return fs::is_directory(folder) ? folder : std::string();
}

// Takes everything: what the server fills in and what it refuses is not seen with it.
std::string poor_crd(const std::string& plural, const std::string& kind) {
    return fmt::format(
        R"(---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {0}.gateway.networking.k8s.io
  annotations: {{api-approved.kubernetes.io: unapproved, for a test}}
spec:
  group: gateway.networking.k8s.io
  scope: Namespaced
  names: {{plural: {0}, singular: {2}, kind: {1}}}
  versions:
    - name: {3}
      served: true
      storage: true
      subresources: {{status: {{}}}}
      schema:
        openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}
)",
        plural,
        kind,
        plural == "backendtlspolicies" ? "backendtlspolicy" : plural.substr(0, plural.size() - 1),
        plural == "referencegrants" ? "v1beta1" : "v1");
}

}  // namespace

void install_gateway_api() {
    const std::string folder = downloaded_crds();
    CommandResult made;
    if (folder.empty()) {
        made = kube_servers().kubectl({"apply", "-f", "-"},
                                      poor_crd("httproutes", "HTTPRoute") +
                                          poor_crd("backendtlspolicies", "BackendTLSPolicy") +
                                          poor_crd("gateways", "Gateway") +
                                          poor_crd("referencegrants", "ReferenceGrant"));
    } else {
        // They are too large for the annotation of a plain apply.
        std::vector<std::string> command{"apply", "--server-side"};
        for (const char* plural : kinds) {
            command.emplace_back("-f");
            command.push_back(fmt::format("{}/gateway.networking.k8s.io_{}.yaml", folder, plural));
        }
        made = kube_servers().kubectl(command);
    }
    ASSERT_EQ(made.exit_code, 0) << made.output;
    const CommandResult established =
        kube_servers().kubectl({"wait",
                                "--for=condition=Established",
                                "--timeout=120s",
                                "crd/httproutes.gateway.networking.k8s.io",
                                "crd/backendtlspolicies.gateway.networking.k8s.io",
                                "crd/gateways.gateway.networking.k8s.io",
                                "crd/referencegrants.gateway.networking.k8s.io"});
    ASSERT_EQ(established.exit_code, 0) << established.output;
}

}  // namespace ome::test
