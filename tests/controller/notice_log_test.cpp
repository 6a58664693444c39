#include "notice_log.hpp"

#include <ome/telemetry/log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace ome::controller {
namespace {

TEST(NoticeLog, NumbersAreNumbersInJson) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    {
        telemetry::log::Settings settings;
        settings.format = telemetry::log::Format::Json;
        settings.descriptor = ends[1];
        const auto logging = telemetry::log::Logging::start(settings);
        ASSERT_TRUE(logging);
        write_notice({Notice::Level::Info,
                      "trafficmap generated",
                      {{"isvc", "a/b"}, {"op", "created"}, {"mode", "Weighted"}, {"homes", 2}}});
    }
    ::close(ends[1]);
    char text[512];
    const ssize_t size = ::read(ends[0], text, sizeof text);
    ::close(ends[0]);
    EXPECT_THAT(std::string(text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))),
                testing::HasSubstr(R"("isvc":"a/b","op":"created","mode":"Weighted","homes":2)"));
}

}  // namespace
}  // namespace ome::controller
