// The table of conditions of contract/publisher-cli.md 1.9 on a real API server: every row is come
// to and left again, as it is seen by whoever watches the map. Their messages are tested by value,
// in tests/routing/publication_status_test.cpp.
#include "kube/kube_publishing.hpp"
#include "support/process.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

json::value member(const json::value& of, std::string_view pointer) {
    boost::system::error_code error;
    const json::value* found = of.find_pointer(pointer, error);
    return found == nullptr ? json::value() : *found;
}

class PublicationTable : public KubePublishingTest {
protected:
    /// `False InvalidPlan, Unknown InvalidPlan`: Published and PublicationFallback.
    std::string both() {
        std::string all;
        const json::value stored = map();
        for (const char* type : {"Published", "PublicationFallback"}) {
            const json::value conditions = member(stored, "/status/conditions");
            for (std::size_t i = 0; conditions.is_array() && i < conditions.get_array().size();
                 ++i) {
                const json::value& one = conditions.get_array()[i];
                if (one.at("type") == type) {
                    all += fmt::format("{}{} {}",
                                       all.empty() ? "" : ", ",
                                       one.at("status").as_string().c_str(),
                                       one.at("reason").as_string().c_str());
                }
            }
        }
        return all;
    }
    bool until_both(const std::string& expected) {
        return until([&] { return both() == expected; });
    }

    void begin() {
        start();
        put_service();
        ASSERT_TRUE(until_both(published_now));
    }

    void patch_status(const std::string& what, const std::string& merge) {
        const CommandResult patched = kube_servers().kubectl(
            {"patch", what, "-n", ns, "--subresource=status", "--type=merge", "-p", merge});
        ASSERT_EQ(patched.exit_code, 0) << patched.output;
    }

    static constexpr const char* published_now = "True Published, False Unsupported";
};

TEST_F(PublicationTable, TransitioningComesBeforeThePublication) {
    put_service();
    Process watch({kube_programs() + "/kubectl",
                   "--kubeconfig=" + kube_servers().kubeconfig(),
                   "--v=6",
                   "get",
                   "trafficmaps",
                   "-n",
                   ns,
                   "--watch",
                   "--no-headers",
                   "-o",
                   R"(custom-columns=R:.status.conditions[?(@.type=="Published")].reason)"});
    ASSERT_TRUE(watch.wait_for_line("watch=true", kube_patience)) << watch.output();
    start();
    ASSERT_TRUE(until_both(published_now));
    ASSERT_TRUE(watch.wait_for_line("Published", kube_patience)) << watch.output();
    std::istringstream seen(watch.output());
    std::vector<std::string> steps;
    for (std::string line; std::getline(seen, line);) {
        line.erase(line.find_last_not_of(' ') + 1);
        const bool told = line == "Transitioning" || line == "Published";
        if (told && (steps.empty() || steps.back() != line)) {
            steps.push_back(line);
        }
    }
    EXPECT_THAT(steps, ElementsAre("Transitioning", "Published"));
}

TEST_F(PublicationTable, WithdrawnWithoutAGatewayAndPublishedWithOne) {
    begin();
    end();
    gateway.global_gateway = "";
    start();
    ASSERT_TRUE(until_both("False Withdrawn, False Withdrawn"));
    EXPECT_TRUE(route().is_null());
    EXPECT_TRUE(list("services").empty());
    EXPECT_EQ(map().at_pointer("/status/publisher/claimedTargets").as_array().size(), 1U);
    end();
    gateway.global_gateway = "gateway-system/global";
    start();
    EXPECT_TRUE(until_both(published_now));
    EXPECT_EQ(weights(), "1 1");
}

// The annotation of former releases freezes the map, and so it is there to say it.
TEST_F(PublicationTable, UnpublishedWhileTheServiceIsNotToBeRouted) {
    begin();
    patch("inferenceservice/chat",
          R"({"metadata":{"annotations":{"ome.io/accelerator-requirements":"{}"}}})");
    ASSERT_TRUE(until_both("False Unpublished, False Unpublished"));
    EXPECT_EQ(weights(), "1 1") << "the route is left alone";
    EXPECT_FALSE(member(map(), "/status/gatewayRef").is_null());
    patch("inferenceservice/chat",
          R"({"metadata":{"annotations":{"ome.io/accelerator-requirements":null}}})");
    EXPECT_TRUE(until_both(published_now));
}

TEST_F(PublicationTable, InvalidOwnerWhileTheMapIsBehindItsService) {
    begin();
    patch("inferenceservice/chat",
          R"({"metadata":{"annotations":{"ome.io/traffic-drain":"broken"}},
              "spec":{"routing":{"capacityFactors":{"worker-a":"1.0"}}}})");
    ASSERT_TRUE(until_both("False InvalidOwner, Unknown InvalidOwner"));
    EXPECT_EQ(weights(), "1 1");
    patch("inferenceservice/chat", R"({"metadata":{"annotations":{"ome.io/traffic-drain":null}}})");
    EXPECT_TRUE(until_both(published_now));
}

TEST_F(PublicationTable, InvalidOptions) {
    begin();
    patch("inferenceservice/chat",
          R"({"spec":{"routing":{"publisher":{"options":{"z":"1","a":"2"}}}}})");
    ASSERT_TRUE(until_both("False InvalidOptions, Unknown InvalidOptions"));
    EXPECT_THAT(
        problems(),
        HasSubstr("Gateway API publisher does not accept per-InferenceService options: a, z"));
    patch("inferenceservice/chat", R"({"spec":{"routing":null}})");
    EXPECT_TRUE(until_both(published_now));
}

TEST_F(PublicationTable, InvalidPlan) {
    begin();
    patch("inferenceservice/chat",
          R"({"metadata":{"annotations":{"ome.io/global-host":"10.0.0.1"}}})");
    ASSERT_TRUE(until_both("False InvalidPlan, Unknown InvalidPlan"));
    EXPECT_EQ(weights(), "1 1") << "the last plan goes on serving";
    patch("inferenceservice/chat", R"({"metadata":{"annotations":{"ome.io/global-host":null}}})");
    EXPECT_TRUE(until_both(published_now));
}

TEST_F(PublicationTable, LegacyLifecycleActiveUntilTheLastFinalizerIsGone) {
    apply(fmt::format(R"(apiVersion: ome.io/v1beta1
kind: InferenceService
metadata: {{name: old, namespace: {}, finalizers: [ome.io/placement-endpoint]}}
spec: {{}}
)",
                      ns));
    start();
    put_service();
    ASSERT_TRUE(until_both("False LegacyLifecycleActive, Unknown LegacyLifecycleActive"));
    EXPECT_TRUE(route().is_null());
    EXPECT_TRUE(member(map(), "/status/publisher").is_null()) << "nothing is claimed";
    patch("inferenceservice/old", R"({"metadata":{"finalizers":null}})");
    EXPECT_TRUE(until_both(published_now));
}

TEST_F(PublicationTable, DrainFailedWhileAnOldRouteIsSomebodyElses) {
    gateway.global_gateway = "global";
    begin();
    end();
    const CommandResult unlabelled =
        kube_servers().kubectl({"label", "httproute/chat-global", "-n", ns, "ome.io/managed-by-"});
    ASSERT_EQ(unlabelled.exit_code, 0) << unlabelled.output;
    gateway.route_namespace = make_namespace();
    start();
    ASSERT_TRUE(until_both("False DrainFailed, Unknown DrainFailed"));
    EXPECT_EQ(weights(), "1 1") << "what is foreign is not touched";
    const CommandResult labelled = kube_servers().kubectl(
        {"label", "httproute/chat-global", "-n", ns, "ome.io/managed-by=placement-endpoint"});
    ASSERT_EQ(labelled.exit_code, 0) << labelled.output;
    EXPECT_TRUE(until_both(published_now));
    EXPECT_EQ(weights(), "0 0") << "the old route is drained";
    remove("inferenceservice/chat");
    EXPECT_TRUE(until([this] { return map().is_null(); }));
}

// Refused by the server: a label value of a policy that somebody has put before the API.
TEST_F(PublicationTable, ApplyFailedWhileTheServerRefusesAWrite) {
    apply(fmt::format(R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: no-weights-{0}}}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - {{apiGroups: [gateway.networking.k8s.io], apiVersions: ["*"], operations: [UPDATE], resources: [httproutes]}}
  validations: [{{expression: "false", message: "frozen for the holidays"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: no-weights-{0}}}
spec:
  policyName: no-weights-{0}
  validationActions: [Deny]
  matchResources: {{namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {0}}}}}}}
)",
                      ns));
    begin();
    // The server takes a policy up when it gets to it.
    ASSERT_TRUE(eventually([&] {
        return kube_servers()
                   .kubectl({"annotate", "httproute/chat-global", "-n", ns, "try=1", "--overwrite"})
                   .output.find("frozen for the holidays") != std::string::npos;
    }));
    put_service(2, 1);
    ASSERT_TRUE(until_both("False ApplyFailed, Unknown ApplyFailed"));
    EXPECT_THAT(problems(), HasSubstr("frozen for the holidays"));
    EXPECT_EQ(weights(), "1 1");
    const CommandResult removed =
        kube_servers().kubectl({"delete", "validatingadmissionpolicybinding", "no-weights-" + ns});
    ASSERT_EQ(removed.exit_code, 0) << removed.output;
    EXPECT_TRUE(until([this] {
        advance(30s);
        return both() == published_now;
    }));
    EXPECT_EQ(weights(), "2 1");
}

TEST_F(PublicationTable, PublisherChangedLeavesEverythingAsItIs) {
    begin();
    end();
    patch_status("trafficmap/chat",
                 R"({"status":{"publisher":{"publisherName":"acme","claimedTargets":["x"]}}})");
    start();
    ASSERT_TRUE(until_both("False PublisherChanged, Unknown PublisherChanged"));
    EXPECT_EQ(weights(), "1 1");
    remove("inferenceservice/chat");
    ASSERT_TRUE(until([this] { return !member(map(), "/metadata/deletionTimestamp").is_null(); }));
    settle();
    EXPECT_EQ(both(), "False PublisherChanged, Unknown PublisherChanged")
        << "nothing is cleaned up that another publisher has claimed";
    EXPECT_EQ(weights(), "1 1");
    patch_status("trafficmap/chat",
                 fmt::format(R"({{"status":{{"publisher":{{"publisherName":"gatewayapi",
                     "claimedTargets":["v1:httproute:{}/chat-global"]}}}}}})",
                             ns));
    EXPECT_TRUE(until([this] { return map().is_null(); }));
    EXPECT_TRUE(route().is_null());
}

TEST_F(PublicationTable, FinalizingAndThenNothingIsPublished) {
    begin();
    patch("httproute/chat-global", R"({"metadata":{"finalizers":["example.com/hold"]}})");
    patch("trafficmap/chat",
          R"({"metadata":{"finalizers":["ome.io/trafficmap-publisher","example.com/hold"]}})");
    settle();
    remove("inferenceservice/chat");
    ASSERT_TRUE(until_both("False Finalizing, False Finalizing"));
    settle();
    EXPECT_EQ(both(), "False Finalizing, False Finalizing") << "the route is still there";
    patch("httproute/chat-global", R"({"metadata":{"finalizers":null}})");
    ASSERT_TRUE(until_both("False Unpublished, False Finalizing"));
    patch("trafficmap/chat", R"({"metadata":{"finalizers":null}})");
    EXPECT_TRUE(until([this] { return map().is_null(); }));
}

}  // namespace
}  // namespace ome::test
