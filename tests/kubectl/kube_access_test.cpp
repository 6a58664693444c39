#include "kube_access.hpp"

#include "integration/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace ome::kubectl {
namespace {

using ome::test::Scratch;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kubeconfig = R"(
current-context: hub
clusters:
  - name: hub
    cluster: {server: "https://hub.example.com:6443", certificate-authority: pki/ca.crt, tls-server-name: inner}
  - name: lab
    cluster: {server: "https://10.0.0.1"}
users:
  - name: me
    user: {tokenFile: token}
  - name: robot
    user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: login}}
contexts:
  - name: hub
    context: {cluster: hub, user: me, namespace: team}
  - name: lab
    context: {cluster: lab, user: robot}
)";

class KubeAccessTest : public testing::Test {
protected:
    core::Result<kube::Access> find() {
        return find_kube_access(
            flags,
            [this](const std::string& name) -> std::optional<std::string> {
                const auto found = variables.find(name);
                return found == variables.end() ? std::nullopt : std::optional(found->second);
            },
            scratch.path("pod"));
    }

    Scratch scratch;
    std::string file = scratch.write("config", kubeconfig);
    Connection flags;
    std::map<std::string, std::string> variables{{"HOME", "/nowhere"}};
};

TEST_F(KubeAccessTest, TakesTheCurrentContextOfTheChosenFile) {
    flags.kubeconfig = file;
    variables["KUBECONFIG"] = "/another";
    variables["KUBERNETES_SERVICE_HOST"] = "10.1.1.1";
    const auto access = find();
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->server.text, "https://hub.example.com:6443");
    EXPECT_EQ(access->context, "hub");
    EXPECT_EQ(access->ns, "team");
    EXPECT_EQ(access->user.token_file, scratch.path("token"));
}

TEST_F(KubeAccessTest, OfAListWhatIsThereCountsTheFirstFirst) {
    variables["KUBECONFIG"] =
        scratch.path("none") + ":" + scratch.write("mine", "current-context: lab") + ":" + file;
    const auto access = find();
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->context, "lab");
    EXPECT_EQ(access->ns, "default");
    flags.context = "hub";
    EXPECT_EQ(find()->ns, "team");
}

TEST_F(KubeAccessTest, ClusterAndUserMayBeOfAnotherContext) {
    flags.kubeconfig = file;
    flags.cluster = "lab";
    flags.user = "robot";
    const auto access = find();
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->server.text, "https://10.0.0.1:443");
    EXPECT_EQ(access->user.name, "robot");
    EXPECT_EQ(access->context, "hub");
    EXPECT_EQ(access->ns, "team");
    flags.cluster = "lba";
    EXPECT_THAT(find().error().message, HasSubstr("--cluster \"lba\" must be one of the clusters"));
    flags.cluster.clear();
    flags.user = "nobody";
    EXPECT_THAT(find().error().message, HasSubstr("--user \"nobody\" must be one of the users"));
}

TEST_F(KubeAccessTest, FlagsWinOverWhatTheFileSays) {
    flags.kubeconfig = file;
    flags.server = "https://127.0.0.1:7443";
    flags.token = "s3cret";
    flags.certificate_authority = "roots.pem";
    const auto access = find();
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->server.text, "https://127.0.0.1:7443");
    EXPECT_EQ(access->server.tls_name, "") << "that was of the other server";
    EXPECT_EQ(access->user.token, "s3cret");
    EXPECT_EQ(access->user.token_file, "");
    EXPECT_EQ(access->authority_file, "roots.pem");
    EXPECT_FALSE(access->insecure);
    flags.tls_server_name = "outer";
    flags.client_certificate = "me.crt";
    EXPECT_THAT(find().error().message, HasSubstr("client-certificate and client-key"));
    flags.client_key = "me.key";
    EXPECT_EQ(find()->server.tls_name, "outer");
    EXPECT_EQ(find()->user.certificate_file, "me.crt");
    EXPECT_EQ(find()->user.key_file, "me.key");
    flags.certificate_authority.clear();
    flags.insecure_skip_tls_verify = true;
    EXPECT_TRUE(find()->insecure);
    EXPECT_EQ(find()->authority_file, "");
    flags.context = "lab";
    EXPECT_FALSE(find()->user.exec) << "a token is all it takes";
}

TEST_F(KubeAccessTest, AServerNeedsNoKubeconfig) {
    flags.server = "http://127.0.0.1:8001";
    const auto access = find();
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->server.port, 8001);
    EXPECT_EQ(access->context, "");
    EXPECT_EQ(access->ns, "default");
    flags.token = "s3cret";
    EXPECT_EQ(find()->user.token, "s3cret");
    flags.server = "127.0.0.1:8001";
    EXPECT_THAT(find().error().message, HasSubstr("must be https://HOST[:PORT][/path]"));
    EXPECT_THAT(find().error().message, Not(HasSubstr("s3cret")));
    flags.server = "https://me:s3cret@127.0.0.1:8001";
    EXPECT_THAT(find().error().message, HasSubstr("server \"https://***@127.0.0.1:8001\" must be"));
}

TEST_F(KubeAccessTest, WithoutAKubeconfigAPodIsItself) {
    variables["KUBERNETES_SERVICE_HOST"] = "10.1.1.1";
    variables["KUBERNETES_SERVICE_PORT"] = "443";
    variables["POD_NAMESPACE"] = "tools";
    auto access = find();
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->server.text, "https://10.1.1.1:443");
    EXPECT_EQ(access->ns, "tools");
    EXPECT_EQ(access->context, "");
    EXPECT_THAT(access->user.token_file, HasSubstr("pod/token"));
    flags.token = "other";
    EXPECT_EQ(find()->user.token_file, "");
    variables["KUBECONFIG"] = file;
    EXPECT_EQ(find()->context, "hub") << "as with kubectl, a kubeconfig counts first";
}

TEST_F(KubeAccessTest, SaysWhereItLooked) {
    EXPECT_THAT(find().error().message, HasSubstr("/nowhere/.kube/config"));
    flags.context = "hub";
    EXPECT_THAT(find().error().message, HasSubstr("there is no context \"hub\""));
    flags.kubeconfig = scratch.path("none");
    EXPECT_THAT(find().error().message, HasSubstr(scratch.path("none")));
}

}  // namespace
}  // namespace ome::kubectl
