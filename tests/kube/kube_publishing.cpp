#include "kube/kube_publishing.hpp"

#include "kube/gateway_api.hpp"
#include "support/run.hpp"
#include <ome/net/clock.hpp>
#include <ome/routing/publication_plan.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

json::value member(const json::value& of, std::string_view pointer) {
    boost::system::error_code error;
    const json::value* found = of.find_pointer(pointer, error);
    return found == nullptr ? json::value() : *found;
}

std::string text(const json::value& value) {
    return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

json::object candidate(const std::string& cluster, int ready) {
    return {{"cluster", cluster},
            {"phase", "Admitted"},
            {"endpoint", "http://chat." + cluster + ".example.com"},
            {"admittedReplicas", 2},
            {"readyReplicas", ready}};
}

}  // namespace

void KubePublishingTest::SetUp() {
    KubeServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    static bool installed = false;
    if (!std::exchange(installed, true)) {
        install_gateway_api();
    }
    ns = make_namespace();
    client_ = std::make_unique<kube::Client>(own_, kube_servers().access());
    installation.enabled = true;
    installation.publisher.resync_interval = "1m";
    gateway.global_gateway = "gateway-system/global";
    gateway.backend_port = 443;
    gateway.global_host_template = "{{ .Name }}.{{ .Namespace }}.global.example.com";
}

void KubePublishingTest::TearDown() {
    if (HasFailure() && store_ != nullptr) {
        ADD_FAILURE() << "published: " << published() << "\n" << problems();
    }
    end();
    KubeServerTest::TearDown();
}

core::Now KubePublishingTest::now() const {
    core::Now read = net::read_clock();
    read.steady += ahead_;
    read.wall = read.wall + ahead_;
    return read;
}

void KubePublishingTest::start(const std::string& user) {
    controller::KubeStoreSettings settings;
    settings.lease_namespace = ns;
    settings.election = {
        .identity = "test", .lease_duration = 15s, .renew_deadline = 10s, .retry_period = 200ms};
    settings.namespaces = {ns};
    settings.workload_kubeconfigs = workload_kubeconfigs;
    reconciler_ = std::make_unique<controller::Reconciler>(
        controller::ReconcilerSettings{.installation = installation}, now());
    publisher_ = std::make_unique<controller::Publisher>(
        routing::publication_settings(installation, gateway));
    store_ = std::make_unique<controller::KubeStore>(
        io_, kube_servers().access(user), std::move(settings));
    store_->start({[this](std::vector<controller::StoreNews> all) { hear(std::move(all)); },
                   [this](const std::vector<controller::StoreResult>& all) { hear(all); },
                   [this](const std::vector<controller::PublicationResult>& all) { hear(all); },
                   [this](bool is) { leading = is; }});
    ASSERT_TRUE(until([this] { return listed_; }));
}

void KubePublishingTest::end() {
    if (store_ != nullptr) {
        store_->stop();
    }
    store_.reset();
    publisher_.reset();
    reconciler_.reset();
    io_.restart();
    io_.poll();
    listed_ = false;
    in_flight_ = 0;
    leading.reset();
}

void KubePublishingTest::hear(std::vector<controller::StoreNews> all) {
    for (const controller::StoreNews& one : all) {
        reconciler_->hear(one, now());
        publisher_->hear(one, now());
        listed_ = listed_ || std::holds_alternative<controller::news::Listed>(one);
    }
}

void KubePublishingTest::hear(const std::vector<controller::StoreResult>& all) {
    for (const controller::StoreResult& result : all) {
        --in_flight_;
        reconciler_->hear(result, now());
        if (result.outcome == controller::StoreResult::Outcome::Done) {
            publisher_->hear_map(result.key, result.map, now());
        }
    }
}

void KubePublishingTest::hear(const std::vector<controller::PublicationResult>& all) {
    for (const controller::PublicationResult& result : all) {
        --in_flight_;
        publisher_->hear(result, now());
        if (!result.object && result.outcome == controller::StoreResult::Outcome::Done) {
            reconciler_->hear(result.map != nullptr
                                  ? controller::StoreNews(controller::news::MapIs{result.map})
                                  : controller::StoreNews(controller::news::MapGone{result.source}),
                              now());
        }
    }
}

bool KubePublishingTest::work() {
    std::vector<controller::StoreRequest> requests;
    for (controller::Work work : {reconciler_->work(now(), 1000), publisher_->work(now(), 1000)}) {
        std::move(work.notices.begin(), work.notices.end(), std::back_inserter(notices));
        std::move(work.store.begin(), work.store.end(), std::back_inserter(requests));
    }
    for (const controller::StoreRequest& request : requests) {
        const bool writes_nothing = std::holds_alternative<controller::EventRecord>(request) ||
                                    std::holds_alternative<controller::AddressQuery>(request) ||
                                    std::holds_alternative<controller::DrainLapse>(request);
        writes += writes_nothing ? 0U : 1U;
        in_flight_ += writes_nothing ? 0U : 1U;
    }
    const bool some = !requests.empty();
    store_->submit(std::move(requests));
    return some;
}

void KubePublishingTest::turn() {
    io_.restart();
    io_.run_for(10ms);
    if (reconciler_ != nullptr) {
        work();
    }
}

// Long enough to hear what the last write brought about.
void KubePublishingTest::settle() {
    int quiet = 0;
    const bool settled = until([&] {
        quiet = in_flight_ == 0 && !work() ? quiet + 1 : 0;
        return quiet > 50;
    });
    EXPECT_TRUE(settled);
}

void KubePublishingTest::advance(core::Duration by) {
    ahead_ += by;
    settle();
}

json::value KubePublishingTest::get(const std::string& path) {
    const auto object = run(own_, client_->get(path));
    if (!object) {
        EXPECT_TRUE(object.error().not_found()) << object.error().message;
        return {};
    }
    return *object;
}

void KubePublishingTest::put_service(int ready_a, int ready_b) {
    apply(fmt::format(R"(apiVersion: ome.io/v1beta1
kind: InferenceService
metadata: {{name: chat, namespace: {}}}
spec: {{placement: {{policy: ClusterAffinity, mode: All}}}}
)",
                      ns));
    const json::object status{
        {"status",
         {{"placement",
           {{"phase", "Placed"},
            {"candidates",
             json::array{candidate("worker-a", ready_a), candidate("worker-b", ready_b)}}}}}}};
    const auto patched =
        run(own_,
            client_->merge_patch(object_path(kube::inference_services, ns, "chat", "status"),
                                 json::serialize(status),
                                 "test"));
    ASSERT_TRUE(patched) << patched.error().message;
}

void KubePublishingTest::apply(const std::string& manifest) {
    const CommandResult applied = kube_servers().kubectl({"apply", "-f", "-"}, manifest);
    ASSERT_EQ(applied.exit_code, 0) << applied.output;
}

void KubePublishingTest::patch(const std::string& what, const std::string& merge) {
    const CommandResult patched =
        kube_servers().kubectl({"patch", what, "-n", ns, "--type=merge", "-p", merge});
    ASSERT_EQ(patched.exit_code, 0) << patched.output;
}

void KubePublishingTest::remove(const std::string& what, bool wait) {
    const CommandResult removed =
        kube_servers().kubectl({"delete", what, "-n", ns, wait ? "--wait=true" : "--wait=false"});
    ASSERT_EQ(removed.exit_code, 0) << removed.output;
}

std::string KubePublishingTest::path_of(const std::string& plural, const std::string& name) const {
    const std::string group = plural == "services"         ? "/api/v1"
                              : plural == "endpointslices" ? "/apis/discovery.k8s.io/v1"
                                                           : "/apis/gateway.networking.k8s.io/v1";
    return fmt::format("{}/namespaces/{}/{}{}{}", group, ns, plural, name.empty() ? "" : "/", name);
}

json::value KubePublishingTest::map() {
    return get(object_path(kube::traffic_maps, ns, "chat"));
}

std::string KubePublishingTest::published() {
    const json::value stored = map();
    const json::value conditions = member(stored, "/status/conditions");
    if (conditions.is_array()) {
        for (const json::value& condition : conditions.get_array()) {
            if (condition.at("type") == "Published") {
                return text(condition.at("status")) + " " + text(condition.at("reason"));
            }
        }
    }
    return "";
}

std::string KubePublishingTest::weights() {
    std::string all;
    const json::value backends = member(route(), "/spec/rules/0/backendRefs");
    if (backends.is_array()) {
        for (const json::value& backend : backends.get_array()) {
            all += (all.empty() ? "" : " ") + text(member(backend, "/weight"));
        }
    }
    return all;
}

std::vector<json::value> KubePublishingTest::list(const std::string& plural) {
    const json::value items = member(get(path_of(plural, "")), "/items");
    return items.is_array()
               ? std::vector<json::value>(items.get_array().begin(), items.get_array().end())
               : std::vector<json::value>();
}

std::string KubePublishingTest::problems() const {
    std::string all;
    for (const controller::Notice& notice : notices) {
        for (const auto& [name, value] : notice.fields) {
            all += name == "error" ? std::get<std::string>(value) + "\n" : "";
        }
    }
    return all;
}

}  // namespace ome::test
