#include "settings.hpp"

#include "settings_table.hpp"
#include "support/source_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

Environment variables(std::map<std::string, std::string> set) {
    return [set = std::move(set)](const std::string& name) -> std::optional<std::string> {
        const auto found = set.find(name);
        return found == set.end() ? std::nullopt : std::optional(found->second);
    };
}

std::variant<Settings, std::vector<core::Problem>> check(
    const FlagValues& flags, const std::optional<FileValues>& file = std::nullopt) {
    return check_settings(resolve_settings(flags, variables({}), file));
}

Settings good(const FlagValues& flags) {
    const auto checked = check(flags);
    if (const auto* problems = std::get_if<std::vector<core::Problem>>(&checked)) {
        ADD_FAILURE() << problems->front().message;
        return {};
    }
    return std::get<Settings>(checked);
}

std::string problem(const std::string& name, const std::string& value) {
    const auto checked = check({{name, {value}}});
    const auto* problems = std::get_if<std::vector<core::Problem>>(&checked);
    return problems == nullptr ? "" : problems->front().message;
}

TEST(Settings, HaveTheDefaultsOfTheChart) {
    const Settings settings = good({});
    EXPECT_EQ(net::to_string(settings.listen), "127.0.0.1:7460");
    EXPECT_FALSE(settings.health_listen);
    EXPECT_EQ(settings.limits.max_concurrent_reconciles, 8);
    EXPECT_EQ(settings.limits.max_concurrent_requests, 16);
    EXPECT_EQ(settings.limits.max_response_bytes, 65536);
    EXPECT_EQ(settings.limits.min_period, 1s);
    EXPECT_EQ(settings.limits.max_samples, 100);
    EXPECT_EQ(settings.declaration_ttl, 5min);
    EXPECT_EQ(settings.connection_max_age, 30s);
    EXPECT_EQ(settings.deny_addresses.size(), 5U);
    EXPECT_FALSE(settings.allow_loopback);
    EXPECT_FALSE(settings.proxy_from_environment);
    EXPECT_EQ(settings.log_level, telemetry::log::Level::Info);
}

TEST(Settings, PreferFlagToEnvironmentToFileToDefault) {
    FileValues file;
    file.texts = {{"max-samples", "7"}, {"max-response-bytes", "8"}, {"min-period", "9s"}};
    const auto raw = resolve_settings({{"max-samples", {"5"}}},
                                      variables({{"OME_OBSERVER_MAX_SAMPLES", "6"},
                                                 {"OME_OBSERVER_MAX_RESPONSE_BYTES", "6"},
                                                 {"OME_OBSERVER_MIN_PERIOD", ""}}),
                                      file);
    const auto from = [&](const char* name) { return raw.find(name)->second; };
    EXPECT_EQ(from("max-samples").source, core::SettingSource::Flag);
    EXPECT_EQ(from("max-samples").origin, "--max-samples");
    EXPECT_EQ(from("max-response-bytes").source, core::SettingSource::Environment);
    EXPECT_EQ(from("max-response-bytes").origin, "OME_OBSERVER_MAX_RESPONSE_BYTES");
    EXPECT_EQ(from("min-period").source,
              core::SettingSource::File);  // an empty variable is not set
    EXPECT_EQ(from("min-period").origin, "routing.observer.minPeriod");
    EXPECT_EQ(from("max-concurrent-requests").source, core::SettingSource::Default);
    const auto settings = std::get<Settings>(check_settings(raw));
    EXPECT_EQ(settings.limits.max_samples, 5);
    EXPECT_EQ(settings.limits.max_response_bytes, 6);
    EXPECT_EQ(settings.limits.min_period, 9s);
}

TEST(Settings, RequireTheLimitsOfAFileThatTurnsRoutingOn) {
    FileValues file;
    file.limits_required = true;
    file.texts = {{"max-concurrent-reconciles", "1"},
                  {"max-concurrent-requests", "1"},
                  {"max-response-bytes", "1"},
                  {"min-period", "1s"}};
    const auto checked = check({}, file);
    const auto& problems = std::get<std::vector<core::Problem>>(checked);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(
        problems[0].message,
        "routing.observer.maxSamples must be positive when routing is enabled (not set by the "
        "configuration file, --max-samples or OME_OBSERVER_MAX_SAMPLES)");
    EXPECT_TRUE(std::holds_alternative<Settings>(check({{"max-samples", {"1"}}}, file)));
}

TEST(Settings, TellAllProblemsTogether) {
    const auto checked =
        check({{"grid", {"never"}}, {"reactors", {"-1"}}, {"log-level", {"loud"}}});
    std::vector<std::string> fields;
    for (const auto& each : std::get<std::vector<core::Problem>>(checked)) {
        fields.push_back(each.field);
    }
    EXPECT_THAT(fields, ElementsAre("reactors", "grid", "log-level"));
}

TEST(Settings, NameOriginValueAndRule) {
    EXPECT_EQ(problem("log-level", "loud"),
              "--log-level \"loud\" must be one of debug, info, warn, error, off");
    const auto checked = check_settings(
        resolve_settings({}, variables({{"OME_OBSERVER_REACTORS", "many"}}), std::nullopt));
    EXPECT_EQ(std::get<std::vector<core::Problem>>(checked).front().message,
              "OME_OBSERVER_REACTORS \"many\" must be a whole number from 0 to 64");
    FileValues file;
    file.texts = {{"min-period", "soon"}};
    const auto from_file = check({}, file);
    EXPECT_THAT(std::get<std::vector<core::Problem>>(from_file).front().message,
                HasSubstr("routing.observer.minPeriod \"soon\" must be a duration"));
}

TEST(Settings, NameBothBoundsSoThatAHugeValueIsUnderstood) {
    EXPECT_EQ(problem("max-concurrent-requests", "99999999999999999999999"),
              "--max-concurrent-requests \"99999999999999999999999\" must be a whole number from 1 "
              "to 9223372036854775807");
    EXPECT_THAT(problem("min-period", "99999999999999h"), HasSubstr(" from 1ns to 2562047h"));
}

TEST(Settings, HoldTheBoundsOfNumbers) {
    EXPECT_EQ(problem("max-samples", "1"), "");
    EXPECT_NE(problem("max-samples", "0"), "");
    EXPECT_NE(problem("max-samples", "9223372036854775808"), "");
    EXPECT_EQ(problem("reactors", "64"), "");
    EXPECT_NE(problem("reactors", "65"), "");
    EXPECT_NE(problem("reactors", ""), "");
    EXPECT_NE(problem("reactors", "4x"), "");
    EXPECT_NE(problem("reactors", " 4"), "");
}

TEST(Settings, HoldTheBoundsOfDurations) {
    EXPECT_EQ(problem("grid", "100us"), "");
    EXPECT_NE(problem("grid", "99us"), "");
    EXPECT_EQ(problem("grid", "1s"), "");
    EXPECT_NE(problem("grid", "1.001s"), "");
    EXPECT_EQ(problem("declaration-ttl", "0s"), "");
    EXPECT_EQ(problem("declaration-ttl", "1s"), "");
    EXPECT_NE(problem("declaration-ttl", "999ms"), "");
    EXPECT_NE(problem("min-period", "0s"), "");
    EXPECT_NE(problem("connection-max-age", "-1s"), "");
}

TEST(Settings, ListenOnlyWhereNobodyElseReaches) {
    for (const char* address :
         {"127.0.0.1:0", "127.1.2.3:7460", "[::1]:7460", "localhost:1", "unix:/run/x"}) {
        EXPECT_EQ(problem("listen", address), "") << address;
    }
    for (const char* address :
         {"0.0.0.0:7460", "[::]:7460", "10.0.0.1:7460", "example:80", "7460", ""}) {
        EXPECT_NE(problem("listen", address), "") << address;
    }
    EXPECT_EQ(problem("listen", "0.0.0.0:7460"),
              "--listen \"0.0.0.0:7460\" must be a loopback address or a Unix socket unless "
              "--token-file, --tls-cert and --tls-key are given");
    EXPECT_EQ(problem("health-listen", "0.0.0.0:7461"), "");
    EXPECT_EQ(problem("health-listen", ""), "");
}

TEST(Settings, ListenAnywhereWithATokenAndTls) {
    const FlagValues all{{"listen", {"0.0.0.0:7460"}},
                         {"token-file", {"token"}},
                         {"tls-cert", {"cert.pem"}},
                         {"tls-key", {"key.pem"}}};
    EXPECT_TRUE(std::holds_alternative<Settings>(check(all)));
    for (const char* left_out : {"token-file", "tls-cert", "tls-key"}) {
        FlagValues fewer = all;
        fewer.erase(fewer.find(left_out));
        EXPECT_FALSE(std::holds_alternative<Settings>(check(fewer))) << left_out;
    }
    EXPECT_TRUE(std::holds_alternative<Settings>(check({{"token-file", {"token"}}})));
    EXPECT_EQ(problem("tls-cert", "cert.pem"), "--tls-cert and --tls-key must be given together");
}

TEST(Settings, KeepTheTwoListenersApart) {
    EXPECT_THAT(problem("health-listen", "127.0.0.1:7460"), HasSubstr("must differ from --listen"));
    EXPECT_TRUE(std::holds_alternative<Settings>(
        check({{"listen", {"127.0.0.1:0"}}, {"health-listen", {"127.0.0.1:0"}}})));
}

TEST(Settings, TakeListsFromRepeatedFlagsAndCommas) {
    EXPECT_THAT(good({{"ca-file", {"a.pem", "b.pem,c.pem"}}}).ca_files,
                ElementsAre("a.pem", "b.pem", "c.pem"));
    EXPECT_TRUE(good({{"deny-addresses", {""}}}).deny_addresses.empty());
    EXPECT_THAT(good({{"deny-addresses", {"10.0.0.0/8,fd00::/8"}}}).deny_addresses,
                ElementsAre("10.0.0.0/8", "fd00::/8"));
    EXPECT_EQ(good({{"dns-servers", {"10.0.0.2", "[fd00::2]:53"}}}).dns_servers,
              "10.0.0.2,[fd00::2]:53");
}

TEST(Settings, RefuseNetworksServersAndHostsThatAreNone) {
    for (const char* bad :
         {"10.0.0.0", "10.0.0.0/33", "fd00::/129", "x/8", "10.0.0.0/-1", "10.0.0.0/"}) {
        EXPECT_NE(problem("deny-addresses", bad), "") << bad;
    }
    for (const char* bad : {"name:53", "10.0.0.2:0", "10.0.0.2:x", "localhost:53", "unix:/x"}) {
        EXPECT_NE(problem("dns-servers", bad), "") << bad;
    }
    EXPECT_NE(problem("allowed-hosts", "*.example"), "");
    EXPECT_THAT(problem("deny-addresses", "10.0.0.0/8,10.0.0.1,fd00::/8"),
                testing::EndsWith("; number 2, \"10.0.0.1\", is none"));
    EXPECT_THAT(problem("deny-addresses", "10.0.0.1"), testing::EndsWith(" or fd00::/8"));
    EXPECT_EQ(problem("allowed-hosts", "observer.example:80"), "");
}

TEST(Settings, TakeSwitchesAndChoices) {
    EXPECT_TRUE(good({{"allow-loopback", {"true"}}}).allow_loopback);
    EXPECT_NE(problem("allow-loopback", "yes"), "");
    EXPECT_TRUE(good({{"probe-connections", {"reuse"}}}).reuse_probe_connections);
    EXPECT_EQ(good({{"log-format", {"json"}}}).log_format, telemetry::log::Format::Json);
    EXPECT_EQ(good({{"log-level", {"off"}}}).log_level, telemetry::log::Level::Off);
}

TEST(SettingsTable, HasNoNameTwiceAndOnlyGoodDefaults) {
    std::set<std::string_view> names;
    for (const Setting& setting : settings_table()) {
        EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
        EXPECT_FALSE(setting.help.empty()) << setting.name;
    }
}

std::string markdown_row(const Setting& setting) {
    const auto code = [](std::string_view text) {
        return text.empty() ? std::string() : "`" + std::string(text) + "`";
    };
    std::string row = "| " + code(core::flag_of(setting)) + " | " +
                      code(core::variable_of("ome-observer", setting)) + " | ";
    row += code(setting.default_value) + (setting.default_value.empty() ? "| " : " | ");
    row += std::string(setting.unit) + (setting.unit.empty() ? "| " : " | ");
    row += setting.reloads ? "SIGHUP | " : "restart | ";
    return row + std::string(setting.help) + " |";
}

TEST(SettingsTable, IsWhatTheDocumentationSays) {
    std::vector<std::string> documented;
    std::ifstream document(test::source_file("docs/settings.md"));
    for (std::string line; std::getline(document, line);) {
        if (line.starts_with("| `--") && line.find("`OME_OBSERVER_") != std::string::npos) {
            documented.push_back(line);
        }
    }
    std::vector<std::string> expected;
    std::string block;
    for (const Setting& setting : settings_table()) {
        expected.push_back(markdown_row(setting));
        block += expected.back() + "\n";
    }
    EXPECT_EQ(documented, expected) << "docs/settings.md should have these rows:\n" << block;
}

}  // namespace
}  // namespace ome::observer
