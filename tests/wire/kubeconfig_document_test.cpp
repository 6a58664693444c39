#include <ome/wire/kubeconfig_document.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Kubeconfig, IsReadWhole) {
    const auto config = read_kubeconfig(R"(
apiVersion: v1
kind: Config
preferences: {}
current-context: c
clusters:
- cluster:
    certificate-authority-data: UEVN
    server: https://h:1
  name: k
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: plugin
      args: [get, token]
      env: [{name: REGION, value: x}]
      provideClusterInfo: true
      installHint: install it
contexts:
- context: {cluster: k, user: u, namespace: n}
  name: c
)");
    ASSERT_TRUE(config) << config.error().message;
    ASSERT_EQ(config->clusters.size(), 1U);
    EXPECT_EQ(config->clusters[0].authority, "PEM");
    ASSERT_EQ(config->users.size(), 1U);
    ASSERT_TRUE(config->users[0].exec);
    const KubeconfigExec& exec = *config->users[0].exec;
    EXPECT_EQ(exec.command, "plugin");
    EXPECT_EQ(exec.args, (std::vector<std::string>{"get", "token"}));
    EXPECT_EQ(exec.env.at(0).first, "REGION");
    EXPECT_TRUE(exec.provide_cluster_info);
    ASSERT_EQ(config->contexts.size(), 1U);
    EXPECT_EQ(config->contexts[0].ns, "n");
}

TEST(Kubeconfig, OfNothingIsEmpty) {
    const auto config = read_kubeconfig("");
    ASSERT_TRUE(config);
    EXPECT_TRUE(config->contexts.empty());
}

TEST(Kubeconfig, NamesAMemberAndNotItsValue) {
    const auto config = read_kubeconfig("users: [{name: u, user: {client-key-data: 's3cret*'}}]");
    ASSERT_FALSE(config);
    EXPECT_THAT(config.error().message, HasSubstr("client-key-data must be base64"));
    EXPECT_THAT(config.error().message, Not(HasSubstr("s3cret")));
}

TEST(Kubeconfig, MergedKeepsTheFirstOfEachName) {
    Kubeconfig first;
    first.clusters.push_back({.name = "a", .server = "1"});
    Kubeconfig second;
    second.current_context = "x";
    second.clusters.push_back({.name = "a", .server = "2"});
    second.clusters.push_back({.name = "b", .server = "3"});
    merge(first, second);
    EXPECT_EQ(first.current_context, "x");
    ASSERT_EQ(first.clusters.size(), 2U);
    EXPECT_EQ(first.clusters[0].server, "1");
    EXPECT_EQ(first.clusters[1].name, "b");
}

TEST(ExecCredential, IsAToken) {
    const auto credential = read_exec_credential(
        R"({"kind":"ExecCredential","status":{"token":"t","expirationTimestamp":"2026-01-01T00:00:00Z"}})");
    ASSERT_TRUE(credential) << credential.error().message;
    EXPECT_EQ(credential->token, "t");
    EXPECT_EQ(credential->expires, "2026-01-01T00:00:00Z");
}

TEST(ExecCredential, IsNothingElse) {
    for (const char* text : {"",
                             "no",
                             "{}",
                             R"({"status":{}})",
                             R"({"status":{"token":5}})",
                             R"({"status":{"clientCertificateData":"x"}})"}) {
        EXPECT_FALSE(read_exec_credential(text)) << text;
    }
}

TEST(ExecInfo, TellsThePluginWhatItMayKnow) {
    const auto quiet = boost::json::parse(exec_info_text("v", "", ""));
    EXPECT_EQ(quiet.at("spec"), boost::json::parse(R"({"interactive":false})"));
    const auto told = boost::json::parse(exec_info_text("v", "https://h:1", "PEM"));
    EXPECT_EQ(told.at_pointer("/spec/cluster/server").as_string(), "https://h:1");
    EXPECT_EQ(told.at_pointer("/spec/cluster/certificate-authority-data").as_string(), "UEVN");
}

}  // namespace
}  // namespace ome::wire
