#include "options.hpp"

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
    EXPECT_NE(refusal({}).find("ome-homesim: --homes: or --home must be given"), std::string::npos);
}

}  // namespace
}  // namespace ome::homesim
