// The controller as it runs on a cluster: processes, in the role and with the rights of
// deploy/examples/kubernetes, on a real API server.
#pragma once

#include "kube/controller_process.hpp"
#include "kube/servers.hpp"
#include "support/source_file.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ome::test {

/// One of the manifests that README.md has applied.
[[nodiscard]] inline std::string run_on_kube_manifest(const std::string& file) {
    return source_file("deploy/examples/kubernetes/" + file);
}

class RunOnKube : public KubeServerTest {
protected:
    void SetUp() override {
        KubeServerTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        for (const char* file : {"00-namespace.yaml", "10-rbac.yaml", "11-rbac-publisher.yaml"}) {
            ASSERT_EQ(kubectl({"apply", "-f", run_on_kube_manifest(file)}).exit_code, 0);
        }
        static_cast<void>(kubectl(
            {"delete", "lease", "ome-trafficmap", "-n", "ome-observer", "--ignore-not-found"}));
        ns = make_namespace();
    }

    CommandResult kubectl(std::vector<std::string> arguments, std::string_view input = {}) {
        CommandResult result = kube_servers().kubectl(std::move(arguments), input);
        EXPECT_EQ(result.exit_code, 0) << result.output;
        return result;
    }

    std::unique_ptr<ControllerProcess> start(const std::string& identity,
                                             LeaseTimes times = {},
                                             std::vector<std::string> flags = {}) {
        return std::make_unique<ControllerProcess>(kube_servers().kubeconfig("controller"),
                                                   ns,
                                                   times,
                                                   identity,
                                                   ControllerSetup{.flags = std::move(flags)});
    }

    /// A service with two homes of two replicas, and what the placement controller says of it.
    void add_service(const std::string& name, const std::string& plan = {}) {
        kubectl({"apply", "-n", ns, "-f", "-"},
                fmt::format(R"({{"apiVersion":"ome.io/v1beta1","kind":"InferenceService",
                    "metadata":{{"name":"{}"}},
                    "spec":{{"placement":{{"policy":"ClusterAffinity","mode":"All"}}}}}})",
                            name));
        const std::string home =
            R"("phase":"Admitted","admittedReplicas":2,"readyReplicas":2,"endpoint":"http://127.0.0.1:1")";
        patch("inferenceservice",
              name,
              fmt::format(R"({{"status":{{"placement":{{"phase":"Placed",{0}"candidates":[
                    {{"cluster":"worker-a",{1}}},{{"cluster":"worker-b",{1}}}]}}}}}})",
                          plan,
                          home),
              "--subresource=status");
    }

    void patch(const std::string& kind,
               const std::string& name,
               const std::string& body,
               const std::string& flag = "--type=merge") {
        std::vector<std::string> arguments{"patch", kind, name, "-n", ns, flag, "-p", body};
        if (flag != "--type=merge") {
            arguments.emplace_back("--type=merge");
        }
        kubectl(std::move(arguments));
    }

    /// Empty: takes the annotation away.
    void drain(const std::string& name, const std::string& text) {
        const boost::json::value annotation =
            text.empty() ? boost::json::value() : boost::json::value(text);
        patch("inferenceservice",
              name,
              boost::json::serialize(boost::json::object{
                  {"metadata", {{"annotations", {{"ome.io/traffic-drain", annotation}}}}}}));
    }

    /// An empty holder: the lease is free.
    void give_lease_to(const std::string& holder) {
        kubectl({"patch",
                 "lease",
                 "ome-trafficmap",
                 "-n",
                 "ome-observer",
                 "--type=merge",
                 "-p",
                 fmt::format(R"({{"spec":{{"holderIdentity":"{}","leaseDurationSeconds":3600}}}})",
                             holder)});
    }

    /// A field of an object; empty while it is not there.
    std::string field(const std::string& kind, const std::string& name, const std::string& path) {
        const CommandResult got = kube_servers().kubectl(
            {"get", kind, name, "-n", ns, "--ignore-not-found", "-o", "jsonpath=" + path});
        return got.exit_code == 0 ? got.output : std::string();
    }
    std::string weights(const std::string& name) {
        return field("trafficmap", name, "{.spec.entries[*].weight}");
    }
    /// `kind name reason`, a line each.
    std::string events() {
        const std::string each =
            R"({.involvedObject.kind} {.involvedObject.name} {.reason} {.count}{"\n"})";
        const std::string all = "jsonpath={range .items[*]}" + each + "{end}";
        return kube_servers().kubectl({"get", "events", "-n", ns, "-o", all}).output;
    }
    /// What earlier tests have left goes with its type: the publisher's finalizers would hold it.
    void release_maps() {
        const std::string all =
            kubectl(
                {"get",
                 "trafficmaps",
                 "-A",
                 "-o",
                 R"(jsonpath={range .items[*]}{.metadata.namespace} {.metadata.name}{"\n"}{end})"})
                .output;
        std::istringstream lines(all);
        for (std::string of, name; lines >> of >> name;) {
            kubectl({"patch",
                     "trafficmap",
                     name,
                     "-n",
                     of,
                     "--type=merge",
                     "-p",
                     R"({"metadata":{"finalizers":null}})"});
        }
    }
    bool eventually_has(const std::string& name, const std::string& expected) {
        return eventually([&] { return weights(name) == expected; });
    }

    std::string ns;
};

}  // namespace ome::test
