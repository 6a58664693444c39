// The numbers that a folder store gives in place of an API server, through ends in the middle of a
// line.
#include "generations.hpp"

#include "integration/scratch.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ome::controller {
namespace {

class GenerationsTest : public testing::Test {
protected:
    [[nodiscard]] Generations loaded() const {
        Generations made(path);
        made.load();
        return made;
    }

    void shorten_by(std::uintmax_t bytes) const {
        std::filesystem::resize_file(path, std::filesystem::file_size(path) - bytes);
    }

    test::Scratch scratch;
    std::string path = scratch.path("generations");
    const core::ServiceKey chat{"demo", "chat"};
    const core::ServiceKey search{"demo", "search"};
};

TEST_F(GenerationsTest, RiseWithTheSpecAndStayThroughARestart) {
    Generations first(path);
    EXPECT_EQ(first.of(chat, 0xA, 0), 1);
    EXPECT_EQ(first.of(chat, 0xA, 0), 1);
    EXPECT_EQ(first.of(chat, 0xB, 0), 2);
    EXPECT_FALSE(first.save());
    EXPECT_EQ(loaded().of(chat, 0xB, 0), 2);
    EXPECT_EQ(loaded().of(chat, 0xC, 0), 3);
}

TEST_F(GenerationsTest, ALineWithoutAnEndDoesNotSpoilTheNextOne) {
    Generations first(path);
    EXPECT_EQ(first.of(chat, 0xA, 6), 7);
    EXPECT_EQ(first.of(search, 0xA, 3), 4);
    EXPECT_FALSE(first.save());
    shorten_by(9);
    Generations second = loaded();
    EXPECT_EQ(second.of(search, 0xA, 3), 4) << "a torn line counts";
    EXPECT_EQ(second.of(chat, 0xB, 0), 8);
    EXPECT_FALSE(second.save());
    Generations third = loaded();
    EXPECT_EQ(third.of(search, 0xA, 0), 4);
    EXPECT_EQ(third.of(chat, 0xB, 0), 8);
}

TEST_F(GenerationsTest, WhatCannotBeWrittenIsWrittenNextTime) {
    std::filesystem::create_directories(path);
    Generations first(path);
    EXPECT_EQ(first.of(chat, 0xA, 0), 1);
    EXPECT_TRUE(first.save());
    std::filesystem::remove(path);
    EXPECT_FALSE(first.save());
    EXPECT_EQ(loaded().of(chat, 0xA, 0), 1);
}

TEST_F(GenerationsTest, AFileThatHasGrownIsWrittenAnew) {
    Generations first(path);
    for (int spec = 1; spec <= 10'050; ++spec) {
        EXPECT_EQ(first.of(chat, static_cast<std::uint64_t>(spec), 0), spec);
    }
    EXPECT_FALSE(first.save());
    EXPECT_EQ(first.of(chat, 0, 0), 10'051);
    EXPECT_FALSE(first.save());
    EXPECT_LT(std::filesystem::file_size(path), 100U);
    EXPECT_EQ(loaded().of(chat, 0, 0), 10'051);
}

}  // namespace
}  // namespace ome::controller
