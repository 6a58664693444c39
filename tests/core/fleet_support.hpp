// Declarations and answers for tests of the fleet.
#pragma once

#include <ome/core/fleet.hpp>

#include <gtest/gtest.h>
#include <support/fake_clock.hpp>

#include <initializer_list>

namespace ome::core {

inline CapacityPolicy some_capacity(std::string digest = "sha256:c") {
    CapacityPolicy policy;
    policy.path = "/capacity";
    policy.format = "Report";
    policy.period = std::chrono::seconds(10);
    policy.timeout = std::chrono::seconds(3);
    policy.samples = 3;
    policy.quorum = 1;
    policy.max_age = std::chrono::seconds(30);
    policy.digest = std::move(digest);
    return policy;
}

inline ProbePolicy some_probe(std::string digest = "sha256:p") {
    ProbePolicy policy;
    policy.path = "/v1/models";
    policy.accept_statuses = {200};
    policy.gate_statuses = {503};
    policy.period = std::chrono::seconds(10);
    policy.timeout = std::chrono::seconds(3);
    policy.failure_threshold = 2;
    policy.success_threshold = 2;
    policy.digest = std::move(digest);
    return policy;
}

inline ServiceDeclaration some_service(std::string name,
                                       std::initializer_list<std::string> clusters) {
    ServiceDeclaration declaration;
    declaration.key = {"prod", std::move(name)};
    declaration.owner_uid = "uid-1";
    for (const std::string& cluster : clusters) {
        declaration.homes.push_back({cluster, "http://" + cluster + ".example/base", std::nullopt});
    }
    return declaration;
}

inline AttemptOutcome fault(Fault what, std::string text = {}) {
    AttemptOutcome outcome;
    outcome.fault = what;
    outcome.text = std::move(text);
    return outcome;
}

inline AttemptOutcome status(std::int32_t code) {
    AttemptOutcome outcome;
    outcome.status = code;
    return outcome;
}

inline AttemptOutcome report(std::int32_t servable, WallTime observed_at) {
    AttemptOutcome outcome = status(200);
    outcome.report = CapacityReport{servable, observed_at};
    return outcome;
}

inline ServiceDeclaration polled(std::initializer_list<std::string> clusters = {"a"}) {
    ServiceDeclaration declaration = some_service("llama", clusters);
    declaration.capacity = some_capacity();
    return declaration;
}

inline ServiceDeclaration probed(std::initializer_list<std::string> clusters = {"a"}) {
    ServiceDeclaration declaration = some_service("llama", clusters);
    declaration.probe = some_probe();
    return declaration;
}

class FleetTest : public testing::Test {
protected:
    Dropped declare(const ServiceDeclaration& declaration) {
        return fleet.declare(declaration, clock.now());
    }

    /// Everything that may start now, with no end of permits.
    std::vector<Attempt> due() {
        fleet.gather(clock.now());
        std::vector<Attempt> taken;
        while (auto attempt = fleet.take(clock.now())) {
            taken.push_back(std::move(*attempt));
        }
        return taken;
    }

    /// The one attempt that may start now.
    Attempt only() {
        std::vector<Attempt> taken = due();
        EXPECT_EQ(taken.size(), 1u);
        return taken.empty() ? Attempt{} : taken.front();
    }

    [[nodiscard]] std::string cluster_of(const Attempt& attempt) const {
        return std::string(fleet.cluster_of(attempt));
    }

    bool finish(const Attempt& attempt, AttemptOutcome outcome) {
        return fleet.finish(attempt, std::move(outcome), clock.now());
    }
    void finish_all(const AttemptOutcome& outcome) {
        for (const Attempt& attempt : due()) {
            finish(attempt, outcome);
        }
    }
    AttemptOutcome servable(std::int32_t count) { return report(count, clock.wall()); }

    HomeReading home(const std::string& service = "llama", std::size_t place = 0) {
        const auto reading = fleet.read({"prod", service}, clock.now());
        EXPECT_TRUE(reading && place < reading->homes.size());
        return reading && place < reading->homes.size() ? reading->homes[place] : HomeReading{};
    }

    /// Until the next wake-up.
    void sleep() {
        const auto wakeup = fleet.next_wakeup();
        ASSERT_TRUE(wakeup);
        clock.advance(*wakeup - clock.steady());
    }

    test::FakeClock clock;
    Fleet fleet{std::chrono::seconds(1)};
};

}  // namespace ome::core
