// Random services against a second implementation of the contract (tests/model/routing_model.cpp).
#include "model/routing_model.hpp"
#include "random_service.hpp"
#include "table.hpp"
#include <ome/routing/explanation.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace ome::routing {
namespace {

// OME_SEED repeats a run.
std::uint64_t seed() {
    const char* const given = std::getenv("OME_SEED");
    const std::uint64_t seed =
        given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
    std::printf("OME_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

// Factors are compared by value: the spelling has tests of its own.
void compare_factor(Entry& actual, Entry& expected) {
    ASSERT_EQ(actual.capacity.factor.has_value(), expected.capacity.factor.has_value());
    if (actual.capacity.factor) {
        ASSERT_EQ(model::value_of(*actual.capacity.factor),
                  model::value_of(*expected.capacity.factor))
            << *actual.capacity.factor << " was " << *expected.capacity.factor;
    }
    actual.capacity.factor = expected.capacity.factor = std::nullopt;
}

void cut_target_problem(Entry& entry) {
    constexpr std::string_view prefix = "capacity target is invalid: ";
    if (entry.capacity.fallback_reason.starts_with(prefix)) {
        entry.capacity.fallback_reason.resize(prefix.size());
    }
}

void compare(Plan actual, Plan expected) {
    ASSERT_EQ(actual.verdict.routable, expected.verdict.routable);
    ASSERT_EQ(actual.verdict.reason, expected.verdict.reason);
    ASSERT_EQ(actual.spec.entries.size(), expected.spec.entries.size());
    for (std::size_t i = 0; i < actual.spec.entries.size(); ++i) {
        Entry& a = actual.spec.entries[i];
        Entry& e = expected.spec.entries[i];
        ASSERT_EQ(a.weight, e.weight) << a.cluster;
        ASSERT_NO_FATAL_FAILURE(compare_factor(a, e));
        cut_target_problem(a);
        ASSERT_EQ(a.capacity.fallback_reason, e.capacity.fallback_reason) << a.cluster;
        ASSERT_EQ(a.drain_refs, e.drain_refs) << a.cluster;
        ASSERT_EQ(a.healthy, e.healthy) << a.cluster;
        ASSERT_TRUE(a == e) << a.cluster;
    }
    ASSERT_TRUE(actual.spec == expected.spec);
}

TEST(WeightsProperty, EveryPlanIsTheModels) {
    RandomServices services(seed());
    for (int round = 0; round < random_rounds; ++round) {
        const RandomCase made = services.next();
        ASSERT_NO_FATAL_FAILURE(compare(build_plan(made.service, made.routed, made.observed),
                                        model::plan_of(made.service, made.routed, made.observed)))
            << "round " << round;
    }
}

TEST(WeightsProperty, MachineIntegersGiveWhatBigOnesGive) {
    RandomServices services(seed());
    for (int round = 0; round < random_rounds; ++round) {
        const RandomCase made = services.next();
        const Table table = make_table(made.service, made.routed, made.observed);
        const Weights big =
            weigh(table.inputs, all_failed_policy(made.routed.policies), Arithmetic::Big);
        ASSERT_EQ(table.weights.values, big.values) << "round " << round;
        ASSERT_EQ(table.weights.capped, big.capped) << "round " << round;
        ASSERT_EQ(table.weights.preserved, big.preserved) << "round " << round;
    }
}

TEST(WeightsProperty, TheStepsEndAtTheWeight) {
    RandomServices services(seed());
    for (int round = 0; round < random_rounds / 4; ++round) {
        const RandomCase made = services.next();
        const Plan plan = build_plan(made.service, made.routed, made.observed);
        const Explanation explanation = explain(made.service, made.routed, made.observed);
        ASSERT_EQ(explanation.homes.size(), plan.spec.entries.size());
        for (std::size_t i = 0; i < plan.spec.entries.size(); ++i) {
            const HomeExplanation& home = explanation.homes[i];
            const std::string weight = std::to_string(plan.spec.entries[i].weight);
            ASSERT_EQ(home.steps.back().value, weight) << home.text;
            ASSERT_TRUE(home.text.starts_with(home.cluster + " " + weight + ": ")) << home.text;
            ASSERT_TRUE(home.text.ends_with("-> " + weight)) << home.text;
        }
    }
}

}  // namespace
}  // namespace ome::routing
