#include "ndjson_lines.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ome::observer {
namespace {

std::vector<std::string> lines_of(const std::string& text, std::size_t piece, std::size_t longest) {
    NdjsonLines lines(longest);
    std::vector<std::string> found;
    const auto take = [&] {
        while (const auto line = lines.next()) {
            found.push_back(std::to_string(line->number) + ":" +
                            (line->too_long ? "too long" : line->text));
        }
    };
    for (std::size_t at = 0; at < text.size(); at += piece) {
        lines.feed(std::string_view(text).substr(at, piece));
        take();
    }
    lines.end();
    take();
    return found;
}

TEST(NdjsonLines, CutsPiecesOfAnySizeIntoTheSameLines) {
    const std::string text = "one\n\n  \r\ntwo\r\n" + std::string(20, 'x') + "\nlast";
    const std::vector<std::string> expected{"1:one", "4:two\r", "5:too long", "6:last"};
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        EXPECT_EQ(lines_of(text, piece, 10), expected) << piece;
    }
}

TEST(NdjsonLines, ALineOfTheLongestLengthFits) {
    const std::vector<std::string> expected{"1:xxxxx", "2:too long"};
    EXPECT_EQ(lines_of("xxxxx\nxxxxxx\n", 3, 5), expected);
    EXPECT_EQ(lines_of("xxxxx\nxxxxxx", 3, 5), expected);
}

TEST(NdjsonLines, AnEndlessLineIsToldOnceAndNotKept) {
    NdjsonLines lines(10);
    std::size_t told = 0;
    for (int i = 0; i < 1000; ++i) {
        lines.feed(std::string(1000, 'x'));
        while (const auto line = lines.next()) {
            EXPECT_TRUE(line->too_long);
            ++told;
        }
    }
    EXPECT_EQ(told, 1U);
    lines.feed("x\n{}\n");
    const auto next = lines.next();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->text, "{}");
    EXPECT_EQ(next->number, 2U);
}

TEST(NdjsonLines, NothingIsNoLine) {
    EXPECT_TRUE(lines_of("", 1, 10).empty());
    EXPECT_TRUE(lines_of("\n\n", 1, 10).empty());
}

}  // namespace
}  // namespace ome::observer
