#include "../../src/net/http_date.hpp"

#include <gtest/gtest.h>

namespace ome::net {
namespace {

TEST(HttpDate, ReadsTheOneFormatThatSendersUse) {
    EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), (core::WallTime{784111777, 0}));
    EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), (core::WallTime{0, 0}));
    EXPECT_EQ(parse_http_date("Thu, 29 Feb 2024 23:59:60 GMT"), (core::WallTime{1709251200, 0}));
}

TEST(HttpDate, ReadsNothingElse) {
    for (const char* text : {"",
                             "Sunday, 06-Nov-94 08:49:37 GMT",
                             "Sun Nov  6 08:49:37 1994",
                             "Sun, 06 Nov 1994 08:49:37 CET",
                             "Sun, 31 Feb 1994 08:49:37 GMT",
                             "Sun, 06 Nox 1994 08:49:37 GMT",
                             "Sun, 06 anF 1994 08:49:37 GMT",
                             "Sun, 06 Nov 1994 24:00:00 GMT",
                             "Sun, 06 Nov 1994 08:49:37 GMT "}) {
        EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace ome::net
