#include "kube/plugin.hpp"

#include "support/run.hpp"
#include <ome/wire/api_answer.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ome::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string program() {
    const char* path = std::getenv("OME_KUBECTL_OME");
    return path == nullptr ? "OME_KUBECTL_OME is not set" : path;
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

json::object condition(const char* type,
                       const char* status,
                       const char* reason,
                       std::int64_t generation) {
    return {{"type", type},
            {"status", status},
            {"reason", reason},
            {"message", "as it is"},
            {"observedGeneration", generation},
            {"lastTransitionTime", "2026-09-28T10:00:00Z"}};
}

json::object candidate(const char* cluster) {
    return {{"cluster", cluster},
            {"phase", "Admitted"},
            {"endpoint", fmt::format("https://chat.{}.example.com/v1", cluster)},
            {"admittedReplicas", 2},
            {"readyReplicas", 2}};
}

}  // namespace

void PluginTest::SetUp() {
    KubeServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    ns = make_namespace();
    client = std::make_unique<kube::Client>(io, kube_servers().access());
    path = links({"kubectl-ome", "kubectl_complete-ome"});
    add_service();
    add_map();
}

std::string PluginTest::links(const std::vector<std::string>& names) const {
    static int count = 0;
    const std::string folder = scratch.path(fmt::format("bin-{}", ++count));
    fs::create_directories(folder);
    for (const std::string& name : names) {
        fs::create_symlink(program(), fmt::format("{}/{}", folder, name));
    }
    return folder;
}

std::vector<std::string> PluginTest::command(const std::string& line,
                                             const std::string& user) const {
    return {"/usr/bin/env",
            "-u",
            "KUBERNETES_SERVICE_HOST",
            fmt::format("PATH={}:{}:/usr/bin:/bin", path, kube_programs()),
            "HOME=" + scratch.path("home"),
            "KUBECONFIG=" + kube_servers().kubeconfig(user),
            "NS=" + ns,
            "/bin/sh",
            "-c",
            line};
}

Ran PluginTest::sh(const std::string& line, const std::string& user) {
    const std::string out = scratch.path(fmt::format("out-{}", ++count_));
    const std::string err = scratch.path(fmt::format("err-{}", count_));
    Process process(command(fmt::format("{{ {}\n}} >{} 2>{} </dev/null", line, out, err), user));
    const auto code = process.wait_for_exit(kube_patience);
    return {code.value_or(-1), read_file(out), read_file(err)};
}

std::unique_ptr<Process> PluginTest::started(const std::string& one, const std::string& user) {
    return std::make_unique<Process>(command("exec " + one + " </dev/null", user));
}

void PluginTest::let_read(const std::string& user, const std::string& verbs) {
    const CommandResult role = kube_servers().kubectl({"create",
                                                       "role",
                                                       "reader",
                                                       "-n",
                                                       ns,
                                                       "--verb=" + verbs,
                                                       "--resource=trafficmaps.ome.io",
                                                       "--resource=inferenceservices.ome.io"});
    ASSERT_EQ(role.exit_code, 0) << role.output;
    const CommandResult binding = kube_servers().kubectl(
        {"create", "rolebinding", "reader", "-n", ns, "--role=reader", "--user=" + user});
    ASSERT_EQ(binding.exit_code, 0) << binding.output;
}

void PluginTest::add_service() {
    const json::object object{
        {"apiVersion", "ome.io/v1beta1"},
        {"kind", "InferenceService"},
        {"metadata", {{"name", "chat"}, {"annotations", {{"example.com/owner", "team"}}}}},
        {"spec", {{"placement", {{"policy", "ClusterAffinity"}, {"mode", "All"}}}}}};
    const auto made =
        run(io,
            client->create(
                collection_path(kube::inference_services, ns), json::serialize(object), "test"));
    ASSERT_TRUE(made) << made.error().message;
    const json::object status{
        {"status",
         {{"placement",
           {{"phase", "Placed"},
            {"candidates", json::array{candidate("worker-a"), candidate("worker-b")}}}}}}};
    const auto patched =
        run(io,
            client->merge_patch(object_path(kube::inference_services, ns, "chat", "status"),
                                json::serialize(status),
                                "test"));
    ASSERT_TRUE(patched) << patched.error().message;
}

json::object PluginTest::entry(const std::string& cluster,
                               std::int64_t weight,
                               const std::string& drain) {
    json::object made{{"cluster", cluster},
                      {"endpoint", fmt::format("https://chat.{}.example.com/v1", cluster)},
                      {"weight", weight},
                      {"healthy", true},
                      {"capacity", {{"allocated", 2}, {"ready", 2}, {"source", "ControlPlane"}}}};
    if (!drain.empty()) {
        made["drainRefs"] = json::array{json::string(drain)};
    }
    return made;
}

void PluginTest::add_map() {
    const json::object owner{{"apiVersion", "ome.io/v1beta1"},
                             {"kind", "InferenceService"},
                             {"name", "chat"},
                             {"uid", wire::identity_of(service()).uid},
                             {"controller", true},
                             {"blockOwnerDeletion", true}};
    const json::object object{
        {"apiVersion", "ome.io/v1beta1"},
        {"kind", "TrafficMap"},
        {"metadata",
         {{"name", "chat"},
          {"labels", {{"team", "search"}}},
          {"ownerReferences", json::array{owner}}}},
        {"spec",
         {{"service", "chat"},
          {"mode", "All"},
          {"observedISVCGeneration", service().at("metadata").at("generation")},
          {"entries", json::array{entry("worker-a", 1), entry("worker-b", 1)}}}}};
    const auto made = run(
        io,
        client->create(collection_path(kube::traffic_maps, ns), json::serialize(object), "test"));
    ASSERT_TRUE(made) << made.error().message;
    publish_map();
}

void PluginTest::publish_map() {
    const auto map = run(io, client->get(object_path(kube::traffic_maps, ns, "chat")));
    ASSERT_TRUE(map) << map.error().message;
    const std::int64_t generation = map->at("metadata").at("generation").as_int64();
    const json::object status{
        {"status",
         {{"published", true},
          {"observedTrafficMapGeneration", generation},
          {"gatewayRef",
           {{"group", "gateway.networking.k8s.io"},
            {"kind", "HTTPRoute"},
            {"name", "chat-global"},
            {"namespace", ns}}},
          {"conditions",
           json::array{condition("Routable", "True", "Routable", generation),
                       condition("Published", "True", "Published", generation)}}}}};
    const auto patched =
        run(io,
            client->merge_patch(object_path(kube::traffic_maps, ns, "chat", "status"),
                                json::serialize(status),
                                "test"));
    ASSERT_TRUE(patched) << patched.error().message;
}

void PluginTest::write_map(const json::array& entries) {
    const json::object patch{{"spec", {{"entries", entries}}}};
    const auto patched =
        run(io,
            client->merge_patch(
                object_path(kube::traffic_maps, ns, "chat"), json::serialize(patch), "test"));
    ASSERT_TRUE(patched) << patched.error().message;
    publish_map();
}

json::value PluginTest::service() {
    const auto got = run(io, client->get(object_path(kube::inference_services, ns, "chat")));
    EXPECT_TRUE(got) << (got ? "" : got.error().message);
    return got ? *got : json::value();
}

std::string PluginTest::annotation(const std::string& name) {
    const json::value object = service();
    const json::value* all = object.at("metadata").as_object().if_contains("annotations");
    const json::value* value = all == nullptr ? nullptr : all->as_object().if_contains(name);
    return value == nullptr ? std::string() : std::string(value->as_string());
}

void PluginTest::annotate(const std::string& name, const std::string& value) {
    const json::object patch{{"metadata", {{"annotations", {{name, value}}}}}};
    const auto patched =
        run(io,
            client->merge_patch(
                object_path(kube::inference_services, ns, "chat"), json::serialize(patch), "test"));
    ASSERT_TRUE(patched) << patched.error().message;
}

std::string PluginTest::preview_of(const Preview& shown) {
    const json::value now = service();
    const json::value& meta = now.at("metadata");
    return fmt::format(
        "ALPHA guarded traffic action (not TrafficMap convergence)\n"
        "FIELD             VALUE\n"
        "Action            {3}\n"
        "Context           admin\n"
        "Workload NS       {0}\n"
        "Target            InferenceService/chat\n"
        "UID               {1}\n"
        "ResourceVersion   {2}\n"
        "Dry-run           none\n"
        "Override ID       maintenance-a\n"
        "Cluster           worker-a\n"
        "Reason            {4}\n"
        "Override count    {5}\n"
        "Annotation        ome.io/traffic-drain\n"
        "Follow-up         kubectl ome traffic status chat -n {0} --context=admin\n"
        "API acceptance is not TrafficMap convergence or data-plane realization.\n"
        "The exact InferenceService UID/resourceVersion is tested atomically.\n"
        "Other annotations and traffic-drain override IDs are preserved.\n"
        "Run the previewed traffic status command to observe controller evidence.\n",
        ns,
        meta.at("uid").as_string().c_str(),
        meta.at("resourceVersion").as_string().c_str(),
        shown.action,
        shown.reason,
        shown.count);
}

}  // namespace ome::test
