#include "options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::homesim {
namespace {

std::string refusal(std::vector<std::string> words) {
    words.insert(words.begin(), "ome-homesim");
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    int exit_code = 0;
    testing::internal::CaptureStderr();
    const auto options = read_options(static_cast<int>(argv.size()), argv.data(), exit_code);
    EXPECT_FALSE(options);
    EXPECT_EQ(exit_code, 2);
    return testing::internal::GetCapturedStderr();
}

TEST(Options, NamesWhatWasNotUnderstood) {
    EXPECT_EQ(refusal({"statsu"}),
              "ome-homesim: \"statsu\" is one argument too many\n"
              "Run ome-homesim --help for more.\n");
    EXPECT_EQ(refusal({"--homez", "3"}),
              "ome-homesim: there is no option --homez; did you mean --homes?\n"
              "Run ome-homesim --help for more.\n");
    EXPECT_TRUE(refusal({}).starts_with(
        "ome-homesim: --homes or --home must be given: there would be no home\n"));
}

TEST(Options, NamesTheFlagTheValueAndTheRule) {
    const auto says = [](std::vector<std::string> words, const std::string& sentence) {
        const std::string told = refusal(std::move(words));
        EXPECT_TRUE(told.starts_with("ome-homesim: " + sentence + "\n")) << told;
    };
    says({"--homes", "x"}, "--homes (x) must be a whole number from 0 to 1000000");
    says({"--port", "70000"}, "--port (70000) must be a whole number from 0 to 65535");
    says({"--tls-port", "-1"}, "--tls-port (-1) must be a whole number from 0 to 65535");
    says({"--homes", "1", "--tls-port", "65530"},
         "--tls-port (65530) must be at most 65529, the first of 7 ports");
    says({"--homes", "1", "--kinds", "none"}, "--kinds (none) must be poll, probe or both");
    says({"--homes", "1", "--poll-path", "x"},
         "--poll-path (x) must begin with / and be of printable ASCII");
    for (const char* const path : {"/\u009b2J", "/a b", "/\x7f"}) {
        EXPECT_THAT(refusal({"--homes", "1", "--poll-path", path}),
                    testing::HasSubstr(" must begin with / and be of printable ASCII"));
    }
    says({"--home", "a/b"}, "--home (a/b) must be of letters, digits, -, _ and . only");
    says({"--homes", "1", "--timeout", "0s"},
         "--timeout (0s) must be a duration such as 1s, above 0");
    says({"--homes", "2", "--home", "home-1"},
         "--home (home-1) is also one of --homes (2); each home must have a name of its own");
    says({"--home", "a", "--home", "a"},
         "--home (a) is given twice; each home must have a name of its own");
}

TEST(Options, PrintNoServicesThatTheObserverWouldRefuse) {
    const auto refused = [](std::vector<std::string> words) {
        words.insert(words.end(), {"--homes", "1", "--port", "7490", "--print-services"});
        const std::string told = refusal(std::move(words));
        return told.substr(0, told.find('\n'));
    };
    EXPECT_EQ(refused({"--period", "1s", "--timeout", "2s"}),
              "ome-homesim: --timeout (2s) must be shorter than --period (1s)");
    EXPECT_EQ(refused({"--period", "2s"}),
              "ome-homesim: --max-age (4s) must span at least 3 times --period (2s), the quorum");
}

}  // namespace
}  // namespace ome::homesim
