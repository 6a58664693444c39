#include "integration/scratch.hpp"
#include <ome/kube/access.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace ome::kube {
namespace {

using test::Scratch;
using testing::HasSubstr;
using testing::Not;

constexpr const char* two_clusters = R"(
apiVersion: v1
kind: Config
current-context: prod
clusters:
  - name: prod
    cluster: {server: "https://api.example.com:6443/k8s/", certificate-authority: pki/ca.crt, tls-server-name: inner}
  - name: lab
    cluster: {server: "https://10.0.0.1", insecure-skip-tls-verify: true}
users:
  - name: me
    user: {tokenFile: secrets/token}
  - name: cert
    user: {client-certificate-data: Y2VydA==, client-key-data: a2V5}
contexts:
  - name: prod
    context: {cluster: prod, user: me, namespace: team}
  - name: lab
    context: {cluster: lab, user: cert}
)";

Environment environment(std::map<std::string, std::string> variables) {
    return
        [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        };
}

std::string problem_with(const std::string& kubeconfig, const std::string& context = "") {
    const Scratch scratch;
    const auto access = kubeconfig_access({scratch.write("config", kubeconfig)}, context);
    return access ? "" : access.error().message;
}

TEST(Access, TakesTheCurrentContext) {
    const Scratch scratch;
    const std::string file = scratch.write("config", two_clusters);
    const auto access = kubeconfig_access({file}, "");
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->server.text, "https://api.example.com:6443");
    EXPECT_EQ(access->server.tls_name, "inner");
    EXPECT_EQ(access->base_path, "/k8s");
    EXPECT_EQ(access->ns, "team");
    EXPECT_EQ(access->authority_file, scratch.path("pki/ca.crt"));
    EXPECT_EQ(access->user.token_file, scratch.path("secrets/token"));
    EXPECT_TRUE(access->warnings.empty());
    EXPECT_THAT(access->origin, HasSubstr("context \"prod\""));
}

TEST(Access, TakesTheContextThatWasChosenAndWarnsOfNoVerification) {
    const Scratch scratch;
    const auto access = kubeconfig_access({scratch.write("config", two_clusters)}, "lab");
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->server.text, "https://10.0.0.1:443");
    EXPECT_EQ(access->ns, "default");
    EXPECT_TRUE(access->insecure);
    EXPECT_EQ(access->user.certificate, "cert");
    EXPECT_EQ(access->user.key, "key");
    ASSERT_EQ(access->warnings.size(), 1U);
    EXPECT_THAT(access->warnings[0], HasSubstr("insecure-skip-tls-verify"));
}

TEST(Access, MergesFilesAndTheFirstToNameAThingCounts) {
    const Scratch scratch;
    const std::string first = scratch.write("first", R"(
contexts:
  - {name: lab, context: {cluster: lab, user: cert, namespace: mine}}
current-context: lab
)");
    const std::string second = scratch.write("second", two_clusters);
    const auto access = find_access(
        {}, environment({{"KUBECONFIG", first + ":" + scratch.path("none") + ":" + second}}));
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->ns, "mine");
    EXPECT_EQ(access->server.text, "https://10.0.0.1:443");
}

TEST(Access, AFlagWinsOverTheEnvironment) {
    const Scratch scratch;
    const std::string file = scratch.write("config", two_clusters);
    const auto access = find_access({.kubeconfig = file, .context = "lab"},
                                    environment({{"KUBECONFIG", "/nowhere"}}));
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_TRUE(access->insecure);
}

TEST(Access, IsThatOfAPodWithoutAKubeconfig) {
    const Scratch scratch;
    scratch.write("namespace", "ome-observer");
    const auto variables =
        environment({{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}});
    const auto access = in_cluster_access(variables, scratch.path(""));
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->server.host, "fd00::1");
    EXPECT_TRUE(access->server.https);
    EXPECT_EQ(access->ns, "ome-observer");
    EXPECT_THAT(access->user.token_file, HasSubstr("/token"));
    EXPECT_THAT(access->authority_file, HasSubstr("/ca.crt"));
}

TEST(Access, ThePodsNamespaceMayComeFromTheEnvironment) {
    const Scratch scratch;
    const auto variables = environment({{"KUBERNETES_SERVICE_HOST", "fd00::1"},
                                        {"KUBERNETES_SERVICE_PORT", "443"},
                                        {"POD_NAMESPACE", "told"}});
    EXPECT_EQ(in_cluster_access(variables, scratch.path(""))->ns, "told");
    scratch.write("namespace", "of-the-token");
    EXPECT_EQ(in_cluster_access(variables, scratch.path(""))->ns, "of-the-token");
}

TEST(Access, NamesWhatIsMissing) {
    EXPECT_THAT(problem_with(two_clusters, "prdo"),
                HasSubstr("there is no context \"prdo\": it has \"prod\", \"lab\""));
    EXPECT_THAT(problem_with("contexts: [{name: a, context: {cluster: x, user: y}}]", "a"),
                HasSubstr("context \"a\" names the cluster \"x\", and there is none"));
    EXPECT_THAT(problem_with("{}"), HasSubstr("current-context is not set"));
    EXPECT_THAT(problem_with("clusters: 5"), HasSubstr("clusters"));
    EXPECT_THAT(find_access({}, environment({{"HOME", "/nowhere"}})).error().message,
                HasSubstr("/nowhere/.kube/config"));
}

TEST(Access, SaysWhatItCannotUse) {
    const std::string frame = R"(
current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://x:1"%s}}]
users: [{name: u, user: {%s}}]
)";
    const auto with = [&](const std::string& cluster, const std::string& user) {
        std::string text = frame;
        text.replace(text.find("%s"), 2, cluster);
        text.replace(text.find("%s"), 2, user);
        return problem_with(text);
    };
    EXPECT_EQ(with("", "token: t"), "");
    EXPECT_THAT(with(", proxy-url: \"http://p\"", ""), HasSubstr("proxy-url"));
    EXPECT_THAT(with("", "username: u, password: secret"), HasSubstr("username"));
    EXPECT_THAT(with("", "username: u, password: secret"), Not(HasSubstr("secret")));
    EXPECT_THAT(with("", "client-certificate-data: Y2VydA=="), HasSubstr("client-key"));
    EXPECT_THAT(with("", "client-key-data: '*'"), HasSubstr("client-key-data must be base64"));
    EXPECT_THAT(with("", "exec: {command: x, interactiveMode: Always}"), HasSubstr("terminal"));
}

TEST(Access, KnowsAServerByItsUrl) {
    EXPECT_EQ(parse_server("https://a")->url.port, 443);
    EXPECT_EQ(parse_server("http://a/")->url.port, 80);
    EXPECT_EQ(parse_server("https://[::1]")->url.host, "::1");
    EXPECT_EQ(parse_server("https://[::1]:6443/x/y/")->base_path, "/x/y");
    for (const char* text : {"", "a:1", "ftp://a", "https://", "https://a:b", "https://a/?x"}) {
        EXPECT_FALSE(parse_server(text)) << text;
    }
}

}  // namespace
}  // namespace ome::kube
