#include "line_reader.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <vector>

namespace ome::observer {
namespace {

std::vector<std::string> lines_of(const std::string& text, std::size_t longest = 1 << 20) {
    std::istringstream in(text);
    LineReader reader(in, longest, 64);
    std::vector<std::string> lines;
    while (const auto line = reader.next()) {
        lines.emplace_back(reader.cut() ? "cut" : *line);
        EXPECT_EQ(reader.number(), lines.size());
    }
    return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, GivesLinesWithoutTheirEnds) {
    EXPECT_EQ(lines_of(""), Lines{});
    EXPECT_EQ(lines_of("\n"), Lines{""});
    EXPECT_EQ(lines_of("a\n\nb\n"), (Lines{"a", "", "b"}));
    EXPECT_EQ(lines_of("a\nb"), (Lines{"a", "b"}));
}

TEST(LineReader, CutsALineThatIsTooLongAndGoesOnBehindIt) {
    const std::string long_line(300'000, 'x');
    EXPECT_EQ(lines_of(long_line + "\nb\n", 200'000), (Lines{"cut", "b"}));
    EXPECT_EQ(lines_of(long_line, 200'000), Lines{"cut"});
    EXPECT_EQ(lines_of(long_line + "\nb\n"), (Lines{long_line, "b"}));
}

TEST(LineReader, GivesWhatGetlineGives) {
    std::mt19937 random(9);  // NOLINT: the same on every run
    for (int round = 0; round < 20; ++round) {
        std::string text;
        Lines expected;
        for (int line = 0; line < 50; ++line) {
            expected.emplace_back(random() % (random() % 4 == 0 ? 100'000 : 300), 'x');
            text += expected.back() + '\n';
        }
        EXPECT_EQ(lines_of(text), expected);
    }
}

}  // namespace
}  // namespace ome::observer
