// When a store on an API server begins and ends to lead, against a server that plays one. What it
// writes and tells on a real one: tests/kube/kube_store_server_test.cpp.
#include "kube_store.hpp"

#include "support/scripted_server.hpp"
#include <ome/net/clock.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ome::test {
namespace {

using controller::StoreNews;
using controller::StoreResult;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

// A Lease, InferenceServices by name, and no map: to create one takes until the server ends.
class PlayedApi {
public:
    PlayedApi() : server_([this](Peer& peer) { play(peer); }) {}

    [[nodiscard]] kube::Access access() const {
        kube::Access made;
        made.server =
            net::parse_local_url(fmt::format("http://127.0.0.1:{}", server_.port())).value();
        return made;
    }
    void give_lease_to(const std::string& holder) {
        const std::lock_guard lock(mutex_);
        holder_ = holder;
        ++version_;
    }
    void put_services(std::set<std::string> names) {
        const std::lock_guard lock(mutex_);
        services_ = std::move(names);
    }
    void forbid_writes() { forbids_writes_ = true; }
    void refuse_us(bool now) { refuses_us_ = now; }
    void refuse_lists(bool now) { refuses_lists_ = now; }
    [[nodiscard]] int creations() const { return creations_; }

private:
    static constexpr const char* json = "Content-Type: application/json\r\n";

    void play(Peer& peer) {
        for (std::string head = peer.read_request(); !head.empty(); head = peer.read_request()) {
            // In front of it may be the body of the request before.
            const std::size_t path = head.find(" /api");
            const std::string_view before = std::string_view(head).substr(0, path);
            const std::string_view target = std::string_view(head).substr(path + 1);
            const bool read = before.ends_with("GET");
            if (refuses_us_) {
                peer.write(response(R"({"kind":"Status","code":401,"message":"Unauthorized"})",
                                    json,
                                    "401 Unauthorized"));
            } else if (target.find("/leases") < target.find(' ')) {
                peer.write(lease(read));
            } else if (target.find("watch=true") < target.find(' ')) {
                peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                peer.wait_until_gone();
                return;
            } else if (read && refuses_lists_) {
                peer.write(response(R"({"kind":"Status","code":400,"message":"cannot be parsed"})",
                                    json,
                                    "400 Bad Request"));
            } else if (read) {
                peer.write(list(target.find("/inferenceservices") < target.find(' ')));
            } else if (forbids_writes_) {
                peer.write(response(
                    R"({"kind":"Status","code":403,"message":"User \"a\" cannot create resource \"trafficmaps\" in API group \"ome.io\""})",
                    json,
                    "403 Forbidden"));
            } else {
                ++creations_;
                peer.wait_until_gone();
                return;
            }
        }
    }

    // Whoever writes is `a`, the store of the test.
    std::string lease(bool read) {
        const std::lock_guard lock(mutex_);
        if (read && !holder_) {
            return response(R"({"kind":"Status","code":404})", json, "404 Not Found");
        }
        if (!read && holder_ && *holder_ != "a" && !holder_->empty()) {
            return response(R"({"kind":"Status","code":409})", json, "409 Conflict");
        }
        if (!read) {
            holder_ = "a";
            ++version_;
        }
        return response(
            fmt::format(R"({{"kind":"Lease","metadata":{{"name":"l","resourceVersion":"{}"}},
                "spec":{{"holderIdentity":"{}","leaseDurationSeconds":3600}}}})",
                        version_,
                        *holder_),
            json);
    }

    std::string list(bool of_services) {
        const std::lock_guard lock(mutex_);
        std::string items;
        for (const std::string& name : of_services ? services_ : std::set<std::string>{}) {
            items += fmt::format(R"({}{{"apiVersion":"ome.io/v1beta1","kind":"InferenceService",
                "metadata":{{"namespace":"demo","name":"{}","uid":"u","resourceVersion":"1"}},
                "spec":{{}}}})",
                                 items.empty() ? "" : ",",
                                 name);
        }
        return response(
            fmt::format(R"({{"kind":"List","metadata":{{"resourceVersion":"9"}},"items":[{}]}})",
                        items),
            json);
    }

    std::mutex mutex_;
    std::optional<std::string> holder_;
    int version_ = 1;
    std::set<std::string> services_;
    std::atomic<int> creations_{0};
    std::atomic<bool> refuses_lists_{false};
    std::atomic<bool> refuses_us_{false};
    std::atomic<bool> forbids_writes_{false};
    ScriptedServer server_;
};

class KubeStoreTest : public testing::Test {
protected:
    KubeStoreTest() {
        controller::KubeStoreSettings settings;
        settings.lease_namespace = "demo";
        settings.lease_name = "l";
        settings.election = {
            .identity = "a", .lease_duration = 3s, .renew_deadline = 2s, .retry_period = 50ms};
        settings.writes_at_once = 1;
        store = std::make_unique<controller::KubeStore>(io, api.access(), settings);
    }
    ~KubeStoreTest() override { store->stop(); }

    void start() {
        store->start({[this](const std::vector<StoreNews>& all) { take(all); },
                      [this](const std::vector<StoreResult>& all) {
                          results.insert(results.end(), all.begin(), all.end());
                      },
                      [](const std::vector<controller::PublicationResult>&) {},
                      [this](bool now) {
                          leads.push_back(now);
                          listed = false;
                          services.clear();
                      },
                      [this](const controller::StoreState& now) {
                          state = now;
                          for (const controller::StoreTrouble& one : now.troubles) {
                              said[one.at] = one.problem;
                          }
                      }});
    }

    void take(const std::vector<StoreNews>& all) {
        for (const StoreNews& one : all) {
            if (const auto* is = std::get_if<controller::news::ServiceIs>(&one)) {
                services.insert(is->service->key.name);
            } else if (std::holds_alternative<controller::news::Listed>(one)) {
                listed = true;
            }
        }
    }

    void create_map(const std::string& name) {
        auto service = std::make_shared<routing::InferenceService>();
        service->key = {"demo", name};
        service->uid = "u";
        controller::MapWrite write;
        write.key = service->key;
        write.service = std::move(service);
        write.routed = std::make_shared<const routing::RoutedService>();
        write.now = net::read_clock().wall;
        store->submit({std::move(write)});
    }

    [[nodiscard]] bool eventually(const std::function<bool()>& condition) {
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (!condition() && std::chrono::steady_clock::now() < until) {
            io.restart();
            io.run_for(5ms);
        }
        return condition();
    }

    PlayedApi api;
    net::asio::io_context io{1};
    std::unique_ptr<controller::KubeStore> store;
    std::vector<bool> leads;
    bool listed = false;
    controller::StoreState state;
    std::map<std::string, std::string> said;  // troubles, by what they were with
    std::set<std::string> services;
    std::vector<StoreResult> results;
};

TEST_F(KubeStoreTest, TellsNothingWhileAnotherLeads) {
    api.give_lease_to("b");
    api.put_services({"chat"});
    start();
    ASSERT_TRUE(eventually([&] { return !leads.empty(); }));
    EXPECT_THAT(leads, ElementsAre(false));
    create_map("chat");
    ASSERT_TRUE(eventually([&] { return results.size() == 1; }));
    EXPECT_EQ(results[0].outcome, StoreResult::Outcome::Failed);
    EXPECT_EQ(api.creations(), 0);
    EXPECT_THAT(services, IsEmpty());
    EXPECT_FALSE(listed);
}

TEST_F(KubeStoreTest, AWriteThatARightIsMissingForIsToldAsThat) {
    api.forbid_writes();
    start();
    ASSERT_TRUE(eventually([&] { return listed; }));
    create_map("chat");
    ASSERT_TRUE(eventually([&] { return results.size() == 1; }));
    EXPECT_EQ(results[0].outcome, StoreResult::Outcome::Failed);
    EXPECT_TRUE(results[0].told);
}

TEST_F(KubeStoreTest, SaysWhyItCannotReadUntilItCan) {
    api.refuse_lists(true);
    start();
    ASSERT_TRUE(eventually([&] { return !state.troubles.empty(); }));
    EXPECT_THAT(state.troubles.front().problem, testing::HasSubstr("cannot be parsed"));
    EXPECT_EQ(state.troubles.front().at, "watch");
    EXPECT_FALSE(listed);
    api.refuse_lists(false);
    ASSERT_TRUE(eventually([&] { return listed && state.troubles.empty(); }));
}

TEST_F(KubeStoreTest, SaysThatTheServerDoesNotKnowUsUntilItDoes) {
    start();
    ASSERT_TRUE(eventually([&] { return listed && state.lease && state.lease->valid_until; }));
    EXPECT_THAT(state.troubles, IsEmpty());
    const core::Now now = net::read_clock();
    EXPECT_LE(*state.lease->valid_until, now.wall + 2s);
    api.refuse_us(true);
    ASSERT_TRUE(eventually([&] { return said.contains(controller::at_lease); }));
    EXPECT_EQ(leads, std::vector{true}) << "for a while yet";
    EXPECT_THAT(said[controller::at_lease], testing::HasSubstr("HTTP 401"));
    create_map("chat");
    ASSERT_TRUE(eventually([&] { return said.contains("write"); }));
    ASSERT_TRUE(eventually([&] { return leads.size() == 2; }));
    ASSERT_TRUE(eventually([&] {
        return state.troubles.size() == 1 && state.troubles[0].at == controller::at_lease;
    })) << "who does not lead waits for the Lease alone";
    api.refuse_us(false);
    ASSERT_TRUE(eventually([&] { return leads.size() == 3 && listed; }));
    ASSERT_TRUE(eventually([&] { return state.troubles.empty(); }));
}

TEST_F(KubeStoreTest, BeginsEveryLeadWithAllThatIsThere) {
    api.put_services({"chat", "old"});
    start();
    ASSERT_TRUE(eventually([&] { return listed; }));
    EXPECT_THAT(services, ElementsAre("chat", "old"));
    api.give_lease_to("b");
    ASSERT_TRUE(eventually([&] { return leads.size() == 2; }));
    api.put_services({"chat", "new"});
    api.give_lease_to("");
    ASSERT_TRUE(eventually([&] { return listed; }));
    EXPECT_THAT(leads, ElementsAre(true, false, true));
    EXPECT_THAT(services, ElementsAre("chat", "new"));
}

TEST_F(KubeStoreTest, WhatWasSubmittedInALeadThatIsLostIsNotSentInTheNext) {
    start();
    ASSERT_TRUE(eventually([&] { return listed; }));
    create_map("sent");
    create_map("waits");
    ASSERT_TRUE(eventually([&] { return api.creations() == 1; }));
    api.give_lease_to("b");
    ASSERT_TRUE(eventually([&] { return leads.size() == 2; }));
    api.give_lease_to("");
    ASSERT_TRUE(eventually([&] { return leads.size() == 3 && listed; }));
    EXPECT_THAT(leads, ElementsAre(true, false, true));
    const std::size_t before = results.size();
    EXPECT_EQ(api.creations(), 1) << "the second one was dropped";
    create_map("new");
    ASSERT_TRUE(eventually([&] { return api.creations() == 2; }));
    EXPECT_EQ(results.size(), before) << "a new lead hears nothing of the old one's writes";
}

}  // namespace
}  // namespace ome::test
