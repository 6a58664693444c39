#include "support/publication_bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace ome::test {
namespace {

using routing::ObjectKind;
using routing::Publication;
using testing::ElementsAre;

TEST(RouteRemoval, TakesAMapsObjectsAwayBeforeItsFinalizer) {
    PublicationBench bench;
    bench.run();
    bench.done.clear();
    bench.map.meta.deletion_timestamp = bench.now.wall;
    bench.run();
    EXPECT_TRUE(bench.gone);
    EXPECT_EQ(bench.world.owned_by(bench.service.key).size(), 0U);
    ASSERT_GE(bench.done.size(), 7U);
    EXPECT_EQ(bench.done[0], "status False/Finalizing");
    EXPECT_EQ(bench.done[1], "write HTTPRoute prod/chat-global");
    EXPECT_EQ(bench.done[2], "delete HTTPRoute prod/chat-global");
    EXPECT_EQ(bench.done[bench.done.size() - 2], "status False/Unpublished");
    EXPECT_EQ(bench.done.back(), "finalizer removed");
    EXPECT_FALSE(routing::holds_publisher_state(bench.map));
}

TEST(RouteRemoval, LeavesForeignObjectsAlone) {
    PublicationBench bench;
    bench.run();
    routing::PublishedObject taken = *bench.owned(ObjectKind::HttpRoute).front();
    taken.meta.labels.clear();
    bench.put(taken);
    bench.map.meta.deletion_timestamp = bench.now.wall;
    bench.done.clear();
    const auto verdict = bench.run();
    EXPECT_EQ(verdict->what, Publication::Finalizing);
    EXPECT_EQ(verdict->why.message,
              "claimed HTTPRoute prod/chat-global is not owned by source prod/chat");
    EXPECT_EQ(bench.count("write") + bench.count("delete"), 0U);
}

TEST(RouteRemoval, StopsAtAClaimThatCannotBeRead) {
    PublicationBench bench;
    bench.run();
    bench.map.status.publisher->claimed_targets.emplace_back("v9:x");
    bench.map.meta.deletion_timestamp = bench.now.wall;
    bench.done.clear();
    const auto verdict = bench.run();
    EXPECT_EQ(verdict->why.message, "target \"v9:x\" has an unsupported claim version or kind");
    EXPECT_EQ(bench.count("write") + bench.count("delete"), 0U);
}

TEST(RouteRemoval, IsNotItsBusinessWhatAnotherPublisherClaimed) {
    PublicationBench bench;
    bench.map.meta.finalizers = {std::string(routing::publisher_finalizer)};
    bench.map.status.publisher = journal("acme", {"x"});
    bench.map.meta.deletion_timestamp = bench.now.wall;
    EXPECT_EQ(bench.run()->what, Publication::PublisherChanged);
    EXPECT_THAT(bench.done, ElementsAre("status False/PublisherChanged"));
    EXPECT_FALSE(bench.gone);
}

TEST(RouteRemoval, DoesNotWaitForWhatCouldNotBeApplied) {
    PublicationBench bench;
    bench.run();
    bench.memory.failure = routing::PublicationMemory::Failure{Publication::ApplyFailed, {"no"}};
    bench.map.meta.deletion_timestamp = bench.now.wall;
    bench.run();
    EXPECT_TRUE(bench.gone);
}

TEST(RouteRemoval, WaitsAfterARemovalThatFailed) {
    PublicationBench bench;
    bench.run();
    bench.memory.failure = routing::PublicationMemory::Failure{Publication::Finalizing, {"no"}};
    bench.map.meta.deletion_timestamp = bench.now.wall;
    bench.done.clear();
    const auto verdict = bench.run();
    EXPECT_EQ(verdict->why.message, "no");
    EXPECT_THAT(bench.done, ElementsAre("status False/Finalizing"));
}

TEST(RouteRemoval, NeedsNoService) {
    PublicationBench bench;
    bench.run();
    bench.world.erase_service(bench.service.key);
    bench.settings.active = false;
    bench.map.meta.deletion_timestamp = bench.now.wall;
    bench.run();
    EXPECT_TRUE(bench.gone);
}

// A route of ours leads to these.
std::set<routing::ObjectKey> led_to(const PublicationBench& bench) {
    std::set<routing::ObjectKey> services;
    for (const auto* route : bench.owned(ObjectKind::HttpRoute)) {
        for (const auto& backend : std::get<routing::HttpRouteSpec>(route->spec).backends) {
            services.insert({ObjectKind::Service, backend.ns, backend.service});
        }
    }
    return services;
}

// The Service that an object of ours is, or is about.
routing::ObjectKey service_behind(const routing::ObjectKey& key) {
    routing::ObjectKey service{ObjectKind::Service, key.ns, key.name};
    if (key.kind == ObjectKind::EndpointSlice) {
        service.name.resize(service.name.rfind('-'));
    }
    return service;
}

// At any moment: no route to a Service that is not there; nothing of ours after the map.
void check(const PublicationBench& bench) {
    for (const routing::ObjectKey& service : led_to(bench)) {
        EXPECT_NE(bench.world.find(service), nullptr) << routing::path_of(service);
    }
    if (bench.gone) {
        EXPECT_TRUE(bench.world.owned_by(bench.service.key).empty());
    }
}

// Of the requests of one step any may fail, and those after it are carried out all the same: so
// what a step takes away must not be needed before it, whatever else is in the step. Turning slices
// or policies off takes those of homes that go on serving: that is what it is for.
void check_order(const PublicationBench& bench, const routing::PublicationStep& step) {
    const std::set<routing::ObjectKey> needed = led_to(bench);
    for (const routing::ObjectDelete& remove : step.deletes) {
        const ObjectKind kind = remove.key.kind;
        const bool backend =
            kind == ObjectKind::Service ||
            (kind == ObjectKind::EndpointSlice && bench.settings.endpoint_slices) ||
            (kind == ObjectKind::BackendTlsPolicy && bench.settings.backend_tls);
        EXPECT_FALSE(backend && needed.contains(service_behind(remove.key)))
            << routing::to_string(kind) << " " << routing::path_of(remove.key)
            << " goes while a route leads to its Service";
    }
    for (const auto* object : bench.world.owned_by(bench.service.key)) {
        const bool about_one = object->kind() == ObjectKind::EndpointSlice ||
                               object->kind() == ObjectKind::BackendTlsPolicy;
        const routing::ObjectKey service = service_behind(object->key());
        EXPECT_FALSE(about_one && !object->terminating() &&
                     std::any_of(step.deletes.begin(),
                                 step.deletes.end(),
                                 [&](const auto& remove) { return remove.key == service; }))
            << "Service " << service.name << " may go before what is about it";
    }
    for (const routing::ObjectWrite& write : step.writes) {
        const auto* route = std::get_if<routing::HttpRouteSpec>(&write.object.spec);
        for (const auto& backend :
             route == nullptr ? std::vector<routing::HttpRouteSpec::Backend>() : route->backends) {
            EXPECT_NE(bench.world.find({ObjectKind::Service, backend.ns, backend.service}), nullptr)
                << "a route leads to " << backend.service << " before it is there";
        }
    }
    if (step.finalizer == routing::PublicationStep::Finalizer::Remove) {
        EXPECT_TRUE(bench.world.owned_by(bench.service.key).empty());
    }
}

class RandomRemoval {
public:
    explicit RandomRemoval(unsigned seed) : numbers_(seed), original_(bench_.map.spec.entries) {
        bench_.look = [this] { check(bench_); };
        bench_.settings.endpoint_slices = true;
        bench_.world.put_addresses(
            bench_.service.key,
            {{"worker-a", std::vector<std::string>{"203.0.113.1", "2001:db8::1"}},
             {"worker-b", std::vector<std::string>{"203.0.113.2"}}});
    }

    void run() {
        for (int round = 0; round < 12; ++round) {
            change();
            steps(random(5));
            release();
        }
        bench_.settings.active = random(2) == 0;
        if (random(3) == 0) {
            bench_.world.set_unreadable(ObjectKind::HttpRoute, core::Problem{"forbidden"});
            steps(3);
        }
        bench_.map.meta.deletion_timestamp = bench_.now.wall;
        steps(3);
        bench_.world.set_unreadable(ObjectKind::HttpRoute, std::nullopt);
        for (int process = 0; process < 50 && !bench_.gone; ++process) {
            bench_.memory = {};
            steps(random(3));
            release();
        }
        EXPECT_TRUE(bench_.gone || bench_.map.meta.finalizers.empty());
        EXPECT_TRUE(bench_.world.owned_by(bench_.service.key).empty());
    }

private:
    unsigned random(unsigned below) { return static_cast<unsigned>(numbers_() % below); }

    void change() {
        switch (random(8)) {
            case 0:
                bench_.settings.host_template =
                    bench_.settings.host_template.empty() ? "{{ .Name }}.example.com" : "";
                break;
            case 1:
                bench_.map.spec.entries = original_;
                bench_.map.spec.entries.resize(random(3));
                break;
            case 2:
                if (!bench_.map.spec.entries.empty()) {
                    bench_.map.spec.entries.front().weight = static_cast<std::int32_t>(random(3));
                }
                break;
            case 3:
                bench_.memory = {};
                break;
            case 4:
                bench_.settings.backend_tls = !bench_.settings.backend_tls;
                bench_.settings.authorities = "System";
                break;
            case 5:
                bench_.settings.endpoint_slices = !bench_.settings.endpoint_slices;
                break;
            case 6:
                hold();
                break;
            default:
                break;
        }
    }

    // Somebody else's finalizer keeps one of our objects for a while.
    void hold() {
        const auto owned = bench_.world.owned_by(bench_.service.key);
        if (!owned.empty()) {
            routing::PublishedObject object = *owned[random(static_cast<unsigned>(owned.size()))];
            object.meta.finalizers = {"example.com/hold"};
            bench_.put(object);
        }
    }

    void release() {
        for (const auto* object : bench_.world.owned_by(bench_.service.key)) {
            if (object->terminating() && random(2) == 0) {
                bench_.world.erase(routing::ObjectKey(object->key()));
            }
        }
    }

    void steps(unsigned most) {
        bench_.run([this, &most](const routing::PublicationStep& step) {
            check_order(bench_, step);
            return most-- == 0;
        });
        check(bench_);
    }

    std::mt19937 numbers_;
    PublicationBench bench_;
    std::vector<routing::Entry> original_;
};

// One step at a time, another process at any moment, the plan changing meanwhile.
TEST(RouteRemoval, LeavesNoOrphanWhereverTheProcessEnds) {
    for (unsigned seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        RandomRemoval(seed).run();
    }
}

}  // namespace
}  // namespace ome::test
