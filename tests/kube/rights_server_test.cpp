// Every right of the shipped roles, one test for each: without it something is not done, the
// program says which right that takes and what waits for it, and goes on by itself when it is
// given.
#include "kube/gateway_api.hpp"
#include "kube/run_on_kube.hpp"
#include "kube/shipped_rights.hpp"
#include "support/run.hpp"
#include "support/source_file.hpp"
#include <ome/kube/client.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* configuration = R"({"routing": {"enabled": true,
 "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 16,
              "maxResponseBytes": 65536, "minPeriod": "1s", "maxSamples": 100},
 "publisher": {"resyncInterval": "1m"}},
 "endpoint": {"globalGateway": "gateway-system/global", "backendPort": 443,
  "globalHostTemplate": "{{ .Name }}.{{ .Namespace }}.global.example.com",
  "gatewayBackend": {"tls": {"enabled": true, "wellKnownCACertificates": "System"},
                     "serviceType": "Headless",
                     "endpointSlices": {"enabled": true, "addressRefreshInterval": "1m"}}}})";

json::value member(const json::value& of, std::string_view pointer) {
    boost::system::error_code error;
    const json::value* found = of.find_pointer(pointer, error);
    return found == nullptr ? json::value() : *found;
}

// One controller for all rights, which has all of them between two tests.
struct World {
    World() : client(io, kube_servers().access()) {}

    net::asio::io_context io{1};
    kube::Client client;
    Scratch scratch;
    Scratch clusters;
    std::string ns;
    std::unique_ptr<ControllerProcess> controller;
    int services = 0;
};

class Rights : public KubeServerTest, public testing::WithParamInterface<ShippedRight> {
protected:
    static void TearDownTestSuite() { world_.reset(); }

    void SetUp() override {
        KubeServerTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        if (world_ == nullptr) {
            make_world();
        }
        ASSERT_TRUE(eventually([&] { return has_ended() || (leads() && it().ready()); }));
        ASSERT_FALSE(has_ended()) << it().output();
        service = fmt::format("svc-{}", ++world_->services);
    }

    // The next test has all rights, whatever became of this one.
    void TearDown() override {
        if (world_ != nullptr) {
            give(GetParam());
            if (member(get(lease_path()), "/spec/holderIdentity") == "thief") {
                give_lease_to("");
            }
        }
        KubeServerTest::TearDown();
    }

    // The API server, as its admin.
    kube::Outcome<json::value> send(const char* method,
                                    std::string target,
                                    std::string body = {},
                                    const char* type = "application/json") {
        kube::ApiRequest request;
        request.method = method;
        request.target = std::move(target);
        request.content_type = body.empty() ? "" : type;
        request.body = std::move(body);
        return run(world_->io, world_->client.call(std::move(request)));
    }
    json::value get(const std::string& path) {
        const auto object = send("GET", path);
        EXPECT_TRUE(object || object.error().not_found()) << object.error().message;
        return object ? *object : json::value();
    }
    void must(const kube::Outcome<json::value>& done) { ASSERT_TRUE(done) << done.error().message; }
    void patch(const std::string& path, const json::value& merge) {
        must(send("PATCH", path, json::serialize(merge), "application/merge-patch+json"));
    }
    /// Over what is there, or new.
    void put(const std::string& path, const std::string& body) {
        must(send(
            "PATCH", path + "?fieldManager=test&force=true", body, "application/apply-patch+yaml"));
    }
    static std::string path_of(const kube::Resource& resource,
                               const std::string& name,
                               std::string_view subresource = {}) {
        return object_path(resource, world_->ns, name, subresource);
    }
    std::string service_path() const { return path_of(kube::inference_services, service); }
    std::string map_path() const { return path_of(kube::traffic_maps, service); }
    json::value map() { return get(map_path()); }
    bool has_map() { return !map().is_null(); }
    std::string condition(const char* type) {
        const json::value all = member(map(), "/status/conditions");
        for (const json::value& one : all.is_array() ? all.get_array() : json::array()) {
            if (one.at("type") == type) {
                return std::string(one.at("status").as_string());
            }
        }
        return {};
    }
    bool is_published() { return condition("Published") == "True"; }
    std::string weights() {
        std::string text;
        const json::value entries = member(map(), "/spec/entries");
        for (const json::value& entry : entries.is_array() ? entries.get_array() : json::array()) {
            text += json::serialize(entry.at("weight")) + " ";
        }
        return text;
    }

    // The controller.
    static ControllerProcess& it() { return *world_->controller; }
    static bool leads() { return it().leads(); }
    static bool has_ended() { return it().process().wait_for_exit(1ms).has_value(); }
    /// What it says is missing, by verb and resource.
    static json::value missing(const ShippedRight& right) {
        const HttpReply reply = it().get("/v1/status");
        boost::system::error_code torn;
        const json::value status = json::parse(reply.body, torn);
        const json::value all = torn ? json::value() : member(status, "/missingRights");
        for (const json::value& one : all.is_array() ? all.get_array() : json::array()) {
            if (one.at("verb") == json::value(right.verb) &&
                one.at("resource") == json::value(right.full_resource())) {
                return one;
            }
        }
        return {};
    }

    // What may happen.
    void add_service(const std::string& plan = {}) {
        put(service_path(),
            fmt::format(R"({{"apiVersion":"ome.io/v1beta1","kind":"InferenceService",
                "metadata":{{"name":"{}"}},
                "spec":{{"placement":{{"policy":"ClusterAffinity","mode":"All"}}}}}})",
                        service));
        json::array candidates;
        for (const char* cluster : {"worker-a", "worker-b"}) {
            candidates.push_back(
                {{"cluster", cluster},
                 {"phase", "Admitted"},
                 {"admittedReplicas", 2},
                 {"readyReplicas", 2},
                 {"endpoint", fmt::format("http://{}.{}.example.com", service, cluster)}});
        }
        json::object placement{{"phase", "Placed"}, {"candidates", std::move(candidates)}};
        if (!plan.empty()) {
            placement["plan"] = json::parse(plan);
        }
        put(path_of(kube::http_routes, service),
            fmt::format(R"({{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute",
                "metadata":{{"name":"{0}"}},"spec":{{"parentRefs":[{{"name":"edge"}}],
                "hostnames":["{0}.worker-a.example.com","{0}.worker-b.example.com"]}}}})",
                        service));
        patch(path_of(kube::inference_services, service, "status"),
              json::object{{"status", {{"placement", std::move(placement)}}}});
    }
    void add_published_service(const std::string& plan = {}) {
        add_service(plan);
        ASSERT_TRUE(eventually([&] { return is_published(); })) << it().output();
    }
    void annotate(const char* name, const json::value& value) {
        patch(service_path(), json::object{{"metadata", {{"annotations", {{name, value}}}}}});
    }
    void drain() {
        annotate("ome.io/traffic-drain", R"({"m":{"cluster":"worker-a","reason":"r"}})");
    }
    bool is_drained() { return weights() == "0 1 "; }
    void opt_out() {
        patch(service_path(), json::object{{"spec", {{"routing", {{"enabled", false}}}}}});
    }
    static std::string lease_path() {
        return object_path(kube::leases, "ome-observer", "ome-trafficmap");
    }
    void give_lease_to(const std::string& holder) {
        patch(lease_path(),
              json::object{{"spec", {{"holderIdentity", holder}, {"leaseDurationSeconds", 3600}}}});
    }
    void take_lead_away() {
        give_lease_to("thief");
        ASSERT_TRUE(eventually([&] { return !leads(); })) << it().output();
    }
    /// A drain that cannot be read has an Event; the same again counts it up.
    void freeze_anew() {
        annotate("ome.io/traffic-drain", nullptr);
        ASSERT_TRUE(eventually([&] { return condition("Routable") == "True" && !frozen(); }));
        annotate("ome.io/traffic-drain", R"({"m":{}})");
        ASSERT_TRUE(eventually([&] { return frozen(); }));
    }
    bool frozen() {
        return it().get("/metrics")
                   .body.find(
                       fmt::format(R"(ome_trafficmap_frozen{{namespace="{}",trafficmap="{}"}} 1)",
                                   world_->ns,
                                   service)) != std::string::npos;
    }
    /// How often it was told that the service is frozen.
    std::int64_t times_told() {
        std::int64_t times = 0;
        const json::value list = get(collection_path(kube::events, world_->ns));
        for (const json::value& event : list.at("items").as_array()) {
            if (event.at("reason") == "RoutingFrozen" &&
                event.at_pointer("/involvedObject/name") == json::value(service)) {
                times += event.at("count").as_int64();
            }
        }
        return times;
    }

    /// An object of the publisher that is of the service; null: there is none.
    json::value object_of(const kube::Resource& resource) {
        const json::value list =
            get(collection_path(resource, world_->ns) +
                "?labelSelector=" + kube::url_escaped("ome.io/placement-endpoint-isvc=" + service));
        const json::value items = member(list, "/items");
        return items.is_array() && !items.get_array().empty() ? items.get_array().front()
                                                              : json::value();
    }
    std::string object_path_of(const kube::Resource& resource) {
        return path_of(resource,
                       std::string(object_of(resource).at_pointer("/metadata/name").as_string()));
    }
    /// Somebody else changes it, and `marred` says whether that is still so.
    void mar(const kube::Resource& resource) {
        const std::string path = object_path_of(resource);
        if (resource.plural == kube::http_routes.plural) {
            patch(path, json::object{{"spec", {{"hostnames", json::array{"marred.example.com"}}}}});
        } else if (resource.plural == kube::services.plural) {
            patch(path,
                  json::object{{"spec", {{"ports", json::array{json::object{{"port", 444}}}}}}});
        } else if (resource.plural == kube::endpoint_slices.plural) {
            patch(path, json::object{{"endpoints", json::array{}}});
        } else {
            patch(path,
                  json::object{{"spec", {{"validation", {{"hostname", "marred.example.com"}}}}}});
        }
    }
    bool is_marred(const kube::Resource& resource) {
        const json::value list =
            get(collection_path(resource, world_->ns) +
                "?labelSelector=" + kube::url_escaped("ome.io/placement-endpoint-isvc=" + service));
        const std::string text = json::serialize(list);
        return text.find("marred.example.com") != std::string::npos ||
               text.find(R"("port":444)") != std::string::npos ||
               text.find(R"("endpoints":[])") != std::string::npos ||
               text.find(R"("endpoints":null)") != std::string::npos;
    }

    /// What a right is for.
    struct Scenario {
        std::function<void()> prepare = [] {};     ///< with all rights
        std::function<void()> provoke;             ///< without this one
        std::function<bool()> done;                ///< what comes about with it alone
        std::function<void()> provoke_again = {};  ///< where nothing is tried again
        bool late = false;                         ///< without it, it is done late
    };
    std::optional<Scenario> scenario(const ShippedRight& right);
    std::optional<Scenario> of_services(const std::string& verb);
    std::optional<Scenario> of_maps(const std::string& verb);
    std::optional<Scenario> of_events(const std::string& verb);
    std::optional<Scenario> of_leases();
    std::optional<Scenario> of_objects(const kube::Resource& resource, const std::string& verb);
    Scenario of_reading(bool watch);
    void show(const ShippedRight& right, const Scenario& what);
    void show_of_configuration(const ShippedRight& right);
    void take(const ShippedRight& right) { put_role(right.role_without(), right, false); }
    void give(const ShippedRight& right) { put_role(right.role, right, true); }
    /// Until the server's authorizer has noticed.
    void put_role(const json::value& role, const ShippedRight& right, bool allowed);
    bool is_allowed(const ShippedRight& right);

    std::string service;

private:
    void make_world();

    static inline std::unique_ptr<World> world_;
};

bool Rights::is_allowed(const ShippedRight& right) {
    const std::size_t slash = right.resource.find('/');
    const json::value ns = member(right.role, "/metadata/namespace");
    const json::value named =
        member(right.role, fmt::format("/rules/{}/resourceNames/0", right.rule));
    json::object attributes{{"verb", right.verb},
                            {"group", right.group},
                            {"resource", right.resource.substr(0, slash)},
                            {"namespace", ns.is_string() ? ns : json::value(world_->ns)}};
    if (slash != std::string::npos) {
        attributes["subresource"] = right.resource.substr(slash + 1);
    }
    if (named.is_string()) {
        attributes["name"] = named;
    }
    const auto review = send("POST",
                             "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                             json::serialize(json::object{
                                 {"apiVersion", "authorization.k8s.io/v1"},
                                 {"kind", "SubjectAccessReview"},
                                 {"spec",
                                  {{"user", "system:serviceaccount:ome-observer:ome-trafficmap"},
                                   {"resourceAttributes", attributes}}}}));
    EXPECT_TRUE(review) << review.error().message;
    return review && review->at_pointer("/status/allowed").as_bool();
}

void Rights::put_role(const json::value& role, const ShippedRight& right, bool allowed) {
    const std::string kind(role.at("kind").as_string());
    const std::string name(role.at_pointer("/metadata/name").as_string());
    const std::string where =
        kind == "ClusterRole"
            ? "clusterroles/"
            : fmt::format("namespaces/{}/roles/",
                          std::string(role.at_pointer("/metadata/namespace").as_string()));
    put("/apis/rbac.authorization.k8s.io/v1/" + where + name, json::serialize(role));
    EXPECT_TRUE(eventually([&] { return is_allowed(right) == allowed; }, 10ms));
}

void Rights::make_world() {
    install_gateway_api();
    for (const char* file :
         {"00-namespace.yaml", "10-rbac.yaml", "11-rbac-publisher.yaml", "20-configuration.yaml"}) {
        const CommandResult applied =
            kube_servers().kubectl({"apply", "-f", run_on_kube_manifest(file)});
        ASSERT_EQ(applied.exit_code, 0) << applied.output;
    }
    world_ = std::make_unique<World>();
    World& world = *world_;
    world.ns = "rights";
    put("/api/v1/namespaces/rights",
        R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"rights"}})");
    put(path_of(kube::gateways, "edge"),
        R"({"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway",
            "metadata":{"name":"edge"},"spec":{"gatewayClassName":"test",
            "listeners":[{"name":"http","port":80,"protocol":"HTTP"}]}})");
    patch(path_of(kube::gateways, "edge", "status"),
          json::parse(R"({"status":{"addresses":[{"type":"IPAddress","value":"203.0.113.10"}]}})"));
    for (const char* cluster : {"worker-a", "worker-b"}) {
        std::ifstream in(kube_servers().kubeconfig("admin"));
        world.clusters.write(fmt::format("{}.yaml", cluster),
                             std::string{std::istreambuf_iterator<char>(in), {}});
    }
    world.controller = std::make_unique<ControllerProcess>(
        kube_servers().kubeconfig("controller"),
        world.ns,
        LeaseTimes{"8s", "6s", "200ms"},
        "one",
        ControllerSetup{
            .flags = {"--workload-kubeconfigs=" + world.clusters.path("")},
            .configuration = "--config=" + world.scratch.write("config.json", configuration)});
}

Rights::Scenario Rights::of_reading(bool watch) {
    return {.prepare = [this] { take_lead_away(); },
            .provoke =
                [this] {
                    give_lease_to("");
                    add_service();
                },
            .done = [this] { return is_published(); },
            .late = watch};
}

std::optional<Rights::Scenario> Rights::of_services(const std::string& verb) {
    if (verb == "list" || verb == "watch") {
        return of_reading(verb == "watch");
    }
    if (verb == "get") {
        return Scenario{
            .prepare = [this] { add_published_service(R"({"id":"p","mode":"All","revision":1})"); },
            .provoke = [this] { drain(); },
            .done = [this] { return is_drained(); }};
    }
    if (verb == "patch") {
        return Scenario{
            .prepare =
                [this] {
                    add_published_service();
                    drain();
                    ASSERT_TRUE(eventually([&] { return is_drained(); }));
                },
            .provoke =
                [this] {
                    annotate(
                        "ome.io/traffic-drain-expiry",
                        R"({"m":{"cluster":"worker-a","reason":"r","until":"2020-01-01T00:00:00Z"}})");
                },
            .done = [this] { return weights() == "1 1 "; }};
    }
    return std::nullopt;
}

std::optional<Rights::Scenario> Rights::of_maps(const std::string& verb) {
    if (verb == "list" || verb == "watch") {
        return of_reading(verb == "watch");
    }
    if (verb == "create") {
        return Scenario{.provoke = [this] { add_service(); }, .done = [this] { return has_map(); }};
    }
    if (verb == "get") {
        // Whether a finalizer holds what was deleted only the server knows; else the watch tells.
        return Scenario{.prepare = [this] { add_published_service(); },
                        .provoke = [this] { opt_out(); },
                        .done = [this] { return !has_map(); },
                        .late = true};
    }
    if (verb == "patch") {
        return Scenario{.prepare = [this] { add_published_service(); },
                        .provoke = [this] { drain(); },
                        .done = [this] { return is_drained(); }};
    }
    if (verb == "delete") {
        return Scenario{.prepare = [this] { add_published_service(); },
                        .provoke = [this] { opt_out(); },
                        .done = [this] { return !has_map(); }};
    }
    return std::nullopt;
}

std::optional<Rights::Scenario> Rights::of_events(const std::string& verb) {
    const auto freeze = [this] { freeze_anew(); };
    if (verb == "create") {
        return Scenario{.prepare = [this] { add_published_service(); },
                        .provoke = freeze,
                        .done = [this] { return times_told() > 0; },
                        .provoke_again = freeze};
    }
    if (verb == "patch") {
        return Scenario{.prepare =
                            [this] {
                                add_published_service();
                                freeze_anew();
                                ASSERT_TRUE(eventually([&] { return times_told() == 1; }));
                            },
                        .provoke = freeze,
                        .done = [this] { return times_told() > 2; },
                        // The first is written anew, since the one before may be gone.
                        .provoke_again =
                            [this] {
                                freeze_anew();
                                freeze_anew();
                            }};
    }
    return std::nullopt;
}

// Whatever it takes to get a lead.
std::optional<Rights::Scenario> Rights::of_leases() {
    const bool creates = GetParam().verb == "create";
    return Scenario{.prepare = [this] { take_lead_away(); },
                    .provoke =
                        [this, creates] {
                            if (creates) {
                                must(send("DELETE", lease_path()));
                            } else {
                                give_lease_to("");
                            }
                        },
                    .done = [] { return leads(); }};
}

std::optional<Rights::Scenario> Rights::of_objects(const kube::Resource& resource,
                                                   const std::string& verb) {
    if (verb == "list" || verb == "watch") {
        return of_reading(verb == "watch");
    }
    const auto publish = [this] { add_published_service(); };
    if (verb == "get" || verb == "update") {
        return Scenario{.prepare = publish,
                        .provoke = [this, resource] { mar(resource); },
                        .done = [this, resource] { return !is_marred(resource); }};
    }
    if (verb == "create") {
        return Scenario{.provoke = [this] { add_service(); },
                        .done = [this] { return is_published(); }};
    }
    if (verb == "delete") {
        return Scenario{.prepare = publish,
                        .provoke = [this] { opt_out(); },
                        .done = [this] { return !has_map(); }};
    }
    return std::nullopt;
}

std::optional<Rights::Scenario> Rights::scenario(const ShippedRight& right) {
    const std::string& resource = right.resource;
    if (resource == "inferenceservices") {
        return of_services(right.verb);
    }
    if (resource == "inferenceservices/finalizers" && right.verb == "update") {
        return Scenario{.provoke = [this] { add_service(); }, .done = [this] { return has_map(); }};
    }
    if (resource == "trafficmaps") {
        return of_maps(right.verb);
    }
    if (resource == "trafficmaps/status" && right.verb == "patch") {
        return Scenario{.provoke = [this] { add_service(); },
                        .done = [this] { return condition("Routable") == "True"; }};
    }
    if (resource == "events") {
        return of_events(right.verb);
    }
    if (resource == "leases") {
        return of_leases();
    }
    for (const kube::Resource& one :
         {kube::http_routes, kube::services, kube::endpoint_slices, kube::backend_tls_policies}) {
        if (resource == one.plural) {
            return of_objects(one, right.verb);
        }
    }
    return std::nullopt;
}

void Rights::show(const ShippedRight& right, const Scenario& what) {
    what.prepare();
    ASSERT_FALSE(HasFatalFailure());
    const pid_t process = it().process().id();
    const std::size_t before = it().output().size();
    take(right);
    what.provoke();
    ASSERT_FALSE(HasFatalFailure());
    EXPECT_TRUE(eventually([&] { return !missing(right).is_null(); }))
        << "nobody misses it: " << it().get("/status").body << it().output().substr(before);
    const json::value told = missing(right);
    if (!told.is_null()) {
        const std::string log = it().output().substr(before);
        const std::string named = fmt::format("{} {} in ", right.verb, right.full_resource());
        EXPECT_THAT(log, HasSubstr("a right is missing"));
        EXPECT_THAT(log, HasSubstr(named));
        EXPECT_THAT(log, HasSubstr(std::string(told.at("hinders").as_string())));
        EXPECT_THAT(it().get("/status").body, HasSubstr("missing right: " + named));
        EXPECT_THAT(it().get("/metrics").body, HasSubstr(fmt::format(R"(verb="{}")", right.verb)));
    }
    if (what.late) {
        EXPECT_TRUE(eventually(what.done)) << "it is done late: " << it().output();
    } else {
        EXPECT_FALSE(what.done()) << "it is done without the right";
    }
    give(right);
    if (what.provoke_again) {
        what.provoke_again();
    }
    EXPECT_TRUE(eventually(what.done)) << "it is not done with the right: " << it().output();
    EXPECT_TRUE(eventually([&] { return missing(right).is_null(); })) << it().get("/status").body;
    EXPECT_EQ(it().process().id(), process);
    EXPECT_FALSE(has_ended()) << "it goes on as it is";
}

// Of another process, since it is read at the start.
void Rights::show_of_configuration(const ShippedRight& right) {
    take(right);
    ControllerProcess second(
        kube_servers().kubeconfig("controller"),
        world_->ns,
        LeaseTimes{"8s", "6s", "200ms"},
        "two",
        ControllerSetup{.configuration = "--config-map=ome-observer/ome-observer-config"});
    const bool waits = right.verb == "list";
    const std::string named =
        fmt::format("missing right: {} configmaps in namespace ome-observer", right.verb);
    EXPECT_TRUE(eventually([&] {
        return second.get(waits ? "/readyz" : "/status").body.find(named) != std::string::npos;
    })) << second.output();
    EXPECT_THAT(second.output(), HasSubstr("a right is missing"));
    EXPECT_EQ(second.get("/livez").status, 200);
    EXPECT_TRUE(eventually([&] { return second.get("/readyz").status == (waits ? 503 : 200); }));
    give(right);
    EXPECT_TRUE(eventually([&] {
        return second.ready() && second.get("/status").body.find(named) == std::string::npos;
    })) << second.output();
}

TEST_P(Rights, IsNeededAndItsLackIsTold) {
    const ShippedRight& right = GetParam();
    if (right.resource == "configmaps") {
        show_of_configuration(right);
        return;
    }
    const auto found = scenario(right);
    ASSERT_TRUE(found) << "nothing here shows what needs the right to " << right.verb << " "
                       << right.full_resource() << ": take it out of the role, or add that";
    show(right, *found);
}

INSTANTIATE_TEST_SUITE_P(
    Shipped,
    Rights,
    testing::ValuesIn(shipped_rights(source_file("deploy/examples/kubernetes"))),
    [](const auto& one) { return one.param.name(); });

}  // namespace
}  // namespace ome::test
