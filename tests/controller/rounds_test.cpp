// Random rounds of controller and observer under a fake clock: no map that was ever written breaks
// a promise. The seed of a failure is printed; OME_ROUND_SEED runs that one alone, with its log.
// OME_ROUNDS sets how many there are.
#include "model/simulation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace ome::model {
namespace {

using namespace std::chrono_literals;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void play(std::uint64_t seed, bool tell, std::size_t& versions) {
    Simulation simulation(seed);
    simulation.run(60s);
    versions += simulation.checker().versions();
    const auto& violations = simulation.checker().violations();
    if (tell || !violations.empty()) {
        for (const std::string& line : simulation.log()) {
            std::cout << line << '\n';
        }
    }
    for (const std::string& violation : violations) {
        ADD_FAILURE() << "seed " << seed << ": " << violation;
    }
}

TEST(Rounds, BreakNoPromise) {
    std::size_t versions = 0;
    if (const std::uint64_t seed = number_of("OME_ROUND_SEED", 0); seed != 0) {
        play(seed, true, versions);
        return;
    }
    const std::uint64_t rounds = number_of("OME_ROUNDS", 300);
    for (std::uint64_t seed = 1; seed <= rounds && !HasFailure(); ++seed) {
        play(seed, false, versions);
    }
    std::cout << rounds << " rounds, " << versions << " versions of maps\n";
    EXPECT_GT(versions, rounds * 5);
}

// 9925: what was known of a suspended service was gone when its observer was replaced.
// 341: a frozen map carried its old ceilings through a restart, which is right. 2523: readings of a
// service's former life counted for the one that was made anew, which is wrong.
TEST(Rounds, ThatOnceFailed) {
    std::size_t versions = 0;
    for (const std::uint64_t seed : {341U, 2523U, 9925U}) {
        play(seed, false, versions);
    }
}

}  // namespace
}  // namespace ome::model
