#include "replay_tuning.hpp"

#include "commands.hpp"
#include "replay_fixture.hpp"

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ome::observer {
namespace {

using testing::HasSubstr;

class ReplayTuning : public testing::Test {
protected:
    ReplayTuning() {
        char name[] = "/tmp/replay-tuning-XXXXXX";
        folder = mkdtemp(name);
        recording = write("attempts.ndjson",
                          RecordingText()
                              .declared(capacity_block(3, 2) + "," + probe_block(2))
                              .reports({4, 4, 1, 4, 4, 4})
                              .home("b")
                              .reports({2, 2})
                              .text());
        quick = write("quick.json", "{" + capacity_block(1, 1) + "}");
    }
    ~ReplayTuning() override { std::filesystem::remove_all(folder); }

    std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(
            std::filesystem::path(folder + "/" + name).parent_path());
        std::ofstream(folder + "/" + name) << text;
        return folder + "/" + name;
    }
    [[nodiscard]] std::string plot() const {
        std::ifstream file(folder + "/t.svg");
        return {std::istreambuf_iterator<char>(file), {}};
    }

    /// `replay` with these words; -1: wrong usage, told in `err`.
    int replay(const std::string& words) {
        CLI::App app;
        observer::Run chosen;
        add_replay_command(app, chosen);
        try {
            app.parse("replay " + words, false);
        } catch (const CLI::ParseError& error) {
            err = error.what();
            return -1;
        }
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const int code = chosen();
        out = testing::internal::GetCapturedStdout();
        err = testing::internal::GetCapturedStderr();
        return code;
    }
    [[nodiscard]] std::string with_plot() const { return "--plot " + folder + "/t.svg "; }

    std::string folder;
    std::string recording;
    std::string quick;
    std::string out;
    std::string err;
};

TEST_F(ReplayTuning, DrawsTheRecordedPolicyBesideTheGivenOnes) {
    EXPECT_EQ(replay(with_plot() + "--policy " + quick + " " + recording), 0) << err;
    EXPECT_THAT(out, HasSubstr("a of s, 2026-09-28T10:00:00.000Z to 2026-09-28T10:00:50.000Z"));
    EXPECT_THAT(out, HasSubstr("\nas recorded  "));
    EXPECT_THAT(out, HasSubstr("\nquick        "));
    EXPECT_THAT(out, HasSubstr("\nThe plot is in " + folder + "/t.svg.\n"));
    EXPECT_THAT(out, HasSubstr("1 more home is in the recording, and --home chooses: s/b\n"));
    EXPECT_THAT(plot(), HasSubstr(">quick<"));
}

TEST_F(ReplayTuning, OverrideLeavesTheRecordedPolicyOut) {
    EXPECT_EQ(replay(with_plot() + "--override --policy " + quick + " " + recording), 0) << err;
    EXPECT_THAT(out, testing::Not(HasSubstr("as recorded")));
}

TEST_F(ReplayTuning, AHomeAndAPlanCanBeChosen) {
    EXPECT_EQ(replay(with_plot() + "--home s/b --plan 9 " + recording), 0) << err;
    EXPECT_THAT(out, HasSubstr("b of s, "));
    EXPECT_THAT(out, HasSubstr(", plan 9, "));
    EXPECT_EQ(replay(with_plot() + "--home c " + recording), 1);
    EXPECT_THAT(err, HasSubstr("error: --home \"c\": no attempt of it"));
}

TEST_F(ReplayTuning, FiguresComeAsADocument) {
    EXPECT_EQ(replay(with_plot() + "-o json " + recording), 0) << err;
    EXPECT_THAT(out, HasSubstr(R"("home":"a")"));
    EXPECT_THAT(out, testing::Not(HasSubstr("The plot is in")));
}

TEST_F(ReplayTuning, ConfirmSaysHowManyReadingsMakeAChange) {
    EXPECT_EQ(replay(with_plot() + "-o json --confirm 1 " + recording), 0) << err;
    EXPECT_THAT(out, HasSubstr(R"("confirm":1)"));
    EXPECT_THAT(out, HasSubstr(R"("changes":2)"));
}

TEST_F(ReplayTuning, WhatDoesNotGoTogetherIsWrongUsage) {
    const auto usage = [this](const std::string& words) {
        EXPECT_EQ(replay(words + " " + recording), -1) << words;
        return err;
    };
    EXPECT_THAT(usage("--policy " + quick + " --policy " + quick),
                HasSubstr("--policy is given more than once; several are compared with --plot"));
    EXPECT_THAT(usage(with_plot() + "-o ndjson"), HasSubstr("--output ndjson tells of events"));
    EXPECT_THAT(usage("-o json"), HasSubstr("--output json tells of figures, which need --plot"));
    EXPECT_THAT(usage("--home a"), HasSubstr("--home requires --plot"));
    EXPECT_THAT(usage(with_plot() + "--confirm 0"), HasSubstr("--confirm \"0\" must be"));
    EXPECT_THAT(usage(with_plot() + "--plan -1"), HasSubstr("--plan \"-1\" must be"));
    std::string many;
    for (int i = 0; i < 9; ++i) {
        many += "--policy " + quick + " ";
    }
    EXPECT_THAT(usage(with_plot() + many), HasSubstr("more than 8 times"));
}

TEST_F(ReplayTuning, APlotThatCannotBeWrittenIsAFailure) {
    EXPECT_EQ(replay("--plot " + folder + " " + recording), 1);
    EXPECT_THAT(err, HasSubstr("error: --plot "));
}

TEST_F(ReplayTuning, ThePlotGoesToStandardOutputAndTheFiguresBesideIt) {
    EXPECT_EQ(replay("--plot - " + recording), 0);
    EXPECT_THAT(out, testing::StartsWith("<svg"));
    EXPECT_THAT(out, testing::EndsWith("</svg>\n"));
    EXPECT_THAT(err, HasSubstr("\nThe plot is in standard output.\n"));
    EXPECT_FALSE(std::filesystem::exists("-"));
    EXPECT_EQ(replay("--plot - -o json " + recording), -1);
    EXPECT_THAT(err, HasSubstr("both want standard output"));
}

TEST_F(ReplayTuning, WhatIsNoFileIsWrittenToAndStays) {
    const std::string pipe = folder + "/pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_EQ(::fcntl(reader, F_SETPIPE_SZ, 1 << 20), 1 << 20);  // takes the picture whole
    EXPECT_EQ(replay("--plot " + pipe + " " + recording), 0) << err;
    char head[4] = {};
    EXPECT_EQ(::read(reader, head, sizeof head), 4);
    EXPECT_EQ(std::string_view(head, sizeof head), "<svg");
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
    ::close(reader);
}

TEST_F(ReplayTuning, ALineThatWasLeftOutIsAFailureAndThePlotIsThere) {
    const std::string broken =
        write("b.ndjson",
              RecordingText().declared(capacity_block(1, 1)).reports({1, 1}).text() + "nonsense\n");
    EXPECT_EQ(replay(with_plot() + broken), 1);
    EXPECT_THAT(err, HasSubstr("error: line 4: not JSON"));
    EXPECT_THAT(plot(), HasSubstr("</svg>"));
}

TEST_F(ReplayTuning, AFileWithoutEventsIsToldOnce) {
    EXPECT_EQ(replay(with_plot() + write("empty", "")), 1);
    EXPECT_THAT(err, HasSubstr("the file is empty; expected a recording"));
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    EXPECT_EQ(replay(with_plot() + "/dev/null"), 1);
    EXPECT_THAT(err, HasSubstr("no attempt of any home is in the recording"));
}

TEST_F(ReplayTuning, PoliciesOfTheSameFileNameAreToldByTheirPaths) {
    EXPECT_EQ(names_of_policies({"x/quick.json", "y/calm.json"}),
              (std::vector<std::string>{"quick", "calm"}));
    EXPECT_EQ(names_of_policies({"x/p.json", "y/p.json", "z.json"}),
              (std::vector<std::string>{"x/p.json", "y/p.json", "z"}));
}

}  // namespace
}  // namespace ome::observer
