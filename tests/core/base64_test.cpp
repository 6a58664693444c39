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

TEST(Base64, ReadsWhatItWrote) {
    for (const std::string text : {"", "f", "fo", "foo", "foob", "\xff\xfe\x80"}) {
        EXPECT_EQ(decode_base64(base64(text)), text);
    }
    EXPECT_EQ(decode_base64("Zm9v\n YmFy\r\n"), "foobar");
}

TEST(Base64, RefusesWhatNobodyWrites) {
    for (const char* text : {"Zg", "Zg=", "Z===", "Zh==", "Zg==Zg==", "Zm9*", "=m9v", "Zm=v"}) {
        EXPECT_FALSE(decode_base64(text)) << text;
    }
}

}  // namespace
}  // namespace ome::core
