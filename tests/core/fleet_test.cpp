#include "fleet_support.hpp"

namespace ome::core {
namespace {

using FleetAsAWhole = FleetTest;

TEST_F(FleetAsAWhole, ServicesTakeTurns) {
    declare(polled({"a", "b", "c"}));
    ServiceDeclaration other = polled({"x"});
    other.key.name = "mistral";
    declare(other);
    EXPECT_EQ(fleet.services_waiting(), 0u);
    fleet.gather(clock.now());
    EXPECT_EQ(fleet.services_waiting(), 2u);
    std::string order;
    while (const auto attempt = fleet.take(clock.now())) {
        order += cluster_of(*attempt);
    }
    EXPECT_EQ(order, "axbc");
}

TEST_F(FleetAsAWhole, SaysWhatCountedAndWhereItWent) {
    ServiceDeclaration declaration = some_service("llama", {"a"});
    declaration.homes[0].endpoint = "HTTP://A.example/base";
    declaration.probe = some_probe();
    declare(declaration);
    const Attempt first = only();
    EXPECT_EQ(fleet.endpoint_of(first), "http://a.example/base");
    EXPECT_TRUE(finish(first, status(503)));
    EXPECT_EQ(fleet.endpoint_of(first), "");
    EXPECT_FALSE(finish(first, status(503)));
    clock.advance(std::chrono::seconds(20));
    EXPECT_FALSE(finish(only(), fault(Fault::Cancelled)));
    const Attempt last = only();
    (void)fleet.forget({"prod", "llama"});
    EXPECT_EQ(fleet.endpoint_of(last), "");
    EXPECT_FALSE(finish(last, status(200)));
}

TEST_F(FleetAsAWhole, PagesOfKeysAreInOrder) {
    for (const std::string name : {"c", "a", "d", "b"}) {
        declare(some_service(name, {}));
    }
    const std::vector<ServiceKey> page = fleet.keys_after(nullptr, 3);
    EXPECT_EQ(page, (std::vector<ServiceKey>{{"prod", "a"}, {"prod", "b"}, {"prod", "c"}}));
    const ServiceKey between{"prod", "bb"};
    EXPECT_EQ(fleet.keys_after(&between, 10),
              (std::vector<ServiceKey>{{"prod", "c"}, {"prod", "d"}}));
}

TEST_F(FleetAsAWhole, TheWorstOfAllHomesIsTheFleets) {
    declare(polled({"a", "b", "c"}));
    std::int64_t expiry = 5000;
    for (const Attempt& attempt : due()) {
        AttemptOutcome outcome = servable(4);
        outcome.certificate_expiry = WallTime{cluster_of(attempt) == "b" ? 1000 : ++expiry, 0};
        outcome.clock_skew = cluster_of(attempt) == "b" ? -9 : 3;
        finish(attempt, outcome);
    }
    EXPECT_EQ(fleet.extremes().earliest_expiry, (WallTime{1000, 0}));
    EXPECT_EQ(fleet.extremes().largest_skew, -9);
    declare(polled({"a", "c"}));
    EXPECT_EQ(fleet.extremes().earliest_expiry, (WallTime{5001, 0}));
    EXPECT_EQ(fleet.extremes().largest_skew, 3);
}

}  // namespace
}  // namespace ome::core
