#include "bearer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ome::observer {
namespace {

class TokenFileTest : public testing::Test {
protected:
    ~TokenFileTest() override { std::filesystem::remove(path); }

    core::Result<std::string> reading(const std::string& text) const {
        std::ofstream(path, std::ios::trunc) << text;
        return read_token(path);
    }

    std::string path = testing::TempDir() + "ome-token-" + std::to_string(::getpid());
};

TEST_F(TokenFileTest, HoldsOneTokenWithOrWithoutALineEnd) {
    EXPECT_EQ(reading("s3cret").value(), "s3cret");
    EXPECT_EQ(reading("  s3cret\r\n").value(), "s3cret");
}

TEST_F(TokenFileTest, AnythingElseIsAProblemThatDoesNotTellIt) {
    const std::string rule =
        "token-file: " + path + ": must hold one token of 1 to 8192 visible ASCII characters";
    for (const std::string& text : {std::string(),
                                    std::string(" \n"),
                                    std::string("two words"),
                                    std::string("a\x01"),
                                    std::string("\xc3\xa4"),
                                    std::string(8193, 'x')}) {
        const auto token = reading(text);
        ASSERT_FALSE(token) << text.size();
        EXPECT_EQ(token.error().message, rule);
    }
    std::filesystem::remove(path);
    EXPECT_EQ(read_token(path).error().message,
              "token-file: " + path + ": No such file or directory");
}

TEST(Bearer, OnlyTheTokenItselfIsShown) {
    EXPECT_TRUE(shows_token("Bearer s3cret", "s3cret"));
    EXPECT_TRUE(shows_token("bearer  s3cret ", "s3cret"));
    for (const char* header : {"",
                               "Bearer",
                               "Bearer ",
                               "s3cret",
                               "Basic s3cret",
                               "Bearers3cret",
                               "Bearer s3cre",
                               "Bearer s3crets",
                               "Bearer S3cret"}) {
        EXPECT_FALSE(shows_token(header, "s3cret")) << header;
    }
    EXPECT_FALSE(shows_token("Bearer ", ""));
}

}  // namespace
}  // namespace ome::observer
