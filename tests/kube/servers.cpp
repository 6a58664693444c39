#include "kube/servers.hpp"

#include "support/http_call.hpp"
#include "support/scripted_server.hpp"
#include "support/source_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

namespace ome::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* program_names[] = {
    "etcd", "kube-apiserver", "kube-controller-manager", "kubectl"};

struct User {
    std::string token;
    std::string name;
    std::string groups;
};

// The tokens are of these servers alone, which live as long as the test.
const std::map<std::string, User>& users() {
    static const std::map<std::string, User> known{
        {"admin", {"token-of-admin", "admin", "system:masters"}},
        {"stranger", {"token-of-a-stranger", "stranger", ""}},
        {"controller",
         {"token-of-the-controller",
          "system:serviceaccount:ome-observer:ome-trafficmap",
          "system:serviceaccounts"}},
    };
    return known;
}

bool has_programs(const std::string& folder) {
    return std::all_of(std::begin(program_names), std::end(program_names), [&](const char* name) {
        return ::access((folder + "/" + name).c_str(), X_OK) == 0;
    });
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string end_of_log(const std::string& path) {
    constexpr std::size_t shown = 6000;
    std::string text = read_file(path);
    return text.size() > shown ? text.substr(text.size() - shown) : text;
}

}  // namespace

std::string kube_programs() {
    if (const std::string assets = variable("KUBEBUILDER_ASSETS"); !assets.empty()) {
        return has_programs(assets) ? assets : std::string();
    }
    const std::string cache = variable("XDG_CACHE_HOME");
    const std::string folder = (cache.empty() ? variable("HOME") + "/.cache" : cache) +
                               "/ome-observer/kube/" OME_KUBE_VERSION;
    return has_programs(folder) ? folder : std::string();
}

std::string KubeServers::token_of(const std::string& user) {
    return users().at(user).token;
}

std::string KubeServers::authority_file() const {
    return scratch_.path("ca.crt");
}

std::string KubeServers::audit_log() const {
    return scratch_.path("audit.log");
}

KubeServers::KubeServers() : programs_(kube_programs()), authority_("kube test authority") {
    etcd_port_ = refused_port();
    etcd_peer_port_ = refused_port();
    api_port_ = refused_port();
    write_files();
    start_etcd();
    start_api_server();
    if (ready_) {
        start_controllers();
    }
}

// The controllers first: they complain while the others go.
KubeServers::~KubeServers() {
    controllers_.process.reset();
    spare_.process.reset();
    api_.process.reset();
    etcd_.process.reset();
}

void KubeServers::write_files() {
    const Identity serving = authority_.leaf({.names = "DNS:localhost,IP:127.0.0.1"});
    const Identity signer = authority_.leaf({.names = "", .common_name = "service accounts"});
    scratch_.write("ca.crt", certificate_pem(authority_.identity()));
    scratch_.write("serving.crt", certificate_pem(serving));
    scratch_.write("serving.key", key_pem(serving));
    scratch_.write("accounts.crt", certificate_pem(signer));
    scratch_.write("accounts.key", key_pem(signer));
    scratch_.write("audit.yaml",
                   "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\n"
                   "rules:\n  - {level: Metadata, users: ['" +
                       users().at("controller").name + "']}\n  - {level: None}\n");
    std::string tokens;
    for (const auto& [id, user] : users()) {
        tokens += fmt::format("{},{},{},\"{}\"\n", user.token, user.name, id, user.groups);
        scratch_.write(id + ".kubeconfig", kubeconfig_for(id, api_port_));
    }
    scratch_.write("tokens.csv", tokens);
}

std::string KubeServers::kubeconfig_for(const std::string& user, std::uint16_t port) const {
    return fmt::format(R"(apiVersion: v1
kind: Config
current-context: {0}
clusters:
  - name: test
    cluster:
      server: https://127.0.0.1:{1}
      certificate-authority: {2}
users:
  - name: {0}
    user:
      token: {3}
contexts:
  - name: {0}
    context: {{cluster: test, user: {0}}}
)",
                       user,
                       port,
                       scratch_.path("ca.crt"),
                       token_of(user));
}

std::string KubeServers::kubeconfig(const std::string& user) const {
    return scratch_.path(user + ".kubeconfig");
}

kube::Access KubeServers::access(const std::string& user) const {
    return kube::kubeconfig_access({kubeconfig(user)}, "").value();
}

void KubeServers::start(Server& server,
                        const std::string& program,
                        const std::vector<std::string>& arguments) {
    // Into a file: nobody reads a pipe all the time. They end with us, however that happens.
    server.log = scratch_.path(program + ".log");
    std::vector<std::string> command{"/bin/sh",
                                     "-c",
                                     R"(log=$0; exec setpriv --pdeathsig=KILL "$@" >>"$log" 2>&1)",
                                     server.log,
                                     programs_ + "/" + program};
    command.insert(command.end(), arguments.begin(), arguments.end());
    server.process = std::make_unique<Process>(std::move(command));
}

void KubeServers::start_etcd() {
    const std::string client = fmt::format("http://127.0.0.1:{}", etcd_port_);
    const std::string peer = fmt::format("http://127.0.0.1:{}", etcd_peer_port_);
    start(etcd_,
          "etcd",
          {"--data-dir=" + scratch_.path("etcd"),
           "--name=test",
           "--listen-client-urls=" + client,
           "--advertise-client-urls=" + client,
           "--listen-peer-urls=" + peer,
           "--initial-advertise-peer-urls=" + peer,
           "--initial-cluster=test=" + peer,
           "--unsafe-no-fsync",
           "--log-level=warn"});
}

void KubeServers::start_api_server() {
    start_api_server_on(api_port_);
}

std::vector<std::string> KubeServers::api_arguments(std::uint16_t port) const {
    return {fmt::format("--etcd-servers=http://127.0.0.1:{}", etcd_port_),
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            fmt::format("--secure-port={}", port),
            "--tls-cert-file=" + scratch_.path("serving.crt"),
            "--tls-private-key-file=" + scratch_.path("serving.key"),
            "--client-ca-file=" + scratch_.path("ca.crt"),
            "--token-auth-file=" + scratch_.path("tokens.csv"),
            "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-account-key-file=" + scratch_.path("accounts.crt"),
            "--service-account-signing-key-file=" + scratch_.path("accounts.key"),
            "--disable-admission-plugins=ServiceAccount",
            "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
            "--endpoint-reconciler-type=none",
            "--audit-policy-file=" + scratch_.path("audit.yaml"),
            "--audit-log-path=" + audit_log(),
            "--etcd-compaction-interval=0",
            "--shutdown-delay-duration=0s"};
}

void KubeServers::start_api_server_on(std::uint16_t port) {
    start(api_, "kube-apiserver", api_arguments(port));
    const std::string config =
        scratch_.write(fmt::format("ready-{}.kubeconfig", port), kubeconfig_for("admin", port));
    ready_ = wait_until_ready(api_, config);
}

bool KubeServers::start_spare_api_server(std::uint16_t port) {
    start(spare_, "kube-apiserver", api_arguments(port));
    const std::string config =
        scratch_.write(fmt::format("ready-{}.kubeconfig", port), kubeconfig_for("admin", port));
    return wait_until_ready(spare_, config);
}

void KubeServers::start_controllers() {
    start(controllers_,
          "kube-controller-manager",
          {"--kubeconfig=" + kubeconfig(),
           "--authentication-kubeconfig=" + kubeconfig(),
           "--authorization-kubeconfig=" + kubeconfig(),
           "--controllers=garbage-collector-controller,namespace-controller",
           "--leader-elect=false",
           "--bind-address=127.0.0.1",
           "--secure-port=0"});
}

bool KubeServers::wait_until_ready(Server& server, const std::string& kubeconfig_file) {
    const std::vector<std::string> ask{programs_ + "/kubectl",
                                       "--kubeconfig=" + kubeconfig_file,
                                       "--request-timeout=10s",
                                       "get",
                                       "--raw=/readyz"};
    bool ended = false;
    const bool ready = eventually([&] {
        ended = server.process->wait_for_exit(std::chrono::milliseconds(1)).has_value();
        if (ended) {
            return true;
        }
        Process kubectl(ask);
        return kubectl.wait_for_exit(std::chrono::seconds(30)) == 0;
    });
    if (!ready || ended) {
        ADD_FAILURE() << "kube-apiserver " << (ended ? "ended" : "did not become ready") << ":\n"
                      << end_of_log(server.log) << "\netcd:\n"
                      << end_of_log(etcd_.log);
    }
    return ready && !ended;
}

void KubeServers::stop_api_server() {
    // It would wait a minute for watches that nobody ends.
    api_.process->signal(SIGTERM);
    if (!api_.process->wait_for_exit(std::chrono::seconds(2))) {
        api_.process->signal(SIGKILL);
        static_cast<void>(api_.process->wait_for_exit());
    }
}

void KubeServers::restart_api_server() {
    stop_api_server();
    start_api_server();
}

void KubeServers::pause_api_server() const {
    api_.process->signal(SIGSTOP);
}

void KubeServers::resume_api_server() const {
    api_.process->signal(SIGCONT);
}

void KubeServers::restart_controllers() {
    controllers_.process.reset();
    start_controllers();
}

void KubeServers::restart_etcd() {
    etcd_.process->signal(SIGKILL);
    static_cast<void>(etcd_.process->wait_for_exit());
    start_etcd();
}

void KubeServers::compact_etcd() const {
    // etcd speaks JSON besides gRPC: the present revision first, then what is before it goes.
    const HttpReply now =
        http_call(etcd_port_, "POST", "/v3/kv/range", R"({"key":"AA=="})", kube_patience);
    const std::size_t at = now.body.find("\"revision\":\"");
    ASSERT_NE(at, std::string::npos) << now.body;
    const std::size_t begin = at + std::string_view("\"revision\":\"").size();
    const std::string revision = now.body.substr(begin, now.body.find('"', begin) - begin);
    const HttpReply done =
        http_call(etcd_port_,
                  "POST",
                  "/v3/kv/compaction",
                  fmt::format(R"({{"revision":"{}","physical":true}})", revision),
                  kube_patience);
    EXPECT_EQ(done.status, 200) << done.body;
}

CommandResult KubeServers::kubectl(std::vector<std::string> arguments,
                                   std::string_view input) const {
    static int count = 0;
    const std::string file = scratch_.write(fmt::format("input-{}", ++count), input);
    std::vector<std::string> command{"/bin/sh",
                                     "-c",
                                     R"(input=$0; exec "$@" <"$input")",
                                     file,
                                     programs_ + "/kubectl",
                                     "--kubeconfig=" + kubeconfig()};
    std::move(arguments.begin(), arguments.end(), std::back_inserter(command));
    const auto until = std::chrono::steady_clock::now() + kube_patience;
    for (;;) {
        Process process(command);
        const auto code = process.wait_for_exit(kube_patience);
        CommandResult result{code.value_or(-1), process.output()};
        // `kubectl wait` does not wait for a type that was made so lately that it has no
        // conditions.
        if (result.exit_code == 0 || std::chrono::steady_clock::now() > until ||
            result.output.find("conditions accessor error: <nil>") == std::string::npos) {
            return result;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

KubeServers& kube_servers() {
    static KubeServers servers;
    return servers;
}

void KubeServerTest::SetUp() {
    const std::string wish = variable("OME_KUBE");
    if (wish == "off") {
        GTEST_SKIP() << "left out: OME_KUBE=off";
    }
    if (kube_programs().empty()) {
        const std::string why =
            "no Kubernetes servers: run tools/kube-tools, or set "
            "KUBEBUILDER_ASSETS";
        if (wish == "required") {
            FAIL() << why;
        }
        GTEST_SKIP() << why;
    }
    ASSERT_TRUE(kube_servers().ready()) << "the servers did not start";
    static bool installed = false;
    if (!installed) {
        const CommandResult applied =
            kube_servers().kubectl({"apply", "-f", source_file("deploy/crds")});
        ASSERT_EQ(applied.exit_code, 0) << applied.output;
        const CommandResult established = kube_servers().kubectl({"wait",
                                                                  "--for=condition=Established",
                                                                  "--timeout=120s",
                                                                  "crd/trafficmaps.ome.io",
                                                                  "crd/inferenceservices.ome.io"});
        ASSERT_EQ(established.exit_code, 0) << established.output;
        installed = true;
    }
}

std::string KubeServerTest::make_namespace() {
    static int count = 0;
    const std::string name = fmt::format("test-{}", ++count);
    const CommandResult made = kube_servers().kubectl({"create", "namespace", name});
    EXPECT_EQ(made.exit_code, 0) << made.output;
    namespaces_.push_back(name);
    return name;
}

void KubeServerTest::TearDown() {
    for (const std::string& name : namespaces_) {
        static_cast<void>(kube_servers().kubectl({"delete", "namespace", name, "--wait=false"}));
    }
}

}  // namespace ome::test
