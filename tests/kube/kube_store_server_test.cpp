// The store on a real API server: what it tells, what it writes, and what it leaves alone.
#include "controller/kube_store.hpp"
#include "kube/no_warnings.hpp"
#include "kube/servers.hpp"
#include "support/run.hpp"
#include <ome/kube/client.hpp>
#include <ome/net/clock.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ome::test {
namespace {

using controller::StoreNews;
using controller::StoreResult;
using testing::HasSubstr;
using namespace std::chrono_literals;

// A store and what it has told so far.
class Used {
public:
    Used(net::asio::io_context& io, const std::string& ns, const std::string& identity)
        : store_(io, kube_servers().access(), settings(ns, identity)) {
        store_.start({[this](std::vector<StoreNews> all) { take(std::move(all)); },
                      [this](std::vector<StoreResult> all) {
                          std::move(all.begin(), all.end(), std::back_inserter(results));
                      },
                      [](const std::vector<controller::PublicationResult>&) {},
                      [this](bool now) { leading = now; }});
    }
    void stop() { store_.stop(); }
    void submit(controller::StoreRequest request) { store_.submit({std::move(request)}); }

    std::optional<bool> leading;
    bool listed = false;
    std::map<std::string, std::shared_ptr<const routing::InferenceService>> services;
    std::map<std::string, std::shared_ptr<const routing::TrafficMap>> maps;
    std::vector<StoreResult> results;

private:
    static controller::KubeStoreSettings settings(const std::string& ns,
                                                  const std::string& identity) {
        controller::KubeStoreSettings made;
        made.lease_namespace = ns;
        made.election = {.identity = identity,
                         .lease_duration = 15s,
                         .renew_deadline = 10s,
                         .retry_period = 200ms};
        made.namespaces = {ns};
        return made;
    }
    void take(std::vector<StoreNews> all) {
        namespace news = controller::news;
        for (StoreNews& one : all) {
            if (auto* is = std::get_if<news::ServiceIs>(&one)) {
                services[is->service->key.name] = is->service;
            } else if (auto* gone = std::get_if<news::ServiceGone>(&one)) {
                services.erase(gone->key.name);
            } else if (auto* map = std::get_if<news::MapIs>(&one)) {
                maps[map->map->meta.key.name] = map->map;
            } else if (auto* no_map = std::get_if<news::MapGone>(&one)) {
                maps.erase(no_map->key.name);
            } else if (std::holds_alternative<news::Listed>(one)) {
                listed = true;
            }
        }
    }

    controller::KubeStore store_;
};

class KubeStoreTest : public KubeServerTest {
    NoWarnings no_warnings_;

protected:
    void SetUp() override {
        KubeServerTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            ns = make_namespace();
            client = std::make_unique<kube::Client>(own, kube_servers().access());
        }
    }

    template <typename Condition>
    [[nodiscard]] bool until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + kube_patience;
        while (!condition()) {
            if (std::chrono::steady_clock::now() >= end) {
                return false;
            }
            io.restart();
            io.run_for(10ms);
        }
        return true;
    }

    std::shared_ptr<const routing::InferenceService> add_service(Used& used) {
        const auto made = run(
            own,
            client->create(
                collection_path(kube::inference_services, ns),
                R"({"apiVersion":"ome.io/v1beta1","kind":"InferenceService","metadata":{"name":"chat"},
                    "spec":{"placement":{"policy":"ClusterAffinity","mode":"Split"}}})",
                "test"));
        EXPECT_TRUE(made) << made.error().message;
        EXPECT_TRUE(until([&] { return used.services.count("chat") == 1; }));
        return used.services["chat"];
    }

    static controller::MapWrite write_of(
        const std::shared_ptr<const routing::InferenceService>& service,
        const routing::TrafficMap* on,
        std::int32_t weight) {
        controller::MapWrite write;
        write.key = service->key;
        write.service = service;
        write.routed = std::make_shared<const routing::RoutedService>();
        write.verdict = {.routable = true, .reason = "Routable"};
        write.now = net::read_clock().wall;
        write.spec.service = service->key.name;
        write.spec.mode = "Split";
        write.spec.observed_isvc_generation = service->generation;
        write.spec.entries.push_back(
            {.cluster = "a", .endpoint = "http://a", .weight = weight, .healthy = true});
        if (on != nullptr) {
            write.precondition = {on->meta.uid, on->meta.resource_version};
        }
        return write;
    }

    StoreResult result_of(Used& used, controller::StoreRequest request) {
        used.results.clear();
        used.submit(std::move(request));
        EXPECT_TRUE(until([&] { return !used.results.empty(); }));
        return used.results.empty() ? StoreResult{} : used.results.front();
    }

    /// An empty holder: the lease is free.
    void give_lease_to(const std::string& holder) const {
        const CommandResult given = kube_servers().kubectl(
            {"patch",
             "lease",
             "ome-trafficmap",
             "-n",
             ns,
             "--type=merge",
             "-p",
             fmt::format(R"({{"spec":{{"holderIdentity":"{}","leaseDurationSeconds":3600}}}})",
                         holder)});
        ASSERT_EQ(given.exit_code, 0) << given.output;
    }

    [[nodiscard]] std::string field(const char* path) const {
        return kube_servers()
            .kubectl(
                {"get", "trafficmap", "chat", "-n", ns, "-o", fmt::format("jsonpath={}", path)})
            .output;
    }

    using Outcome = StoreResult::Outcome;
    net::asio::io_context io{1};
    net::asio::io_context own{1};
    std::unique_ptr<kube::Client> client;
    std::string ns;
};

TEST_F(KubeStoreTest, WritesAMapWithItsConditionsAndChangesIt) {
    Used used(io, ns, "a");
    ASSERT_TRUE(until([&] { return used.listed; }));
    EXPECT_EQ(used.leading, true);
    const auto service = add_service(used);
    const StoreResult made = result_of(used, write_of(service, nullptr, 1));
    ASSERT_EQ(made.outcome, Outcome::Done) << made.problem.message;
    EXPECT_EQ(made.map->status.source_uid, service->uid);
    ASSERT_EQ(made.map->status.conditions.size(), 3U);
    EXPECT_EQ(field("{.metadata.ownerReferences[0].uid}"), service->uid);
    EXPECT_EQ(field("{.status.conditions[*].type}"), "Routable CapacityFallback OverrideActive");

    const StoreResult changed = result_of(used, write_of(service, made.map.get(), 5));
    ASSERT_EQ(changed.outcome, Outcome::Done) << changed.problem.message;
    EXPECT_EQ(changed.map->meta.generation, 2);
    EXPECT_EQ(changed.map->status.conditions[0].observed_generation, 2);
    EXPECT_EQ(field("{.spec.entries[0].weight}"), "5");

    const StoreResult same = result_of(used, write_of(service, changed.map.get(), 5));
    ASSERT_EQ(same.outcome, Outcome::Done) << same.problem.message;
    EXPECT_EQ(same.map->meta.resource_version, changed.map->meta.resource_version)
        << "nothing has changed, nothing is written";
    used.stop();
}

TEST_F(KubeStoreTest, ADecisionOnAnOldMapIsAConflict) {
    Used used(io, ns, "a");
    ASSERT_TRUE(until([&] { return used.listed; }));
    const auto service = add_service(used);
    const StoreResult made = result_of(used, write_of(service, nullptr, 1));
    ASSERT_EQ(made.outcome, Outcome::Done) << made.problem.message;
    const CommandResult edited = kube_servers().kubectl({"patch",
                                                         "trafficmap",
                                                         "chat",
                                                         "-n",
                                                         ns,
                                                         "--type=merge",
                                                         "-p",
                                                         R"({"spec":{"mode":"All"}})"});
    ASSERT_EQ(edited.exit_code, 0) << edited.output;

    const StoreResult stale = result_of(used, write_of(service, made.map.get(), 5));
    EXPECT_EQ(stale.outcome, Outcome::Conflict);
    ASSERT_NE(stale.map, nullptr);
    EXPECT_EQ(stale.map->spec.mode, "All") << "what is there now comes along";
    EXPECT_EQ(result_of(used, write_of(service, nullptr, 5)).outcome, Outcome::Conflict)
        << "nor is there none";
    EXPECT_TRUE(until([&] { return used.maps["chat"] && used.maps["chat"]->spec.mode == "All"; }));
    EXPECT_EQ(result_of(used,
                        controller::MapDelete{
                            service->key, {made.map->meta.uid, made.map->meta.resource_version}})
                  .outcome,
              Outcome::Conflict);

    const StoreResult undone = result_of(used, write_of(service, stale.map.get(), 5));
    EXPECT_EQ(undone.outcome, Outcome::Done) << undone.problem.message;
    EXPECT_EQ(field("{.spec.mode}"), "Split");
    used.stop();
}

TEST_F(KubeStoreTest, ADeletedMapIsGoneOrWaitsForItsFinalizer) {
    Used used(io, ns, "a");
    ASSERT_TRUE(until([&] { return used.listed; }));
    const auto service = add_service(used);
    StoreResult made = result_of(used, write_of(service, nullptr, 1));
    ASSERT_EQ(made.outcome, Outcome::Done) << made.problem.message;
    const auto remove = [&](const routing::TrafficMap& map) {
        return result_of(
            used, controller::MapDelete{map.meta.key, {map.meta.uid, map.meta.resource_version}});
    };
    const StoreResult gone = remove(*made.map);
    EXPECT_EQ(gone.outcome, Outcome::Done) << gone.problem.message;
    EXPECT_EQ(gone.map, nullptr);

    made = result_of(used, write_of(service, nullptr, 1));
    ASSERT_EQ(made.outcome, Outcome::Done) << made.problem.message;
    ASSERT_EQ(kube_servers()
                  .kubectl({"patch",
                            "trafficmap",
                            "chat",
                            "-n",
                            ns,
                            "--type=merge",
                            "-p",
                            R"({"metadata":{"finalizers":["ome.io/trafficmap-publisher"]}})"})
                  .exit_code,
              0);
    ASSERT_TRUE(
        until([&] { return used.maps["chat"] && !used.maps["chat"]->meta.finalizers.empty(); }));
    const StoreResult held = remove(*used.maps["chat"]);
    EXPECT_EQ(held.outcome, Outcome::Done) << held.problem.message;
    ASSERT_NE(held.map, nullptr);
    EXPECT_TRUE(held.map->meta.deletion_timestamp);
    static_cast<void>(kube_servers().kubectl({"patch",
                                              "trafficmap",
                                              "chat",
                                              "-n",
                                              ns,
                                              "--type=merge",
                                              "-p",
                                              R"({"metadata":{"finalizers":null}})"}));
    EXPECT_TRUE(until([&] { return used.maps.count("chat") == 0; }));
    used.stop();
}

TEST_F(KubeStoreTest, AnEventIsSeenWithTheService) {
    Used used(io, ns, "a");
    ASSERT_TRUE(until([&] { return used.listed; }));
    const auto service = add_service(used);
    controller::EventRecord event{
        service->key, service->uid, true, "RoutingFrozen", "bad policy", net::read_clock().wall};
    used.submit(event);
    used.submit(event);
    EXPECT_TRUE(until([&] {
        const CommandResult shown = kube_servers().kubectl(
            {"get",
             "events",
             "-n",
             ns,
             "-o",
             "jsonpath={range .items[*]}{.reason} {.count} {.message}{end}"});
        return shown.output == "RoutingFrozen 2 bad policy";
    }));
    EXPECT_THAT(kube_servers().kubectl({"describe", "inferenceservice", "chat", "-n", ns}).output,
                HasSubstr("RoutingFrozen"));
    used.stop();
}

TEST_F(KubeStoreTest, OnlyTheLeaderWrites) {
    Used first(io, ns, "a");
    ASSERT_TRUE(until([&] { return first.listed; }));
    const auto service = add_service(first);
    Used second(io, ns, "b");
    ASSERT_TRUE(until([&] { return second.leading.has_value(); }));
    EXPECT_EQ(second.leading, false);
    EXPECT_FALSE(second.listed);
    const StoreResult refused = result_of(second, write_of(service, nullptr, 1));
    EXPECT_EQ(refused.outcome, Outcome::Failed);
    EXPECT_THAT(refused.problem.message, HasSubstr("does not lead"));
    EXPECT_THAT(field("{.metadata.name}"), HasSubstr("not found"));
    first.stop();
    EXPECT_TRUE(until([&] { return second.listed; }));
    EXPECT_EQ(result_of(second, write_of(service, nullptr, 1)).outcome, Outcome::Done);
    second.stop();
}

TEST_F(KubeStoreTest, EveryLeadBeginsWithAllThatIsThere) {
    Used used(io, ns, "a");
    ASSERT_TRUE(until([&] { return used.listed; }));
    const auto service = add_service(used);
    give_lease_to("thief");
    ASSERT_TRUE(until([&] { return used.leading == false; }));
    used.listed = false;
    used.services.clear();
    EXPECT_EQ(result_of(used, write_of(service, nullptr, 1)).outcome, Outcome::Failed);
    EXPECT_EQ(run(own,
                  client->create(collection_path(kube::inference_services, ns),
                                 R"({"apiVersion":"ome.io/v1beta1","kind":"InferenceService",
                                     "metadata":{"name":"other"},"spec":{}})",
                                 "test"))
                  .has_value(),
              true);
    EXPECT_EQ(kube_servers().kubectl({"delete", "inferenceservice", "chat", "-n", ns}).exit_code,
              0);
    EXPECT_TRUE(used.services.empty()) << "who does not lead is told nothing";

    give_lease_to("");
    ASSERT_TRUE(until([&] { return used.listed; }));
    EXPECT_EQ(used.leading, true);
    ASSERT_EQ(used.services.size(), 1U);
    EXPECT_EQ(used.services.count("other"), 1U);
    EXPECT_EQ(result_of(used, write_of(used.services["other"], nullptr, 1)).outcome, Outcome::Done);
    used.stop();
}

}  // namespace
}  // namespace ome::test
