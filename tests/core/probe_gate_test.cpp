#include <ome/core/probe_gate.hpp>

#include <gtest/gtest.h>
#include <support/fake_clock.hpp>

#include <limits>

namespace ome::core {
namespace {

constexpr GateRules three_and_two{3, 2};

ProbeGate after(std::string_view history, ProbeGate gate = ProbeGate(three_and_two)) {
    const test::FakeClock clock;
    for (const char letter : history) {
        const ProbeResult result = letter == 'F'   ? ProbeResult::Failing
                                   : letter == 'P' ? ProbeResult::Passing
                                                   : ProbeResult::Unknown;
        gate.apply({result, std::string(1, letter)}, clock.wall());
    }
    return gate;
}

TEST(ProbeGate, ClosesAtTheThresholdAndLooksThroughUnknown) {
    EXPECT_EQ(after("FF").reachable(), true);
    EXPECT_EQ(after("FFF").reachable(), false);
    EXPECT_EQ(after("FUFUF").reachable(), false);
    EXPECT_EQ(after("FFPFF").reachable(), true);
}

TEST(ProbeGate, OpensOnlyAfterEnoughPassesInARow) {
    EXPECT_EQ(after("FFFP").reachable(), false);
    EXPECT_EQ(after("FFFPUP").reachable(), true);
    EXPECT_EQ(after("FFFPFP").reachable(), false);
    EXPECT_EQ(after("FFFPF").failures(), 1);
    EXPECT_EQ(after("PPPFFFP").reachable(), false) << "passes are not banked";
}

TEST(ProbeGate, KnowsNothingUntilAResultAndNothingConclusiveFromUnknown) {
    EXPECT_FALSE(after("").known());
    EXPECT_TRUE(after("U").known());
    EXPECT_EQ(after("UUUU").reachable(), std::nullopt);
}

TEST(ProbeGate, CountsWithoutOverflow) {
    RestoredProbe saved;
    saved.consecutive_failures = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(after("F", ProbeGate(three_and_two, saved)).failures(),
              std::numeric_limits<std::int32_t>::max());
}

TEST(ProbeGate, RestoresTheGateAndTheFailuresButNoPasses) {
    RestoredProbe saved;
    saved.gated = true;
    saved.consecutive_failures = -4;
    saved.result = ProbeResult::Passing;
    saved.message = "HTTP 200";
    const ProbeGate gate(three_and_two, saved);
    EXPECT_TRUE(gate.known());
    EXPECT_EQ(gate.failures(), 0);
    EXPECT_EQ(gate.reachable(), false);
    EXPECT_EQ(after("P", gate).reachable(), false);
    EXPECT_EQ(after("PP", gate).reachable(), true);
}

TEST(ProbeGate, ARestoredRecordIsConclusiveWhenItSaysAnything) {
    const auto conclusive = [](bool gated, int failures, ProbeResult result) {
        return ProbeGate(three_and_two, {"", gated, failures, result, "", {}}).conclusive();
    };
    EXPECT_FALSE(conclusive(false, 0, ProbeResult::Unknown));
    EXPECT_TRUE(conclusive(true, 0, ProbeResult::Unknown));
    EXPECT_TRUE(conclusive(false, 1, ProbeResult::Unknown));
    EXPECT_TRUE(conclusive(false, 0, ProbeResult::Passing));
    EXPECT_TRUE(conclusive(false, 0, ProbeResult::Failing));
}

TEST(ProbeGate, RestoresOnlyUnderTheSamePolicy) {
    ProbePolicy policy;
    policy.digest = "sha256:a";
    EXPECT_TRUE(restorable({"sha256:a", false, 0, ProbeResult::Unknown, "", {}}, policy));
    EXPECT_FALSE(restorable({"sha256:b", false, 0, ProbeResult::Unknown, "", {}}, policy));
}

TEST(ProbeGate, SaysWhetherMoreThanTheTimeChanged) {
    ProbeGate gate = after("FFF");
    EXPECT_TRUE(gate.apply({ProbeResult::Failing, "F"}, {}));  // the count
    gate = after("PP");
    EXPECT_FALSE(gate.apply({ProbeResult::Passing, "P"}, {}));
    EXPECT_TRUE(gate.apply({ProbeResult::Passing, "HTTP 204"}, {}));
    EXPECT_FALSE(after("U").apply({ProbeResult::Unknown, "U"}, {}));
}

}  // namespace
}  // namespace ome::core
