// The engine between a store that a test plays and an observer that listens.
#include "engine.hpp"

#include "reconciler_fixture.hpp"
#include "support/run.hpp"
#include "support/scripted_server.hpp"
#include <ome/net/clock.hpp>

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <cstdio>

namespace ome::test {
namespace {

using controller::StoreNews;
using controller::StoreRequest;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Holds maps, and carries out writes unless it is told to leave them.
class PlayedStore : public controller::Store {
public:
    void start(Listener told) override { listener = std::move(told); }
    void submit(std::vector<StoreRequest> requests) override {
        for (StoreRequest& request : requests) {
            if (const auto* write = std::get_if<controller::MapWrite>(&request)) {
                writes.push_back(*write);
            }
            if (const auto* event = std::get_if<controller::EventRecord>(&request)) {
                events.push_back(*event);
            }
        }
        submitted += requests.size();
    }
    void stop() override {}

    /// What has been written is stored, and told.
    void finish(std::size_t index) {
        const controller::MapWrite& write = writes.at(index);
        routing::TrafficMap map;
        map.meta.key = write.key;
        map.meta.uid = "map-uid";
        map.meta.resource_version = std::to_string(index + 1);
        controller::apply_write(map, write);
        listener.results({{.key = write.key,
                           .map = std::make_shared<const routing::TrafficMap>(std::move(map))}});
    }
    void tell_everything() {
        const auto service =
            std::make_shared<const routing::InferenceService>(routed_service("chat"));
        listener.news({controller::news::ServiceIs{service}, controller::news::Listed{}});
    }

    Listener listener;
    std::vector<controller::MapWrite> writes;
    std::vector<controller::EventRecord> events;
    std::size_t submitted = 0;
};

// What an observer that takes everything answers; its services have no readings.
class PlayedObserver {
public:
    PlayedObserver() : server_([this](Peer& peer) { play(peer); }) {}
    [[nodiscard]] std::uint16_t port() const { return server_.port(); }
    [[nodiscard]] int bulks() const { return bulks_; }
    [[nodiscard]] int empty_bulks() const { return empty_bulks_; }
    [[nodiscard]] std::size_t connections() const { return server_.connections(); }

private:
    static constexpr const char* json = "Content-Type: application/json\r\n";

    void play(Peer& peer) {
        for (std::string head = peer.read_request(); !head.empty(); head = peer.read_request()) {
            if (head.starts_with("PUT /v1/services ")) {
                take_bulk(peer, head);
            } else if (head.starts_with("GET /v1/services?")) {
                const std::string services =
                    declared_ ? R"({"namespace":"demo","name":"chat","ownerUID":"uid-chat"})" : "";
                peer.write(response(R"({"instance":"one","revision":3,"services":[)" + services +
                                        R"(],"continue":""})",
                                    json));
            } else if (head.starts_with("GET /v1/watch?")) {
                watch(peer);
                return;
            } else {
                peer.write(response("{}", "", "500 Internal Server Error"));
            }
        }
    }

    // One without a service is sent whole, one with services in chunks.
    void take_bulk(Peer& peer, const std::string& head) {
        const bool chunked = head.find("chunked") != std::string::npos;
        declared_ = chunked && peer.read_request().find("\"chat\"") != std::string::npos;
        ++(chunked ? bulks_ : empty_bulks_);
        peer.write(response(R"({"instance":"one","applied":0,"forgotten":0,"rejected":[]})", json));
    }

    static void watch(Peer& peer) {
        const std::string line = R"({"type":"Bookmark","instance":"one","revision":3})"
                                 "\n";
        std::array<char, 20> size{};
        std::snprintf(size.data(), size.size(), "%zx\r\n", line.size());
        peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while (peer.write(size.data() + line + "\r\n") && peer.pause(20ms)) {
        }
    }

    std::atomic<bool> declared_{false};
    std::atomic<int> bulks_{0};
    std::atomic<int> empty_bulks_{0};
    ScriptedServer server_;
};

class EngineTest : public testing::Test {
protected:
    EngineTest() { begin(false); }
    ~EngineTest() override { run(io, engine->stop()); }

    /// `again`: after another routing part of the same process.
    void begin(bool again, const controller::EngineCounters* counters = nullptr) {
        controller::LinkSettings link;
        link.inherited = again;
        link.url =
            net::parse_local_url("http://127.0.0.1:" + std::to_string(observer.port())).value();
        link.holder = "test";
        link.first_pause = 5ms;
        link.longest_pause = 20ms;
        auto made = std::make_unique<PlayedStore>();
        store = made.get();
        engine = std::make_unique<controller::Engine>(
            io,
            controller::ReconcilerSettings{.installation = installation()},
            routing::publication_settings(installation(), {}),
            std::move(link),
            std::move(made));
        if (counters != nullptr) {
            engine->count_on(*counters);
        }
        engine->start();
    }

    [[nodiscard]] bool eventually(const std::function<bool()>& condition) {
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (!condition() && std::chrono::steady_clock::now() < until) {
            io.restart();
            io.run_for(5ms);
        }
        return condition();
    }
    /// Whatever is ready is done.
    void spin() {
        io.restart();
        io.run_for(50ms);
    }

    PlayedObserver observer;
    net::asio::io_context io{1};
    PlayedStore* store = nullptr;
    std::unique_ptr<controller::Engine> engine;
};

TEST_F(EngineTest, WhoDoesNotLeadWritesAndDeclaresNothing) {
    EXPECT_FALSE(engine->lead_known());
    store->listener.leading(false);
    EXPECT_TRUE(engine->lead_known());
    store->tell_everything();
    spin();
    EXPECT_FALSE(engine->leading());
    EXPECT_EQ(store->submitted, 0U);
    EXPECT_EQ(observer.connections(), 0U);
}

TEST_F(EngineTest, ALostLeadIsGivenBackAndAWonOneBeginsAnew) {
    store->listener.leading(true);
    store->tell_everything();
    ASSERT_TRUE(eventually([&] { return engine->link().connected; }));
    ASSERT_TRUE(eventually([&] { return !store->writes.empty(); }));
    ASSERT_EQ(observer.bulks(), 1);

    store->listener.leading(false);
    ASSERT_TRUE(eventually([&] { return observer.empty_bulks() == 1; }));
    const std::size_t submitted = store->submitted;
    store->finish(0);  // of the old lead
    store->tell_everything();
    spin();
    EXPECT_EQ(store->submitted, submitted);
    EXPECT_FALSE(engine->link().connected);
    EXPECT_THAT(engine->reconciler().statuses(), IsEmpty());
    EXPECT_EQ(observer.bulks(), 1);

    store->listener.leading(true);
    spin();
    EXPECT_EQ(store->submitted, submitted) << "nothing has been told yet";
    store->tell_everything();
    ASSERT_TRUE(eventually([&] { return store->writes.size() == 2; }));
    ASSERT_TRUE(eventually([&] { return engine->link().connected; }));
    EXPECT_EQ(observer.bulks(), 2);
    store->finish(1);
    EXPECT_THAT(engine->reconciler().statuses(), SizeIs(1));
}

TEST_F(EngineTest, WhoDoesNotLeadAfterARestartGivesBackWhatWasDeclaredBefore) {
    store->listener.leading(true);
    store->tell_everything();
    ASSERT_TRUE(eventually([&] { return engine->link().connected; }));
    run(io, engine->stop());
    begin(true);
    spin();
    EXPECT_EQ(observer.empty_bulks(), 0) << "who leads is not known yet";
    store->listener.leading(false);
    EXPECT_TRUE(eventually([&] { return observer.empty_bulks() == 1; }));
}

TEST_F(EngineTest, CountersGoOnInTheNextRoutingPartOfTheProcess) {
    store->listener.leading(true);
    store->tell_everything();
    ASSERT_TRUE(eventually([&] { return engine->link().connected && !store->writes.empty(); }));
    store->finish(0);
    spin();
    const controller::EngineCounters before = engine->counters();
    ASSERT_GT(before.reconciler.passes, 0U);
    ASSERT_EQ(before.reconciler.created, 1U);
    ASSERT_EQ(before.link.syncs, 1U);
    ASSERT_GT(before.turn_seconds.count(), 0U);
    run(io, engine->stop());
    begin(true, &before);
    EXPECT_EQ(engine->reconciler().counts(net::read_clock()).passes, before.reconciler.passes);
    EXPECT_EQ(engine->turn_seconds().count(), before.turn_seconds.count());
    EXPECT_FALSE(engine->link().connected) << "a state is no counter";
    store->listener.leading(true);
    store->tell_everything();
    ASSERT_TRUE(eventually([&] { return engine->link().connected && !store->writes.empty(); }));
    store->finish(0);
    spin();
    EXPECT_GT(engine->counters().reconciler.passes, before.reconciler.passes);
    EXPECT_EQ(engine->counters().reconciler.created, 2U);
    EXPECT_EQ(engine->counters().link.syncs, 2U);
    EXPECT_GT(engine->counters().link.declarations, before.link.declarations);
}

TEST_F(EngineTest, WhatLooksLikeASlipInAServiceIsAnEvent) {
    store->listener.leading(true);
    store->listener.news(
        {controller::news::Doubtful{"inferenceservices/demo/chat",
                                    {"ome.io/traffic-drian is not known", "metadata.annotations"},
                                    core::ServiceKey{"demo", "chat"},
                                    "uid-chat"}});
    ASSERT_THAT(store->events, SizeIs(1));
    EXPECT_EQ(store->events[0].reason, "Doubtful");
    EXPECT_EQ(store->events[0].service_uid, "uid-chat");
    store->listener.news({controller::news::Doubtful{"inferenceservices/demo/chat.yaml:3", {"x"}}});
    EXPECT_THAT(store->events, SizeIs(1)) << "a file has the log alone";
}

TEST_F(EngineTest, ALeadThatIsBackAtOnceDeclaresAnew) {
    store->listener.leading(true);
    store->tell_everything();
    ASSERT_TRUE(eventually([&] { return engine->link().connected; }));
    store->listener.leading(false);
    store->listener.leading(true);
    store->tell_everything();
    EXPECT_TRUE(eventually([&] { return observer.bulks() == 2 && engine->link().connected; }));
}

}  // namespace
}  // namespace ome::test
