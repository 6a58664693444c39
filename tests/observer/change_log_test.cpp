#include "change_log.hpp"

#include <gtest/gtest.h>

namespace ome::observer {
namespace {

core::HomeReading reading() {
    core::HomeReading home;
    home.cluster = "worker-a";
    return home;
}

TEST(TroubleOf, IsTheProbesMessageUnlessItPasses) {
    core::HomeReading home = reading();
    EXPECT_EQ(trouble_of(home), "");
    home.probe.emplace().message = "HTTP 301 (not in accept or gate list)";
    EXPECT_EQ(trouble_of(home), "HTTP 301 (not in accept or gate list)");
    home.probe->result = core::ProbeResult::Failing;
    home.probe->message = "HTTP 503";
    EXPECT_EQ(trouble_of(home), "HTTP 503");
    home.probe->result = core::ProbeResult::Passing;
    EXPECT_EQ(trouble_of(home), "");
}

TEST(TroubleOf, IsTheFallbackReasonOnceThereWasTimeForACeiling) {
    core::HomeReading home = reading();
    home.capacity.emplace().fallback_reason = "no capacity report yet";
    EXPECT_EQ(trouble_of(home), "");
    home.capacity->fallback_reason = "capacity report awaiting quorum (1/2 accepted samples)";
    EXPECT_EQ(trouble_of(home), "");
    home.capacity->fallback_reason = "capacity endpoint returned HTTP 404";
    EXPECT_EQ(trouble_of(home), "capacity endpoint returned HTTP 404");
    home.capacity->ceiling = 2;
    EXPECT_EQ(trouble_of(home), "");
}

}  // namespace
}  // namespace ome::observer
