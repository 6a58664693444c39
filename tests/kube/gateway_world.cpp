#include "kube/gateway_world.hpp"

#include "support/own_network.hpp"
#include "support/run.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace ome::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;

// Addresses for documentation, which nobody has.
constexpr const char* address_a = "203.0.113.10";
constexpr const char* address_b = "203.0.113.20";
constexpr std::uint16_t home_port = 8080;
constexpr std::uint16_t control_port = 8081;
constexpr std::uint16_t gateway_port = 8000;
constexpr const char* chat_path = "/h/chat/capacity";

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

std::string cache_folder() {
    const std::string cache = variable("XDG_CACHE_HOME");
    return cache.empty() ? variable("HOME") + "/.cache" : cache;
}

// Where tools/kube-tools --gateway puts it; empty: nowhere.
std::string traefik_program() {
    const std::string path =
        cache_folder() + "/ome-observer/gateway/" OME_TRAEFIK_VERSION "/traefik";
    return ::access(path.c_str(), X_OK) == 0 ? path : std::string();
}

// The types as their project publishes them, which tools/kube-tools has downloaded; empty: nowhere.
std::string gateway_types() {
    const std::string path = variable("GOPATH");
    const std::string cache = variable("GOMODCACHE");
    const std::string folder =
        (cache.empty() ? (path.empty() ? variable("HOME") + "/go" : path) + "/pkg/mod" : cache) +
        "/sigs.k8s.io/gateway-api@" OME_GATEWAY_API_VERSION "/config/crd/standard";
    return fs::is_directory(folder) ? folder : std::string();
}

std::string program(const char* name) {
    const std::string path = variable(name);
    return path.empty() ? fmt::format("{} is not set", name) : path;
}

json::value member(const json::value& of, std::string_view pointer) {
    boost::system::error_code error;
    const json::value* found = of.find_pointer(pointer, error);
    return found == nullptr ? json::value() : *found;
}

/// Traefik itself: one for the test program.
class Traefik {
public:
    Traefik()
        : log_(scratch_.path("traefik.log")),
          process_({"/bin/sh",
                    "-c",
                    R"(export KUBECONFIG="$0"; log=$1; shift
                       exec setpriv --pdeathsig=KILL "$@" >>"$log" 2>&1)",
                    kube_servers().kubeconfig(),
                    log_,
                    traefik_program(),
                    "--providers.kubernetesgateway=true",
                    "--providers.providersthrottleduration=100ms",
                    fmt::format("--entrypoints.web.address=:{}", gateway_port),
                    "--ping=true",
                    "--ping.entrypoint=web",
                    "--global.checknewversion=false",
                    "--global.sendanonymoususage=false",
                    "--log.level=INFO"}) {}

    [[nodiscard]] std::string log() const {
        std::ifstream in(log_);
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
    Scratch scratch_;
    std::string log_;
    Process process_;
};

std::unique_ptr<Traefik>& traefik() {
    static std::unique_ptr<Traefik> one;
    return one;
}

// Gateways only look for what is ready: probes are slow enough for a machine that does much else.
std::string configuration(const std::string& service_type) {
    const std::string slices =
        service_type == "Headless"
            ? R"(, "endpointSlices": {"enabled": true, "addressRefreshInterval": "30s"})"
            : "";
    return fmt::format(R"({{"routing": {{"enabled": true,
 "observer": {{"maxConcurrentReconciles": 8, "maxConcurrentRequests": 16,
              "maxResponseBytes": 65536, "minPeriod": "1s", "maxSamples": 100}},
 "probe": {{"path": "/v1/models", "method": "GET", "acceptStatuses": [200], "gateStatuses": [503],
           "period": "2s", "timeout": "1900ms", "failureThreshold": 2, "successThreshold": 1,
           "allFailedPolicy": "Drain"}},
 "publisher": {{"resyncInterval": "1m"}}}},
 "endpoint": {{"globalGateway": "gateway-system/global", "backendPort": {},
              "globalHostTemplate": "{{{{ .Name }}}}.{{{{ .Namespace }}}}.global.example.com",
              "gatewayBackend": {{"serviceType": "{}"{}}}}}}})",
                       home_port,
                       service_type,
                       slices);
}

}  // namespace

GatewayHome::GatewayHome(std::string address, int name)
    : address_(std::move(address)),
      process_({program("OME_HOMESIM"),
                "--home=chat",
                "--address=" + address_,
                fmt::format("--port={}", home_port),
                fmt::format("--control={}", control_port)}) {
    EXPECT_TRUE(process_.wait_for_line("ready homes=")) << process_.output();
    set(fmt::format(R"({{"poll":{{"report":{}}}}})", name));
}

HttpPeer GatewayHome::control() const {
    return {.port = control_port, .address = address_};
}

void GatewayHome::set(const std::string& behaviour) const {
    const HttpReply reply = http_call(control(), "POST", "/homes/chat", behaviour);
    EXPECT_EQ(reply.status, 200) << reply.body;
}

std::int64_t GatewayHome::served() const {
    const json::value stats = json::parse(http_call(control(), "GET", "/stats").body);
    return stats.at_pointer("/poll/requests").to_number<std::int64_t>();
}

int Answers::all() const {
    int sum = a + b;
    for (const auto& [status, count] : others) {
        sum += count;
    }
    return sum;
}

void GatewayTest::TearDownTestSuite() {
    traefik().reset();
}

void GatewayTest::SetUp() {
    const bool required = variable("OME_GATEWAY") == "required";
    for (const auto& [missing, why] :
         {std::pair(traefik_program().empty(), "no Traefik: run tools/kube-tools --gateway"),
          std::pair(gateway_types().empty(),
                    "no types of the Gateway API: run tools/kube-tools")}) {
        if (missing && required) {
            FAIL() << why;
        } else if (missing) {
            GTEST_SKIP() << why;
        }
    }
    static const std::optional<std::string> problem = enter_own_network({address_a, address_b});
    if (problem) {
        GTEST_SKIP() << "not permitted: " << *problem;
    }
    RunOnKube::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    client_ = std::make_unique<kube::Client>(own_, kube_servers().access());
    prepare_gateway();
    dns_ = std::make_unique<ScriptedDns>([](const std::string& name, bool v6) {
        const bool is_a = name.find("worker-a") != std::string::npos;
        return v6 ? DnsReply{} : DnsReply{.addresses = {is_a ? address_a : address_b}};
    });
    home_a = std::make_unique<GatewayHome>(address_a, 1);
    home_b = std::make_unique<GatewayHome>(address_b, 2);
    add_workload_clusters();
}

void GatewayTest::TearDown() {
    if (HasFailure() && traefik() != nullptr) {
        ADD_FAILURE() << traefik()->log() << "\n"
                      << (controller == nullptr ? "" : controller->output()) << "\n"
                      << field("httproute", "chat-global", "{}");
    }
    controller.reset();
    RunOnKube::TearDown();
}

// The types, and the Gateway through which all tests go.
void GatewayTest::prepare_gateway() {
    if (traefik() != nullptr) {
        return;
    }
    // They are too large for the annotation of a plain apply.
    kubectl({"apply", "--server-side", "-f", gateway_types()});
    kubectl({"wait", "--for=condition=Established", "--timeout=120s", "crd", "--all"});
    kubectl({"apply", "-f", "-"},
            fmt::format(R"(apiVersion: v1
kind: Namespace
metadata: {{name: gateway-system}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {{name: traefik}}
spec: {{controllerName: traefik.io/gateway-controller}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{name: global, namespace: gateway-system}}
spec:
  gatewayClassName: traefik
  listeners:
    - {{name: web, port: {}, protocol: HTTP, allowedRoutes: {{namespaces: {{from: All}}}}}}
)",
                        gateway_port));
    traefik() = std::make_unique<Traefik>();
    EXPECT_TRUE(eventually([] { return http_call(gateway_port, "GET", "/ping").status == 200; }))
        << traefik()->log();
    EXPECT_TRUE(eventually([] {
        return kube_servers()
                   .kubectl({"get",
                             "gateway",
                             "global",
                             "-n",
                             "gateway-system",
                             "-o",
                             R"(jsonpath={.status.conditions[?(@.type=="Programmed")].status})"})
                   .output == "True";
    })) << traefik()->log();
}

// Both on the same server: the route of the service has a Gateway, and so an address, for each.
// Their user has the rights that docs/kube-publisher.md names, and no others.
void GatewayTest::add_workload_clusters() {
    kubectl({"apply", "-n", ns, "-f", "-"},
            R"(apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: chat}
spec:
  hostnames: [chat.worker-a.example.com, chat.worker-b.example.com]
  parentRefs: [{name: edge-a}, {name: edge-b}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge-a}
spec: {gatewayClassName: edge, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge-b}
spec: {gatewayClassName: edge, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: addresses}
rules:
  - {apiGroups: [gateway.networking.k8s.io], resources: [httproutes, gateways], verbs: [get]}
)");
    kubectl(
        {"create", "rolebinding", "addresses", "-n", ns, "--role=addresses", "--user=stranger"});
    std::ifstream in(kube_servers().kubeconfig("stranger"));
    const std::string kubeconfig{std::istreambuf_iterator<char>(in), {}};
    for (const auto& [letter, address] : {std::pair('a', address_a), std::pair('b', address_b)}) {
        patch("gateway",
              fmt::format("edge-{}", letter),
              fmt::format(R"({{"status":{{"addresses":[{{"type":"IPAddress","value":"{}"}}]}}}})",
                          address),
              "--subresource=status");
        workloads_.write(fmt::format("worker-{}.yaml", letter), kubeconfig);
    }
}

void GatewayTest::publish(const std::string& service_type) {
    controller.reset();
    // Whoever was before is gone without a word.
    static_cast<void>(kube_servers().kubectl(
        {"delete", "lease", "ome-trafficmap", "-n", "ome-observer", "--ignore-not-found"}));
    controller = std::make_unique<ControllerProcess>(
        kube_servers().kubeconfig("controller"),
        ns,
        LeaseTimes{},
        "a",
        ControllerSetup{.flags = {"--workload-kubeconfigs=" + workloads_.path("")},
                        .configuration = configuration(service_type),
                        .observer_flags = {"--dns-servers", dns_->address()}});
}

void GatewayTest::put_service(int ready_a, int ready_b) {
    kubectl({"apply", "-n", ns, "-f", "-"},
            R"({"apiVersion":"ome.io/v1beta1","kind":"InferenceService","metadata":{"name":"chat"},
                "spec":{"placement":{"policy":"ClusterAffinity","mode":"All"}}})");
    const auto candidate = [](char letter, int ready) {
        return json::object{
            {"cluster", fmt::format("worker-{}", letter)},
            {"phase", "Admitted"},
            {"admittedReplicas", ready},
            {"readyReplicas", ready},
            {"endpoint",
             fmt::format("http://chat.worker-{}.example.com:{}/h/chat", letter, home_port)}};
    };
    const json::object status{
        {"status",
         {{"placement",
           {{"phase", "Placed"},
            {"candidates", json::array{candidate('a', ready_a), candidate('b', ready_b)}}}}}}};
    patch("inferenceservice", "chat", json::serialize(status), "--subresource=status");
}

Answers GatewayTest::ask(int requests) {
    Answers answers;
    const HttpPeer peer{.port = gateway_port,
                        .host = fmt::format("chat.{}.global.example.com", ns)};
    for (int i = 0; i < requests; ++i) {
        const HttpReply reply = http_call(peer, "GET", chat_path);
        if (reply.status != 200) {
            ++answers.others[reply.status];
        } else if (reply.body.find(R"("servable":1,)") != std::string::npos) {
            ++answers.a;
        } else if (reply.body.find(R"("servable":2,)") != std::string::npos) {
            ++answers.b;
        } else {
            ADD_FAILURE() << reply.head << reply.body;
        }
    }
    return answers;
}

std::pair<double, double> GatewayTest::follow(const std::string& weights) {
    std::optional<std::chrono::steady_clock::time_point> changed;
    std::pair<double, double> last{-1, -1};
    const auto give_up = std::chrono::steady_clock::now() + kube_patience;
    for (;;) {
        const auto now = std::chrono::steady_clock::now();
        if (now >= (changed ? *changed + 2s : give_up)) {
            break;
        }
        if (!changed && map_weights() == weights) {
            changed = now;
        }
        const Answers one = ask(1);
        if (changed) {
            const std::chrono::duration<double> after = now - *changed;
            last.first = one.a > 0 ? after.count() : last.first;
            last.second = one.b > 0 ? after.count() : last.second;
        }
    }
    EXPECT_TRUE(changed) << map_weights() << ", and not " << weights;
    return last;
}

json::value GatewayTest::object(const std::string& path) {
    auto found = run(own_, client_->get(path));
    return found ? *std::move(found) : json::value();
}

std::string GatewayTest::map_weights() {
    const json::value map = object(object_path(kube::traffic_maps, ns, "chat"));
    const json::value entries = member(map, "/spec/entries");
    std::string all;
    if (entries.is_array()) {
        for (const json::value& entry : entries.get_array()) {
            all += (all.empty() ? "" : " ") + json::serialize(entry.at("weight"));
        }
    }
    return all;
}

std::string GatewayTest::said_of_route() {
    const json::value route = object(object_path(kube::http_routes, ns, "chat-global"));
    const json::value conditions = member(route, "/status/parents/0/conditions");
    std::string all;
    if (conditions.is_array()) {
        for (const json::value& condition : conditions.get_array()) {
            if (member(condition, "/observedGeneration") == member(route, "/metadata/generation")) {
                all += fmt::format("{}{} {}",
                                   all.empty() ? "" : ", ",
                                   condition.at("type").as_string().c_str(),
                                   condition.at("status").as_string().c_str());
            }
        }
    }
    return all;
}

std::string GatewayTest::metric(const std::string& name) const {
    const std::string page = controller->get("/metrics").body;
    const std::size_t at = page.find("\n" + name + " ");
    if (at == std::string::npos) {
        return "";
    }
    const std::size_t begin = at + name.size() + 2;
    return page.substr(begin, page.find('\n', begin) - begin);
}

std::string GatewayTest::why() {
    Process process({program("OME_KUBECTL_OME"),
                     "traffic",
                     "why",
                     "chat",
                     "--namespace=" + ns,
                     "--kubeconfig=" + kube_servers().kubeconfig()});
    EXPECT_EQ(process.wait_for_exit(60s), 0);
    return process.output();
}

}  // namespace ome::test
