#include "policy_samples.hpp"
#include <ome/core/policy_advice.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

std::string fields(const std::vector<Problem>& problems) {
    std::string joined;
    for (const Problem& problem : problems) {
        joined += problem.field + ";";
    }
    return joined;
}

TEST(Advice, HasNothingToSayOfTheSamples) {
    EXPECT_EQ(fields(advice(samples::probe(), "probe")), "");
    EXPECT_EQ(fields(advice(samples::capacity(), "capacity")), "");
    EXPECT_EQ(fields(advice(CapacitySettings{.method = "HEAD", .format = "Report"}, "c")), "");
}

TEST(Advice, WarnsOfHeadWithReport) {
    CapacitySettings capacity = samples::capacity();
    capacity.method = "HEAD";
    const auto found = advice(capacity, "capacity");
    ASSERT_EQ(fields(found), "capacity.method;");
    EXPECT_NE(found[0].message.find("can never work"), std::string::npos);
}

TEST(Advice, WarnsOfSamplesThatCanNeverBeHeld) {
    CapacitySettings capacity = samples::capacity();
    capacity.samples = 5;
    EXPECT_EQ(fields(advice(capacity, "capacity")), "");
    capacity.samples = 6;
    EXPECT_EQ(fields(advice(capacity, "capacity")), "capacity.samples;");
}

TEST(Advice, WarnsOfAMaxAgeWithoutRoom) {
    CapacitySettings capacity = samples::capacity();
    capacity.max_age = "30s";
    EXPECT_EQ(fields(advice(capacity, "capacity")), "capacity.maxAge;");
    capacity.max_age = "30.001s";
    EXPECT_EQ(fields(advice(capacity, "capacity")), "");
}

TEST(Advice, WarnsOfPathsThatDoNotDoWhatTheyLookLike) {
    const auto of = [](std::string path) {
        ProbeSettings probe = samples::probe();
        probe.path = std::move(path);
        return advice(probe, "probe").size();
    };
    EXPECT_EQ(of("/a/../b"), 1U);
    EXPECT_EQ(of("/a/.."), 1U);
    EXPECT_EQ(of("/a/..b/%2e%2E"), 0U);
    EXPECT_EQ(of("/a?x=1#y"), 2U);
    EXPECT_EQ(of("/%zz"), 1U);
    EXPECT_EQ(of("/%2"), 1U);
    EXPECT_EQ(of("/%2F"), 0U);
}

}  // namespace
}  // namespace ome::core
