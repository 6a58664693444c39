#include <ome/core/help_layout.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

const std::string column(help_text_column, ' ');

TEST(HelpLayout, LeavesAloneWhatFits) {
    const std::string help =
        "Does a thing\nUsage: it [OPTIONS]\n\nOptions:\n  -h,--help                   "
        "Help\n\nSee.\n";
    EXPECT_EQ(lay_out_help(help, "See."), help);
}

TEST(HelpLayout, BreaksTheTextOfAFlagBelowItsBeginning) {
    const std::string help =
        "Usage: it\nOptions:\n"
        "  --listen address            Where the API listens: a loopback address or unix:/path\n"
        "  --a-name-that-is-longer-than-its-column TEXT\n" +
        column + "What it says is told in words that are more than one line can hold\n";
    EXPECT_EQ(lay_out_help(help, ""),
              "Usage: it\nOptions:\n"
              "  --listen address            Where the API listens: a loopback address or\n" +
                  column +
                  "unix:/path\n"
                  "  --a-name-that-is-longer-than-its-column TEXT\n" +
                  column + "What it says is told in words that are more than\n" + column +
                  "one line can hold\n");
}

TEST(HelpLayout, BreaksNoNameAndNoWord) {
    const std::string name =
        "  --flag TEXT:{" + std::string(40, 'a') + "," + std::string(40, 'b') + "}";
    const std::string word(70, 'w');
    EXPECT_EQ(lay_out_help(name + "\n" + column + "an " + word + " x\n", ""),
              name + "\n" + column + "an\n" + column + word + "\n" + column + "x\n");
}

TEST(HelpLayout, BreaksAListBehindACommaWhereItIsTooLong) {
    const std::string list =
        "[" + std::string(24, 'a') + "," + std::string(24, 'b') + "," + std::string(24, 'c') + "]";
    EXPECT_EQ(lay_out_help(column + "None. " + list + " (V)\n", ""),
              column + "None.\n" + column + list.substr(0, 26) + "\n" + column + list.substr(26) +
                  "\n" + column + "(V)\n");
}

TEST(HelpLayout, FillsProseAnewAndNoExamples) {
    const std::string example = "  it " + std::string(90, 'x') + " y";
    const std::string footer =
        "Long lines of prose are filled anew, so that none of them is left with one word on\n"
        "it, and\nshort ones are joined.\nExit codes: 0 ok, 1 failure.\n\nExamples:\n" +
        example + "\n  second";
    EXPECT_EQ(
        lay_out_help("Usage: it\n\n" + footer + "\n", footer),
        "Usage: it\n\nLong lines of prose are filled anew, so that none of them is left with one "
        "word\non it, and short ones are joined.\nExit codes: 0 ok, 1 failure.\n\nExamples:\n" +
            example + "\n  second\n");
}

TEST(HelpLayout, FillsADescriptionAnewAndBreaksTheUsage) {
    const std::string arguments = "[" + std::string(40, 'A') + "]";
    EXPECT_EQ(
        lay_out_help("One line of a description that goes on and on and on and on, until it is\n"
                     "too long.\nUsage: it " +
                         arguments + " " + arguments + "\n",
                     ""),
        "One line of a description that goes on and on and on and on, until it is too\n"
        "long.\nUsage: it " +
            arguments + "\n    " + arguments + "\n");
}

TEST(HelpLayout, LeavesOneOfSeveralBlankLines) {
    EXPECT_EQ(lay_out_help("Usage: it\n\n\nOptions:\n  -h   \n\n\n\nEnd.\n", "\n\nEnd."),
              "Usage: it\n\nOptions:\n  -h\n\nEnd.\n");
    EXPECT_EQ(lay_out_help("Usage: it\n\n\n", ""), "Usage: it\n");
}

}  // namespace
}  // namespace ome::core
