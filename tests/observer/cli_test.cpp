#include "cli.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ome::observer {
namespace {

using testing::HasSubstr;

class CliTest : public testing::Test {
protected:
    int run(std::vector<const char*> words) {
        words.insert(words.begin(), "ome-observer");
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const int code = run_cli(static_cast<int>(words.size()), words.data());
        out = testing::internal::GetCapturedStdout();
        err = testing::internal::GetCapturedStderr();
        return code;
    }

    std::string out;
    std::string err;
};

TEST_F(CliTest, TellsItsVersion) {
    EXPECT_EQ(run({"--version"}), 0);
    EXPECT_EQ(out, "ome-observer " OME_VERSION "\n");
    const std::vector<const char*> words{"ome-observer", "--version"};
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_cli(2, words.data(), "0123abc"), 0);
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "ome-observer " OME_VERSION " (commit 0123abc)\n");
}

TEST_F(CliTest, HelpsWithExamplesAndExitCodes) {
    EXPECT_EQ(run({"--help"}), 0);
    EXPECT_THAT(out, HasSubstr("status"));
    EXPECT_THAT(out, HasSubstr("Examples:"));
    EXPECT_THAT(out, HasSubstr("78 bad configuration"));
    EXPECT_EQ(run({"status", "--help"}), 0);
    EXPECT_THAT(out, HasSubstr("--watch"));
}

TEST_F(CliTest, EndsWith2ForWrongUsage) {
    EXPECT_EQ(run({}), 2);
    EXPECT_EQ(run({"dance"}), 2);
    EXPECT_EQ(run({"--dance"}), 2);
    EXPECT_EQ(run({"status", "--output", "xml"}), 2);
    EXPECT_EQ(run({"status", "--interval"}), 2);
    EXPECT_EQ(out, "");
    EXPECT_NE(err, "");
}

TEST_F(CliTest, NamesWhatWasNotUnderstoodAndWhatThereIs) {
    EXPECT_EQ(run({"statsu"}), 2);
    EXPECT_THAT(err,
                HasSubstr("ome-observer: there is no command \"statsu\"; did you mean status?"));
    EXPECT_THAT(err, HasSubstr("commands: serve, status, replay, check, bundle\n"));
    EXPECT_EQ(run({}), 2);
    EXPECT_THAT(err, HasSubstr("a command must be given\ncommands: serve, "));
    EXPECT_EQ(run({"status", "--oputput", "json"}), 2);
    EXPECT_THAT(err,
                HasSubstr("ome-observer status: there is no option --oputput; did you mean "
                          "--output?\nRun ome-observer status --help"));
    EXPECT_EQ(run({"--url", "http://127.0.0.1:1", "status"}), 2);
    EXPECT_THAT(err, HasSubstr("the option --url must stand behind its command"));
    EXPECT_EQ(run({"status", "more"}), 2);
    EXPECT_THAT(err, HasSubstr("ome-observer status: \"more\" is one argument too many"));
    EXPECT_EQ(run({"check"}), 2);
    EXPECT_THAT(err, HasSubstr("ome-observer check: FILE is required"));
    EXPECT_EQ(run({"status", "--output", "xml"}), 2);
    EXPECT_THAT(err, HasSubstr("ome-observer status: --output: "));
    EXPECT_EQ(out, "");
}

TEST_F(CliTest, SaysInPlainWordsWhatIsGivenTooOftenOrWithoutItsValue) {
    EXPECT_EQ(run({"serve", "--listen", "a", "--listen", "b"}), 2);
    EXPECT_THAT(err, HasSubstr("ome-observer serve: --listen is given more than once\n"));
    EXPECT_EQ(run({"serve", "--services"}), 2);
    EXPECT_THAT(err, HasSubstr("ome-observer serve: --services needs a value\n"));
}

TEST_F(CliTest, RefusesAnOptionOfAnOptionThatIsNotThere) {
    EXPECT_EQ(run({"status", "--interval", "2s", "--url", "unix:/nonexistent/ome.sock"}), 2);
    EXPECT_THAT(err, HasSubstr("--interval requires --watch"));
    EXPECT_EQ(run({"serve", "-o", "json", "--listen="}), 2);
    EXPECT_THAT(err, HasSubstr("--output requires --print-config"));
}

TEST_F(CliTest, NamesTheFlagOfWhatCannotBeUsedAtTheStart) {
    EXPECT_EQ(run({"serve", "--listen", "unix:/nonexistent/folder/s"}), 1);
    EXPECT_THAT(err, HasSubstr("ome-observer: --listen: cannot listen on unix:/nonexistent"));
    EXPECT_EQ(run({"serve", "--listen", "127.0.0.1:0", "--token-file", "/nonexistent"}), 78);
    EXPECT_THAT(err, HasSubstr("ome-observer: --token-file: "));
}

TEST_F(CliTest, EveryCommandThatHasAnOutputTakesItShort) {
    for (const char* command : {"serve", "status", "check", "bundle"}) {
        EXPECT_EQ(run({command, "--help"}), 0);
        EXPECT_THAT(out, HasSubstr("-o,--output")) << command;
    }
}

TEST_F(CliTest, AFlagWithNothingBehindItsEqualsSignIsEmpty) {
    EXPECT_EQ(run({"serve", "--print-config", "--deny-addresses="}), 0) << err;
    EXPECT_THAT(out, testing::ContainsRegex("deny-addresses +flag --deny-addresses"));
    EXPECT_EQ(run({"serve", "--print-config", "--listen="}), 78);
    EXPECT_THAT(err, HasSubstr("--listen \"\" must be"));
}

TEST_F(CliTest, GivesTheCodeOfTheCommand) {
    EXPECT_EQ(run({"status", "--url", "unix:/nonexistent/ome.sock"}), 1);
}

}  // namespace
}  // namespace ome::observer
