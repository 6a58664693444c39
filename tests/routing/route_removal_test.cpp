#include "support/publication_bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

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

TEST(RouteRemoval, NeedsNoService) {
    PublicationBench bench;
    bench.run();
    bench.world.erase_service(bench.service.key);
    bench.settings.active = false;
    bench.map.meta.deletion_timestamp = bench.now.wall;
    bench.run();
    EXPECT_TRUE(bench.gone);
}

// No route that gives traffic to a Service that is not there; nothing of ours after the map.
void check(const PublicationBench& bench) {
    for (const auto* route : bench.owned(ObjectKind::HttpRoute)) {
        for (const auto& backend : std::get<routing::HttpRouteSpec>(route->spec).backends) {
            EXPECT_NE(bench.world.find({ObjectKind::Service, backend.ns, backend.service}),
                      nullptr);
        }
    }
    if (bench.gone) {
        EXPECT_TRUE(bench.world.owned_by(bench.service.key).empty());
    }
}

// One step at a time, another process at any moment, the plan changing meanwhile.
TEST(RouteRemoval, LeavesNoOrphanWhereverTheProcessEnds) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 numbers(seed);
        const auto random = [&numbers](unsigned below) {
            return static_cast<unsigned>(numbers() % below);
        };
        PublicationBench bench;
        const auto original = bench.map.spec.entries;
        for (int round = 0; round < 12; ++round) {
            const unsigned what = random(6);
            if (what == 0) {
                bench.settings.host_template =
                    bench.settings.host_template.empty() ? "{{ .Name }}.example.com" : "";
            } else if (what == 1) {
                bench.map.spec.entries = original;
                bench.map.spec.entries.resize(random(3));
            } else if (what == 2 && !bench.map.spec.entries.empty()) {
                bench.map.spec.entries.front().weight = static_cast<std::int32_t>(random(3));
            } else if (what == 3) {
                bench.memory = {};
            } else if (what == 4) {
                bench.settings.backend_tls = !bench.settings.backend_tls;
                bench.settings.authorities = "System";
            }
            unsigned steps = random(5);
            bench.run([&steps](const routing::PublicationStep&) { return steps-- == 0; });
            check(bench);
        }
        bench.memory = {};
        bench.settings.active = random(2) == 0;
        if (random(3) == 0) {
            bench.world.set_unreadable(ObjectKind::HttpRoute, core::Problem{"forbidden"});
            bench.run();
        }
        bench.map.meta.deletion_timestamp = bench.now.wall;
        bench.run();
        check(bench);
        bench.world.set_unreadable(ObjectKind::HttpRoute, std::nullopt);
        for (int process = 0; process < 50 && !bench.gone; ++process) {
            unsigned steps = random(3);
            bench.memory = {};
            bench.run([&steps](const routing::PublicationStep&) { return steps-- == 0; });
            check(bench);
        }
        EXPECT_TRUE(bench.gone || bench.map.meta.finalizers.empty());
        EXPECT_TRUE(bench.world.owned_by(bench.service.key).empty());
    }
}

}  // namespace
}  // namespace ome::test
