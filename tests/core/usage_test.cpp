#include <ome/core/usage.hpp>

#include <gtest/gtest.h>

#include <array>

namespace ome::core {
namespace {

const std::vector<std::string> commands{"serve", "status", "replay", "check", "bundle"};
const std::vector<std::string> options{"--output", "-o", "--url", "--allow-loopback"};

TEST(NearestWord, KnowsWhatWasMeant) {
    EXPECT_EQ(nearest_word("statsu", commands), "status");
    EXPECT_EQ(nearest_word("staus", commands), "status");
    EXPECT_EQ(nearest_word("sttatus", commands), "status");
    EXPECT_EQ(nearest_word("stat", commands), "status") << "begun";
    EXPECT_EQ(nearest_word("chekc", commands), "check");
    EXPECT_EQ(nearest_word("--oputput", options), "--output");
    EXPECT_EQ(nearest_word("--alow-loopback", options), "--allow-loopback");
    EXPECT_EQ(nearest_word("--allow", options), "--allow-loopback");
}

TEST(NearestWord, GuessesNothingWhenNothingIsNear) {
    EXPECT_EQ(nearest_word("dance", commands), std::nullopt);
    EXPECT_EQ(nearest_word("", commands), std::nullopt);
    EXPECT_EQ(nearest_word("-x", options), "-o") << "one letter off";
    EXPECT_EQ(nearest_word("---", options), std::nullopt);
    EXPECT_EQ(nearest_word(std::string(100000, 'x'), commands), std::nullopt);
}

TEST(Misspelt, CountsSlipsUpToALimit) {
    constexpr std::array<std::string_view, 2> known{"drain", "drain-expiry"};
    EXPECT_EQ(misspelt("drian", known, 1), "drain");
    EXPECT_EQ(misspelt("drainn", known, 1), "drain");
    EXPECT_EQ(misspelt("trian", known, 1), std::nullopt) << "two slips";
    EXPECT_EQ(misspelt("trian", known, 2), "drain");
    EXPECT_EQ(misspelt("drain-", known, 2), "drain") << "begun counts for nothing here";
    EXPECT_EQ(misspelt("drain-exp", known, 2), std::nullopt);
    EXPECT_EQ(misspelt(std::string(100000, 'x'), known, 2), std::nullopt);
}

TEST(UsageProblem, NamesTheCommandThatDoesNotExistAndThoseThatDo) {
    EXPECT_EQ(usage_problem({"ome", commands, {"--help"}, {}, {"statsu"}}, ""),
              "ome: there is no command \"statsu\"; did you mean status?\n"
              "commands: serve, status, replay, check, bundle\n"
              "Run ome --help for more.\n");
    EXPECT_EQ(usage_problem({"ome", commands, {"--help"}, {}, {}}, ""),
              "ome: a command must be given\n"
              "commands: serve, status, replay, check, bundle\n"
              "Run ome --help for more.\n");
}

TEST(EmptyValues, AreWordsOfTheirOwn) {
    using Words = std::vector<std::string>;
    EXPECT_EQ(with_empty_values({"run", "--store=", "x"}), (Words{"run", "--store", "", "x"}));
    EXPECT_EQ(with_empty_values({"--a=b", "--c==", "-d=", "--=", "="}),
              (Words{"--a=b", "--c==", "-d=", "--=", "="}));
    EXPECT_EQ(with_empty_values({"--a=", "--", "--b="}), (Words{"--a", "", "--", "--b="}));
    EXPECT_EQ(with_empty_values({}), Words{});
}

TEST(UsageProblem, TellsOfAMistypedCommandBeforeTheOptionsBehindIt) {
    EXPECT_EQ(usage_problem({"ome", commands, {"--help"}, options, {"server", "--url", "x"}}, ""),
              "ome: there is no command \"server\"; did you mean serve?\n"
              "commands: serve, status, replay, check, bundle\n"
              "Run ome --help for more.\n");
    EXPECT_EQ(usage_problem({"ome", commands, {"--help"}, {}, {"dance", "--hlep"}}, ""),
              "ome: there is no command \"dance\"\n"
              "commands: serve, status, replay, check, bundle\n"
              "Run ome --help for more.\n");
}

TEST(UsageProblem, TellsWhereAnOptionOfACommandBelongs) {
    EXPECT_EQ(usage_problem({"ome", commands, {"--help"}, options, {"--url=secret", "x"}}, ""),
              "ome: the option --url must stand behind its command\n"
              "commands: serve, status, replay, check, bundle\n"
              "Run ome --help for more.\n");
    EXPECT_EQ(usage_problem({"ome", commands, {"--help"}, options, {"--hlep"}}, ""),
              "ome: there is no option --hlep; did you mean --help?\n"
              "Run ome --help for more.\n");
}

TEST(UsageProblem, NamesOptionsWithoutTheirValues) {
    EXPECT_EQ(usage_problem({"ome status", {}, options, {}, {"secret", "--tokn=secret"}}, "else"),
              "ome status: there is no option --tokn\nRun ome status --help for more.\n");
    EXPECT_EQ(usage_problem({"ome status", {}, options, {}, {"--ulr"}}, "else"),
              "ome status: there is no option --ulr; did you mean --url?\n"
              "Run ome status --help for more.\n");
}

TEST(UsageProblem, TellsTheRestAsItIs) {
    EXPECT_EQ(usage_problem({"ome status", {}, options, {}, {"ex\x1btra"}}, "else"),
              "ome status: \"ex\\x1btra\" is one argument too many\n"
              "Run ome status --help for more.\n");
    EXPECT_EQ(usage_problem({"ome check", {}, options, {}, {}}, "FILE is required"),
              "ome check: FILE is required\nRun ome check --help for more.\n");
}

}  // namespace
}  // namespace ome::core
