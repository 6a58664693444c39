#include <ome/wire/problem_line.hpp>

#include <gtest/gtest.h>

namespace ome::wire {
namespace {

TEST(ProblemLine, IsTakenFromTheFront) {
    EXPECT_EQ(split_line("line 3: spec: 5 must be an object").line, 3U);
    EXPECT_EQ(split_line("line 3: spec: 5 must be an object").message, "spec: 5 must be an object");
    EXPECT_EQ(split_line("line 12, column 5: a tab").line, 12U);
    EXPECT_EQ(split_line("line 12, column 5: a tab").message, "column 5: a tab");
}

TEST(ProblemLine, IsNotSeenInOtherWords) {
    for (const char* message : {"",
                                "line ",
                                "line x: y",
                                "line 3 of the text, column 1: x",
                                "line 99999999999999999999: x",
                                "a line 3: x"}) {
        EXPECT_EQ(split_line(message).line, 0U) << message;
        EXPECT_EQ(split_line(message).message, message);
    }
}

TEST(ProblemLine, SeveralFitOnOne) {
    EXPECT_EQ(on_one_line("a\nb"), "a; b");
    EXPECT_EQ(on_one_line("a"), "a");
}

}  // namespace
}  // namespace ome::wire
