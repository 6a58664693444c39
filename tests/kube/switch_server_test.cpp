// The way from OME's own routing and back (docs/switch-from-ome.md), with OME's service account
// played by kubectl.
#include "kube/run_on_kube.hpp"
#include "support/source_file.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

const std::string policy = source_file("deploy/examples/switch-from-ome/admission-policy.yaml");
constexpr const char* as_ome = "--as=system:serviceaccount:ome:ome-controller-manager";

class SwitchFromOme : public RunOnKube {
protected:
    void SetUp() override {
        RunOnKube::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        kubectl({"apply", "-f", "-"},
                R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",
                    "metadata":{"name":"ome"},
                    "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
                               "name":"cluster-admin"},
                    "subjects":[{"kind":"ServiceAccount","name":"ome-controller-manager",
                                 "namespace":"ome"}]})");
    }

    /// As OME's controller would; the exit code is looked at by who calls.
    CommandResult ome(const std::vector<std::string>& verb) const {
        std::vector<std::string> arguments = verb;
        arguments.insert(arguments.end(), {"-n", ns, as_ome});
        return kube_servers().kubectl(std::move(arguments));
    }

    CommandResult ome_annotates(const std::string& value) const {
        return ome({"annotate", "trafficmap", "chat", "by-ome=" + value, "--overwrite"});
    }

    /// `equal different missing surplus`
    static std::string counts(const ControllerProcess& dry) {
        const HttpReply reply = dry.get("/v1/diff");
        if (reply.status != 200) {
            return "no answer";
        }
        const json::value counted = json::parse(reply.body).at("counts");
        std::string text;
        for (const char* state : {"equal", "different", "missing", "surplus"}) {
            text += (text.empty() ? "" : " ") +
                    std::to_string(counted.at(state).to_number<std::int64_t>());
        }
        return text;
    }
};

TEST_F(SwitchFromOme, ADryRunComparesAndWritesNothing) {
    auto writer = start("writer");
    add_service("chat");
    ASSERT_TRUE(eventually_has("chat", "1 1")) << writer->output();
    ASSERT_TRUE(eventually([&] {
        const std::string reasons =
            field("trafficmap", "chat", "{.spec.entries[*].capacity.fallbackReason}");
        return reasons.find("no capacity report yet") == std::string::npos;
    })) << "what the homes say stays the same from here on";
    writer->process().signal(SIGTERM);
    EXPECT_EQ(writer->process().wait_for_exit(kube_patience), 0);
    const std::string lease = field("lease", "ome-trafficmap", "{.metadata.resourceVersion}");

    const auto dry = start("dry", {}, {"--dry-run"});
    EXPECT_TRUE(eventually([&] { return counts(*dry) == "1 0 0 0"; }))
        << counts(*dry) << dry->get("/v1/diff").body << dry->output();
    add_service("new");
    EXPECT_TRUE(eventually([&] { return counts(*dry) == "1 0 1 0"; })) << counts(*dry);
    patch("trafficmap", "chat", R"({"spec":{"mode":"Split"}})");
    EXPECT_TRUE(eventually([&] { return counts(*dry) == "0 1 1 0"; })) << counts(*dry);
    EXPECT_THAT(dry->get("/v1/diff").body, HasSubstr(R"("field":"spec.mode","live":"Split")"));
    kubectl({"delete", "inferenceservice", "new", "-n", ns});
    EXPECT_TRUE(eventually([&] { return counts(*dry) == "0 1 0 0"; })) << counts(*dry);
    EXPECT_EQ(dry->declared(), 1U) << "homes are observed";
    EXPECT_THAT(dry->get("/metrics").body, HasSubstr("\nome_trafficmap_leading 0\n"));
    EXPECT_THAT(dry->get("/metrics").body,
                HasSubstr("ome_trafficmap_dry_run_maps{state=\"different\"} 1\n"));

    EXPECT_EQ(field("trafficmap", "chat", "{.spec.mode}"), "Split");
    EXPECT_EQ(field("trafficmap", "new", "{.metadata.name}"), "");
    EXPECT_EQ(field("lease", "ome-trafficmap", "{.metadata.resourceVersion}"), lease);
    EXPECT_THAT(events(), testing::Not(HasSubstr("InferenceService new")));
}

TEST_F(SwitchFromOme, ThePolicyKeepsOmeFromMapsAndNobodyElse) {
    const auto ours = start("ours");
    add_service("chat");
    ASSERT_TRUE(eventually_has("chat", "1 1")) << ours->output();
    kubectl({"apply", "-f", policy});
    ASSERT_TRUE(eventually([&] { return ome_annotates("still").exit_code != 0; }));
    EXPECT_THAT(ome_annotates("still").output, HasSubstr("TrafficMaps are written by"));
    const std::string uid = field("trafficmap", "chat", "{.metadata.uid}");
    EXPECT_NE(ome({"delete", "trafficmap", "chat"}).exit_code, 0) << "it reaps when it is off";
    EXPECT_NE(ome({"patch",
                   "trafficmap",
                   "chat",
                   "--subresource=status",
                   "--type=merge",
                   "-p",
                   R"({"status":{"published":true}})"})
                  .exit_code,
              0);
    EXPECT_EQ(ome({"annotate", "inferenceservice", "chat", "by-ome=yes"}).exit_code, 0)
        << "what is OME's stays OME's";
    drain("chat", R"({"m":{"cluster":"worker-a","reason":"r"}})");
    EXPECT_TRUE(eventually_has("chat", "0 1")) << ours->output();
    EXPECT_EQ(field("trafficmap", "chat", "{.metadata.uid}"), uid);

    // The way back.
    kubectl({"delete", "-f", policy});
    EXPECT_TRUE(eventually([&] { return ome_annotates("again").exit_code == 0; }));
}

}  // namespace
}  // namespace ome::test
