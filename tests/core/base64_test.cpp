#include <ome/core/base64.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

TEST(Base64, PadsToWholeGroups) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, TakesEveryByte) {
    EXPECT_EQ(base64(std::string_view("\x00\xff\xfe\x80", 4)), "AP/+gA==");
}

}  // namespace
}  // namespace ome::core
