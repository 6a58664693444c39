#include "settings_options.hpp"

#include "settings_table.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::observer {
namespace {

using testing::HasSubstr;

core::Result<ConfigFile> no_file(const std::string&) {
    return core::Problem{"no such file"};
}

class SettingsOptionsTest : public testing::Test {
protected:
    // Tells whether the words were a command line.
    bool parse(std::vector<std::string> line) {
        CLI::App app;
        add_setting_options(app, options);
        std::reverse(line.begin(), line.end());
        try {
            app.parse(line);
        } catch (const CLI::ParseError& error) {
            err = error.what();
            return false;
        }
        return true;
    }

    std::variant<Settings, int> prepare(const FileReader& reader = no_file) {
        return prepare_settings(
            options,
            [this](const std::string& name) -> std::optional<std::string> {
                const auto found = variables.find(name);
                return found == variables.end() ? std::nullopt : std::optional(found->second);
            },
            reader,
            words);
    }

    ServeOptions options;
    std::map<std::string, std::string> variables;
    Words words;
    std::string& out = words.out;
    std::string& err = words.err;
};

TEST_F(SettingsOptionsTest, KnowAFlagForEverySetting) {
    for (const Setting& setting : settings_table()) {
        const std::string flag = core::flag_of(setting);
        EXPECT_TRUE(parse(setting.shape == Shape::Switch ? std::vector{flag}
                                                         : std::vector<std::string>{flag, "x"}))
            << err;
        EXPECT_EQ(options.flags.count(setting.name), 1U) << flag;
    }
}

TEST_F(SettingsOptionsTest, TakeValuesListsAndSwitches) {
    ASSERT_TRUE(parse({"--max-samples",
                       "5",
                       "--ca-file",
                       "a",
                       "--ca-file=b",
                       "--allow-loopback",
                       "--metrics-per-home=false"}))
        << err;
    EXPECT_EQ(options.flags,
              (FlagValues{{"max-samples", {"5"}},
                          {"ca-file", {"a", "b"}},
                          {"allow-loopback", {"true"}},
                          {"metrics-per-home", {"false"}}}));
}

TEST_F(SettingsOptionsTest, RefuseWhatIsNoFlag) {
    EXPECT_FALSE(parse({"--no-such-flag"}));
    EXPECT_FALSE(parse({"--max-samples", "5", "--max-samples", "6"}));
    EXPECT_FALSE(parse({"--print-config", "--output", "xml"}));
    EXPECT_FALSE(parse({"stray"}));
}

TEST_F(SettingsOptionsTest, GiveSettingsToServeWith) {
    ASSERT_TRUE(parse({"--max-samples", "5"}));
    variables["OME_OBSERVER_GRID"] = "2ms";
    const auto prepared = prepare();
    ASSERT_TRUE(std::holds_alternative<Settings>(prepared)) << err;
    EXPECT_EQ(std::get<Settings>(prepared).limits.max_samples, 5);
    EXPECT_EQ(std::get<Settings>(prepared).grid, std::chrono::milliseconds(2));
    EXPECT_EQ(out, "");
}

TEST_F(SettingsOptionsTest, EndWith78AndAllProblems) {
    ASSERT_TRUE(parse({"--max-samples", "0", "--grid", "x"}));
    EXPECT_EQ(std::get<int>(prepare()), 78);
    EXPECT_THAT(err, HasSubstr("ome-observer: --max-samples \"0\" must be"));
    EXPECT_THAT(err, HasSubstr("ome-observer: --grid \"x\" must be"));
}

TEST_F(SettingsOptionsTest, EndWith78ForAFileThatCannotBeRead) {
    ASSERT_TRUE(parse({"--config", "multicluster.json"}));
    EXPECT_EQ(std::get<int>(prepare()), 78);
    EXPECT_EQ(err, "ome-observer: --config multicluster.json: no such file\n");
}

TEST_F(SettingsOptionsTest, TellWhatIsWrongBesideAFileThatCannotBeRead) {
    ASSERT_TRUE(parse({"--config", "multicluster.json", "--reactors", "-1"}));
    EXPECT_EQ(std::get<int>(prepare()), 78);
    EXPECT_THAT(err, HasSubstr("ome-observer: --config multicluster.json: no such file\n"));
    EXPECT_THAT(err, HasSubstr("ome-observer: --reactors \"-1\""));
    EXPECT_EQ(words.problems.size(), 2U);
    EXPECT_EQ(words.config_file, "--config multicluster.json");
}

TEST_F(SettingsOptionsTest, TellAFilesProblemsWithoutBlanksAtTheirEnds) {
    ASSERT_TRUE(parse({"--config", "m.json"}));
    std::ignore = prepare([](const std::string&) -> core::Result<ConfigFile> {
        return core::Problem{"due to a \nand b "};
    });
    EXPECT_EQ(err, "ome-observer: --config m.json: due to a\nand b\n");
}

TEST_F(SettingsOptionsTest, NameTheVariableThatNamesAFileWhichCannotBeRead) {
    variables["OME_OBSERVER_CONFIG"] = "multicluster.json";
    EXPECT_EQ(std::get<int>(prepare()), 78);
    EXPECT_EQ(err, "ome-observer: OME_OBSERVER_CONFIG multicluster.json: no such file\n");
}

core::Result<ConfigFile> file_with_a_warning(const std::string&) {
    ConfigFile file;
    file.warnings.emplace_back("routing.prob is not known and is ignored");
    return file;
}

TEST_F(SettingsOptionsTest, KeepWarningsForTheLog) {
    options.variables = {"OME_OBSERVER_GRID", "OME_OBSERVER_LISEN"};
    ASSERT_TRUE(parse({"--config", "c.json"}));
    const auto prepared = prepare(file_with_a_warning);
    ASSERT_TRUE(std::holds_alternative<Settings>(prepared)) << err;
    EXPECT_EQ(err, "");
    EXPECT_THAT(words.warnings,
                testing::ElementsAre(HasSubstr("did you mean OME_OBSERVER_LISTEN?"),
                                     "--config c.json: routing.prob is not known and is ignored"));
}

TEST_F(SettingsOptionsTest, TellWarningsWhenNothingIsServed) {
    options.variables = {"OME_OBSERVER_LISEN"};
    ASSERT_TRUE(parse({"--config", "c.json", "--print-config"}));
    EXPECT_EQ(std::get<int>(prepare(file_with_a_warning)), 0);
    EXPECT_THAT(err,
                HasSubstr("ome-observer: warning: the environment variable OME_OBSERVER_LISEN"));
    EXPECT_THAT(err, HasSubstr("warning: --config c.json: routing.prob is not known"));
    words = {};
    options.flags["grid"] = {"x"};
    EXPECT_EQ(std::get<int>(prepare(file_with_a_warning)), 78);
    EXPECT_THAT(err, HasSubstr("did you mean OME_OBSERVER_LISTEN?"));
    EXPECT_THAT(err, HasSubstr("--grid \"x\" must be"));
}

TEST_F(SettingsOptionsTest, PrintWhereEveryValueComesFrom) {
    ASSERT_TRUE(parse({"--print-config", "--max-samples", "5", "--config", "file.yaml"}));
    variables["OME_OBSERVER_GRID"] = "2ms";
    const auto prepared = prepare([](const std::string&) -> core::Result<ConfigFile> {
        ConfigFile file;
        file.values.texts = {{"min-period", "3s"}};
        return file;
    });
    EXPECT_EQ(std::get<int>(prepared), 0) << err;
    const auto line_of = [this](const std::string& name) {
        const std::size_t at = out.find("\n" + name + " ") + 1;
        return out.substr(at, out.find('\n', at) - at);
    };
    EXPECT_THAT(line_of("max-samples"),
                testing::MatchesRegex("max-samples +5 +flag --max-samples"));
    EXPECT_THAT(line_of("grid"), testing::MatchesRegex("grid +2ms +env OME_OBSERVER_GRID"));
    EXPECT_THAT(
        line_of("min-period"),
        testing::MatchesRegex("min-period +3s +config file.yaml routing.observer.minPeriod"));
    EXPECT_THAT(line_of("reactors"), testing::MatchesRegex("reactors +0 +default"));
}

TEST_F(SettingsOptionsTest, PrintJsonWithEverySetting) {
    ASSERT_TRUE(parse({"--print-config", "--output", "json"}));
    EXPECT_EQ(std::get<int>(prepare()), 0);
    const auto document = boost::json::parse(out);
    EXPECT_EQ(document.at("settings").as_array().size(), settings_table().size());
    EXPECT_EQ(document.at("settings").as_array()[0].at("source").as_string(), "default");
}

}  // namespace
}  // namespace ome::observer
