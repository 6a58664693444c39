#include "duration_text.hpp"

#include <gtest/gtest.h>

namespace ome::homesim {
namespace {

using namespace std::chrono_literals;

TEST(DurationText, ReadsANumberAndAUnit) {
    EXPECT_EQ(parse_duration("250ms"), 250ms);
    EXPECT_EQ(parse_duration("1.5s"), 1500ms);
    EXPECT_EQ(parse_duration("-5s"), -5s);
    EXPECT_EQ(parse_duration("2m"), 2min);
    for (const char* wrong : {"", "5", "s", "5 s", "1e3s", "infs", "99999999999h"}) {
        EXPECT_EQ(parse_duration(wrong), std::nullopt) << wrong;
    }
}

TEST(DurationText, WritesWhatItReads) {
    for (const core::Duration duration :
         {0ns, 1500us + 0ns, 250ms + 0ns, -5s + 0ns, 90s + 0ns, 1h + 0ns}) {
        EXPECT_EQ(parse_duration(format_duration(duration)), duration) << format_duration(duration);
    }
}

}  // namespace
}  // namespace ome::homesim
