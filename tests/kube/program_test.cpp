#include "kube/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kube {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

ProgramRun shell(const std::string& script) {
    ProgramRun run;
    run.command = "sh";
    run.args = {"-c", script};
    return run;
}

TEST(Program, GivesWhatItPrinted) {
    ProgramRun run = shell("printf '%s' \"$GIVEN\"; echo trouble >&2");
    run.env = {{"GIVEN", "a=b"}};
    EXPECT_EQ(run_program(run).value(), "a=b");
}

TEST(Program, ReadsMoreThanAPipeHolds) {
    EXPECT_EQ(run_program(shell("head -c 300000 /dev/zero | tr '\\0' x")).value().size(), 300'000U);
}

TEST(Program, HasNothingToRead) {
    EXPECT_EQ(run_program(shell("cat; echo done")).value(), "done\n");
}

TEST(Program, ThatFailsSaysWhyAndNotWhatItPrintedForUs) {
    const auto result = run_program(shell("echo secret; echo 'log in first' >&2; exit 7"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "\"sh\" exited with 7: log in first");
    EXPECT_THAT(result.error().message, Not(HasSubstr("secret")));
}

TEST(Program, ThatIsNotThereIsNamed) {
    ProgramRun run;
    run.command = "no-such-program-anywhere";
    EXPECT_THAT(run_program(run).error().message,
                HasSubstr("\"no-such-program-anywhere\" cannot be run: "));
}

TEST(Program, IsEndedWithAllItStartedWhenItsTimeIsOver) {
    ProgramRun run = shell("sleep 1000 & sleep 1000");
    run.time_limit = 100ms;
    EXPECT_THAT(run_program(run).error().message, HasSubstr("did not end within 100ms"));
}

TEST(Program, IsEndedWhenItPrintsWithoutEnd) {
    ProgramRun run = shell("yes");
    run.most_output = 10'000;
    EXPECT_THAT(run_program(run).error().message, HasSubstr("printed more than 10000 bytes"));
}

}  // namespace
}  // namespace ome::kube
